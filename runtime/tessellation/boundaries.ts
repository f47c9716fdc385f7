// Shared boundaries of tessellated surfaces: where outlines (edges that one patch uses) meet in the world, one surface owns
// the edge or corner and all take its displaced places, so that no crack opens between them. The owner is the coarsest;
// at equal levels one that does not stitch, since it takes no other's places; then the lowest id. DESIGN.md, section 9.
// Called each frame by the tessellation system; needs no GPU. A frame in which nothing changed compares a few fields a surface.
import type { Matrix } from '../world/vector.js';
import { NO_PLAN, stepsOf, type BoundaryPlan } from './bakeJob.js';
import { boundaryPlan, samePlan, type SharedEdge } from './boundaryPlan.js';
import { DrawnTransform, settle } from './drawnTransform.js';
import { OutlineHash, type OutlineCorner, type OutlinePlace } from './outlineHash.js';
import { SOURCE_OFFSET, SOURCE_WORDS, type SourceMesh } from './sourceMesh.js';

/** A tessellated surface as boundaries see it. */
export interface BoundarySurface {
  /** Of its entity; no two surfaces have the same. */
  readonly id: number;
  /** Mesh to world, column-major doubles; another object once it has moved. */
  readonly matrix: Matrix;
  /** The level that it is to be baked at, 0..6. */
  readonly level: number;
  /** Whether it takes places of others. */
  readonly stitch: boolean;
  /** Another number once `displacedCorner` or `displacedEdge` would answer otherwise. */
  readonly version: number;
  readonly source: SourceMesh;
  /** Writes where a corner group is displaced to, in the mesh's own space, to `out[0..2]`; f32 numbers. */
  displacedCorner(corner: number, out: Float32Array): void;
  /** The same for the point `i` of 1..n − 1 on an edge group cut into `n`, counted from its lower corner group. */
  displacedEdge(edge: number, i: number, n: number, out: Float32Array): void;
}

/** A surface as it was when its boundary was last worked out. */
class Entry {
  seen = 0;
  matrix: Matrix;
  level: number;
  stitch: boolean;
  version: number;
  source: SourceMesh;
  transform: DrawnTransform;
  corners: Corner[] = [];
  edges: Edge[] = [];
  plan: BoundaryPlan = NO_PLAN;
  /** Where its own displacement puts corners and edges that it owns, by Corner or Edge; kept while it stays as it is. */
  private readonly displaced = new Map<Corner | Edge, Float32Array>();

  constructor(public surface: BoundarySurface) {
    ({ matrix: this.matrix, level: this.level, stitch: this.stitch } = surface);
    ({ version: this.version, source: this.source } = surface);
    this.transform = new DrawnTransform(this.matrix);
    this.trace();
  }

  /** It takes places of others. */
  get takes(): boolean {
    return this.stitch && this.transform.invertible;
  }

  /** Takes up what a surface is now. Answers what has changed: nothing, something beside its place, or where its outline is. */
  refresh(surface: BoundarySurface): 'same' | 'changed' | 'moved' {
    this.surface = surface;
    const { matrix, level, stitch, version, source } = surface;
    const moved =
      source !== this.source || (matrix !== this.matrix && matrix.some((part, k) => part !== this.matrix[k]));
    this.matrix = matrix;
    const changed = level !== this.level || stitch !== this.stitch || version !== this.version;
    if (changed) ({ level: this.level, stitch: this.stitch, version: this.version } = surface);
    if (moved || changed) this.displaced.clear();
    if (!moved) return changed ? 'changed' : 'same';
    this.source = source;
    this.transform = new DrawnTransform(matrix);
    this.trace();
    return 'moved';
  }

  /** Where its own displacement puts one of its corners, in its mesh. */
  displacedCorner(corner: Corner): Float32Array {
    return this.displacedOnce(corner, 1, (_, out) => this.surface.displacedCorner(corner.index, out));
  }

  /** The same for the 2^level − 1 points between the ends of one of its edges. */
  displacedEdge(edge: Edge): Float32Array {
    const n = stepsOf(this.level);
    return this.displacedOnce(edge, n - 1, (k, out) => this.surface.displacedEdge(edge.index, k + 1, n, out));
  }

  private displacedOnce(key: Corner | Edge, count: number, point: (k: number, out: Float32Array) => void) {
    let places = this.displaced.get(key);
    if (!places) {
      places = new Float32Array(count * 3);
      for (let k = 0; k < count; k++) point(k, places.subarray(k * 3, k * 3 + 3));
      this.displaced.set(key, places);
    }
    return places;
  }

