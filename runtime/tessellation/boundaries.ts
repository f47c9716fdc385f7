// Shared boundaries of tessellated surfaces: where outlines (edges that one patch uses) meet in the world, one surface owns
// the edge or corner and all take its displaced places, so that no crack opens between them. The owner is the coarsest;
// at equal levels one that does not stitch, since it takes no other's places; then the lowest id. DESIGN.md, section 9.
// Called each frame by the tessellation system; needs no GPU. A frame in which nothing changed compares a few fields a surface.
import { NO_PLAN, type BoundaryPlan } from './bakeJob.js';
import { boundaryPlan, samePlan, type SharedEdge } from './boundaryPlan.js';
import { settle, type Direction } from './drawnTransform.js';
import { OutlineHash, type OutlinePlace } from './outlineHash.js';
import { TracedSurface, type BoundarySurface, type Corner, type Edge } from './tracedSurface.js';

export type { BoundarySurface };

type Place = OutlinePlace<Corner>;

/** Less than 0 if `a` goes before `b` as an owner. */
const rank = (a: TracedSurface, b: TracedSurface): number =>
  a.level - b.level || Number(a.takes) - Number(b.takes) || a.surface.id - b.surface.id;

/** What is worked out once a frame for all who share it: places in the world, metres. */
interface Shared {
  corners: Map<Place, Float64Array | null>;
  /** By the owner's edge, in its direction. */
  edges: Map<Edge, Float64Array>;
}

export class Boundaries {
  private readonly entries = new Map<number, TracedSurface>();
  private readonly hash = new OutlineHash<Corner>();
  private frame = 0;
  /** How many boundaries the last update worked out anew: of surfaces that changed, and of those that share an edge or corner with one. */
  planned = 0;

  /** How many surfaces it knows. */
  get size(): number {
    return this.entries.size;
  }

  /**
   * Takes up what all surfaces are in this frame; those left out are gone.
   * @returns the surfaces whose plan is another now. A new surface that meets none has the plan that it would have had, and is
   *   not among them.
   */
  update(surfaces: Iterable<BoundarySurface>): BoundarySurface[] {
    const frame = ++this.frame;
    const leaving: Corner[] = [];
    const coming: Corner[] = [];
    const marked = new Set<TracedSurface>();
    let seen = 0;
    for (const surface of surfaces) {
      seen++;
      let entry = this.entries.get(surface.id);
      if (!entry) {
        entry = new TracedSurface(surface);
        this.entries.set(surface.id, entry);
        for (const corner of entry.corners) coming.push(corner);
      } else {
        const before = entry.corners;
        const news = entry.refresh(surface);
        if (news !== 'same') marked.add(entry);
        if (news === 'changed') markSharers(entry, marked);
        if (news === 'moved') {
          for (const corner of before) leaving.push(corner);
          for (const corner of entry.corners) coming.push(corner);
        }
      }
      entry.seen = frame;
    }
    if (seen !== this.entries.size)
      for (const [id, entry] of this.entries) {
        if (entry.seen === frame) continue;
        this.entries.delete(id);
        marked.delete(entry);
        for (const corner of entry.corners) leaving.push(corner);
      }
    if (leaving.length > 0 || coming.length > 0)
      for (const { surface } of this.hash.exchange(leaving, coming)) marked.add(surface);
    this.planned = marked.size;
    return marked.size === 0 ? [] : this.replan(marked);
  }

  /** The plan of a surface's boundary as of the last update; one of nothing for a surface that was not in it. */
  planOf(id: number): BoundaryPlan {
    return this.entries.get(id)?.plan ?? NO_PLAN;
  }

  private replan(marked: Set<TracedSurface>): BoundarySurface[] {
    const shared: Shared = { corners: new Map(), edges: new Map() };
    const changed: BoundarySurface[] = [];
    for (const entry of marked) {
      const plan = entry.takes ? this.plan(entry, shared) : NO_PLAN;
      if (samePlan(plan, entry.plan)) continue; // The old object: who holds it sees that it says the same.
      entry.plan = plan;
      changed.push(entry.surface);
    }
    return changed;
  }