  /** Places the outline in the world. What is not at a finite place meets nothing. */
  private trace(): void {
    const { outline, edgeCorners, vertices } = this.source;
    const corners = new Map<number, Corner>();
    const at = new Float64Array(3);
    const cornerOf = (index: number): Corner => {
      let corner = corners.get(index);
      if (!corner) {
        const word = this.source.cornerVertex(index) * SOURCE_WORDS + SOURCE_OFFSET.position;
        this.transform.toWorld(vertices[word], vertices[word + 1], vertices[word + 2], at);
        corner = { surface: this, index, x: at[0], y: at[1], z: at[2], place: null, edges: [] };
        corners.set(index, corner);
      }
      return corner;
    };
    this.edges = [];
    for (const index of outline) {
      const [from, to] = [cornerOf(edgeCorners[index * 2]), cornerOf(edgeCorners[index * 2 + 1])];
      const edge = { surface: this, index, from, to };
      if (!finite(edge.from) || !finite(edge.to)) continue;
      edge.from.edges.push(edge);
      edge.to.edges.push(edge);
      this.edges.push(edge);
    }
    this.corners = [...corners.values()].filter(finite);
  }
}

interface Corner extends OutlineCorner<Corner> {
  readonly surface: Entry;
  /** In the source. */
  readonly index: number;
  /** Of the outline, at this corner. */
  readonly edges: Edge[];
}

interface Edge {
  readonly surface: Entry;
  /** In the source. */
  readonly index: number;
  readonly from: Corner;
  readonly to: Corner;
}

type Place = OutlinePlace<Corner>;

const finite = ({ x, y, z }: Corner) => Number.isFinite(x + y + z);

/** Less than 0 if `a` goes before `b` as an owner. */
const rank = (a: Entry, b: Entry): number =>
  a.level - b.level || Number(a.takes) - Number(b.takes) || a.surface.id - b.surface.id;

/** What is worked out once a frame for all who share it: places in the world, metres. */
interface Shared {
  corners: Map<Place, Float64Array | null>;
  /** By the owner's edge, in its direction. */
  edges: Map<Edge, Float64Array>;
}

export class Boundaries {
  private readonly entries = new Map<number, Entry>();
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
    const marked = new Set<Entry>();
    let seen = 0;
    for (const surface of surfaces) {
      seen++;
      let entry = this.entries.get(surface.id);
      if (!entry) {
        entry = new Entry(surface);
        this.entries.set(surface.id, entry);
        coming.push(...entry.corners);
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

  private replan(marked: Set<Entry>): BoundarySurface[] {
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

  private plan(entry: Entry, shared: Shared): BoundaryPlan {
    const cornerPlaces = new Map<number, Float32Array>();
    for (const { index, place } of entry.corners) {
      const world = this.sharedCorner(place!, shared);
      if (world) cornerPlaces.set(index, toLocal(entry, world));
    }
    const edges: SharedEdge[] = [];
    for (const edge of entry.edges) {
      if (!cornerPlaces.has(edge.from.index) || !cornerPlaces.has(edge.to.index)) continue;
      const sharers = sharersOf(edge);
      if (sharers.every(({ surface }) => surface === entry)) continue;
      const owner = best(sharers);
      const places = toLocal(entry, this.sharedEdge(owner, sharers, shared));
      if (owner.from.place !== edge.from.place) reverse(places);
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

  /** Where all who share an edge put its points, metres of world, in the direction of the owner's edge. */
  private sharedEdge(owner: Edge, sharers: readonly Edge[], shared: Shared): Float64Array {
    const known = shared.edges.get(owner);
    if (known) return known;
    const { surface } = owner;
    const between = toWorld(surface, surface.displacedEdge(owner));
    agree(sharers, between);
    const world = new Float64Array(between.length + 6);
    world.set(this.sharedCorner(owner.from.place!, shared)!, 0);
    world.set(between, 3);
    world.set(this.sharedCorner(owner.to.place!, shared)!, between.length + 3);
    shared.edges.set(owner, world);
    return world;
  }
}

function markSharers(entry: Entry, marked: Set<Entry>): void {
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

function toWorld({ transform }: Entry, places: Float32Array): Float64Array {
  const world = new Float64Array(places.length);
  for (let at = 0; at < world.length; at += 3)
    transform.toWorld(places[at], places[at + 1], places[at + 2], world, at);
  return world;
}

function toLocal({ transform }: Entry, world: Float64Array): Float32Array {
  const places = new Float32Array(world.length);
  for (let at = 0; at < world.length; at += 3)
    transform.toLocal(world[at], world[at + 1], world[at + 2], places, at);
  return places;
}

/** Turns points, three numbers each, around: the last becomes the first. */
function reverse(places: Float32Array): void {
  const before = places.slice();
  for (let at = 0; at < places.length; at += 3)
    places.set(before.subarray(at, at + 3), places.length - 3 - at);
}