  private plan(entry: TracedSurface, shared: Shared): BoundaryPlan {
    const cornerPlaces = new Map<number, Float32Array>();
    for (const corner of entry.corners) {
      const world = this.sharedCorner(corner.place!, shared);
      if (world) cornerPlaces.set(corner.index, toLocal(entry, world, corner.outward));
    }
    const edges: SharedEdge[] = [];
    for (const edge of entry.edges) {
      if (!cornerPlaces.has(edge.from.index) || !cornerPlaces.has(edge.to.index)) continue;
      const sharers = sharersOf(edge);
      if (sharers.every(({ surface }) => surface === entry)) continue;
      const owner = best(sharers);
      const between = toLocal(entry, this.sharedEdge(owner, sharers, shared), edge.outward);
      const places = new Float32Array(between.length + 6);
      places.set(between, 3);
      if (owner.from.place !== edge.from.place) reverse(places);
      places.set(cornerPlaces.get(edge.from.index)!, 0);
      places.set(cornerPlaces.get(edge.to.index)!, between.length + 3);
      edges.push({ edge: edge.index, level: owner.surface.level, places });
    }
    const { level, source } = entry;
    return boundaryPlan({ level, edgeCount: source.edgeCount }, cornerPlaces, edges);
  }

  /** Where all who meet at a place put their corner, metres of world, or null where one surface is alone. */
  private sharedCorner(place: Place, shared: Shared): Float64Array | null {
    let world = shared.corners.get(place);
    if (world !== undefined) return world;
    world = null;
    const { corners } = place;
    if (corners.some(({ surface }) => surface !== corners[0].surface)) {
      const owner = best(corners);
      world = toWorld(owner.surface, owner.surface.displacedCorner(owner));
      agree(corners, world);
    }
    shared.corners.set(place, world);
    return world;
  }

  /** Where all who share an edge put the points between its ends, metres of world, in the direction of the owner's edge. */
  private sharedEdge(owner: Edge, sharers: readonly Edge[], shared: Shared): Float64Array {
    let world = shared.edges.get(owner);
    if (!world) {
      world = toWorld(owner.surface, owner.surface.displacedEdge(owner));
      agree(sharers, world);
      shared.edges.set(owner, world);
    }
    return world;
  }
}

function markSharers(entry: TracedSurface, marked: Set<TracedSurface>): void {
  for (const { place } of entry.corners) for (const { surface } of place!.corners) marked.add(surface);
}

/** The edges of outlines, `edge` among them, whose ends stand where its ends stand; none for one shorter than the grid. */
function sharersOf({ from, to }: Edge): Edge[] {
  const sharers: Edge[] = [];
  if (from.place === to.place) return sharers;
  for (const corner of from.place!.corners)
    for (const edge of corner.edges)
      if ((edge.from === corner ? edge.to : edge.from).place === to.place) sharers.push(edge);
  return sharers;
}

/** The one that owns: of the surface that ranks first, the lowest index. */
function best<T extends Corner | Edge>(candidates: readonly T[]): T {
  return candidates.reduce((a, b) => ((rank(a.surface, b.surface) || a.index - b.index) <= 0 ? a : b));
}

/** Moves places of the world to near ones that all who take them reach, the owner among them if it stitches. */
function agree(sharers: readonly (Corner | Edge)[], world: Float64Array): void {
  const takers = new Set(sharers.map(({ surface }) => surface).filter(({ takes }) => takes));
  const transforms = [...takers].map(({ transform }) => transform);
  for (let at = 0; at < world.length; at += 3) settle(world, at, transforms);
}

function toWorld({ transform }: TracedSurface, places: Float32Array): Float64Array {
  const world = new Float64Array(places.length);
  for (let at = 0; at < world.length; at += 3)
    transform.toWorld(places[at], places[at + 1], places[at + 2], world, at);
  return world;
}

function toLocal({ transform }: TracedSurface, world: Float64Array, outward: Direction): Float32Array {
  const places = new Float32Array(world.length);
  for (let at = 0; at < world.length; at += 3) transform.toMesh(world, places, at, outward);
  return places;
}

/** Turns points, three numbers each, around: the last becomes the first. */
function reverse(places: Float32Array): void {
  const before = places.slice();
  for (let at = 0; at < places.length; at += 3)
    places.set(before.subarray(at, at + 3), places.length - 3 - at);
}
