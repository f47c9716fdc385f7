// The promise of the project, held to account on anybody's ground: at many places, what a query answers, what is drawn, what
// bodies rest on and what rays meet, each against the others. Behind terrainHeightfield.check and `moonscape check`.
import { checkInteger } from '../errors.js';
import { GroundProbe } from '../physics/groundProbe.js';
import { castGroundRay } from './groundRay.js';
import { checkPlaces, PLACE_KINDS, randomOf, type CheckPlace, type PlaceKind } from './checkPlaces.js';
import { DrawnGround, type DrawnHit } from './drawnGround.js';
import type { GroundState, Heightfield, Rect } from './heightfield.js';
import { TEXEL_WORDS } from './texels.js';
import type { Point, TerrainMesh } from './terrainMesh.js';

export interface CheckOptions {
  /** What draws it, as it stands now; null: what is drawn is left out. */
  mesh?: TerrainMesh | null;
  /** Places of each kind, 1..1,000,000; default 2000. */
  samples?: number;
  /** A whole number from 0 to 2^32 - 1; default 0. */
  seed?: number;
  /**
   * Takes the mesh's cut from so many more places, low over the ground, 0..1000, and in the end from where it was: what is drawn
   * is only held to the surface near the viewpoint, where it is fine enough. Default 0.
   */
  views?: number;
}

export const PAIRS = [
  'queried/drawn',
  'queried/collided',
  'queried/ray',
  'drawn/collided',
  'placed/drawn',
] as const;
export type PairName = (typeof PAIRS)[number];

/** Where and by how much two of them differ. */
export interface CheckFinding {
  x: number;
  z: number;
  kind: PlaceKind;
  /** Metres: the heights of the pair's first and second; null where it has no ground. "placed" is where the rules of level of detail have a vertex. */
  a: number | null;
  b: number | null;
  /** Metres: how far apart they are (Infinity where only one has ground), and how far they may be. */
  off: number;
  bound: number;
}

export interface CheckPair {
  pair: PairName;
  /** Places where both have a height, and places where both have no ground. */
  compared: number;
  empty: number;
  /** Places where heights differ by more than the bound, and places where one has ground and the other has none. */
  over: number;
  missing: number;
  /** The worst of all places, by its part of the bound; null where nothing was compared. */
  worst: CheckFinding | null;
  ok: boolean;
}

export interface CheckResult {
  ok: boolean;
  samples: number;
  seed: number;
  /** Places asked at, by kind. */
  places: Record<PlaceKind, number>;
  pairs: CheckPair[];
  /** Places drawn with less than full detail (coarser than half a texel, morphing, stitched), and the furthest off of them. */
  detail: { places: number; worst: CheckFinding | null };
  /** The worst of all pairs. */
  worst: (CheckFinding & { pair: PairName }) | null;
}

/** Heights may differ by this many units in the last place of f32 at the largest coordinate, times 1 + the slope around. */
const ULPS = 4;
/** Between two levels a vertex is placed to this part of the way, as the kernel's and the CPU's float32 may differ in a few last places. */
const MORPH_SLACK = 2 ** -18;
const WHERE = 'terrainHeightfield.check';

/** Checks open ground. Nothing is left behind; the same ground, mesh and options give the same result. */
export async function checkGround(hf: Heightfield, options: CheckOptions = {}): Promise<CheckResult> {
  hf.assertOpen(WHERE);
  const { mesh = null } = options;
  mesh?.assertAlive(WHERE);
  const samples = checkInteger(WHERE, 'samples', options.samples ?? 2000, { min: 1, max: 1e6 });
  const seed = checkInteger(WHERE, 'seed', options.seed ?? 0, { min: 0, max: 2 ** 32 - 1 });
  const views = checkInteger(WHERE, 'views', options.views ?? 0, { min: 0, max: 1000 });
  const collider = await GroundProbe.of(hf);
  const viewpoint = mesh && { ...mesh.viewpoint };
  const random = randomOf(seed ^ 0x9e3779b9);
  const check = new Check(hf, collider, random);
  try {
    for (let view = 0; view <= (mesh ? views : 0); view++) {
      if (mesh && view > 0) mesh.updateCut(lowOver(hf, random), WHERE);
      const drawn = mesh && (await DrawnGround.read(mesh, ulp32(check.extent)));
      hf.assertOpen(WHERE);
      const places = checkPlaces(hf, samples, (seed + view) >>> 0, mesh && finelyDrawn(hf, mesh));
      check.at(places, drawn);
      if (drawn) check.vertices(drawn, samples);
    }
    return check.result({ samples, seed });
  } finally {
    collider.free();
    if (mesh && views > 0 && !mesh.destroyed && !hf.closed) mesh.updateCut(viewpoint!, WHERE);
  }
}

/** A place for a camera: a texel over the ground. */
function lowOver(hf: Heightfield, random: () => number): Point {
  const x = hf.minX + random() * hf.size.width;
  const z = hf.minZ + random() * hf.size.depth;
  return { x, y: hf.heightAt(x, z) + Math.min(hf.texelX, hf.texelZ), z };
}

/** The unit in the last place of an f32 of about `extent`. */
const ulp32 = (extent: number) => 2 ** (Math.floor(Math.log2(Math.max(extent, 2 ** -60))) - 23);

/** The rect around the viewpoint in which the finest nodes stand and do not morph yet; null where it is empty. */
function finelyDrawn(hf: Heightfield, { cut, viewpoint }: TerrainMesh): Rect | null {
  const band = 0.7 * cut.lodFactor * (cut.root.size / 2 ** Math.max(cut.maxLevel - 1, 0));
  const x = Math.min(Math.max(viewpoint.x, hf.minX), hf.maxX);
  const z = Math.min(Math.max(viewpoint.z, hf.minZ), hf.maxZ);
  const away = Math.hypot(viewpoint.x - x, viewpoint.y - hf.heightAt(x, z), viewpoint.z - z);
  if (cut.maxLevel > 0 && !(away < band)) return null;
  const reach = cut.maxLevel === 0 ? Infinity : Math.sqrt(band ** 2 - away ** 2);
  return {
    minX: Math.max(hf.minX, x - reach),
    maxX: Math.min(hf.maxX, x + reach),
    minZ: Math.max(hf.minZ, z - reach),
    maxZ: Math.min(hf.maxZ, z + reach),
  };
}

/** The tallies of one check. */
class Check {
  /** Metres: the largest coordinate of the rect. */
  readonly extent: number;
  private readonly pairs: Record<PairName, CheckPair>;
  private readonly counts: Record<PlaceKind, number>;
  private readonly detail: CheckResult['detail'] = { places: 0, worst: null };
  private drawn: DrawnGround | null = null;

  constructor(
    private readonly hf: Heightfield,
    private readonly collider: GroundProbe,
    private readonly random: () => number,
  ) {
    this.extent = Math.max(...[hf.minX, hf.maxX, hf.minZ, hf.maxZ].map(Math.abs));
    const empty = (pair: PairName): CheckPair => ({
      ...{ pair, compared: 0, empty: 0, over: 0, missing: 0 },
      ...{ worst: null, ok: true },
    });
    this.pairs = Object.fromEntries(PAIRS.map((pair) => [pair, empty(pair)])) as Record<PairName, CheckPair>;
    this.counts = Object.fromEntries(PLACE_KINDS.map((kind) => [kind, 0])) as Record<PlaceKind, number>;
  }

  /** Asks everybody at `places`; `drawn` is null where nothing is drawn. */
  at(places: readonly CheckPlace[], drawn: DrawnGround | null): void {
    this.drawn = drawn;
    for (const place of places) this.counts[place.kind]++;
    this.collider.forEach(places, (place) => this.ask(place));
  }

  /**
   * Holds at most `count` vertices of the pool, of every level, to where the rules place them, so that level of detail excuses
   * nothing else, and those that stand on stops of their own to the query.
   */
  vertices(drawn: DrawnGround, count: number): void {
    const { low, high } = this.hf.heightRange;
    for (const { x, y, z, placed, standing } of drawn.vertices(count, this.random())) {
      this.counts.vertex++;
      const place: CheckPlace = { x, z, kind: 'vertex' };
      const bound = this.boundAt(x, z, y);
      if (standing) this.compare('queried/drawn', place, this.hf.heightAt(x, z), y, bound);
      // How far a vertex has morphed is known to some units of its part.
      const morphed = standing ? 0 : MORPH_SLACK * (high - low);
      const aside = Math.max(Math.abs(x - placed.x), Math.abs(z - placed.z));
      this.compare('placed/drawn', place, placed.y, y, bound + morphed, aside);
    }
  }

  result(asked: { samples: number; seed: number }): CheckResult {
    const pairs = PAIRS.map((pair) => this.pairs[pair]);
    let worst: CheckResult['worst'] = null;
    for (const pair of pairs) {
      pair.ok = pair.over === 0 && pair.missing === 0;
      if (pair.worst && (!worst || part(pair.worst) > part(worst)))
        worst = { ...pair.worst, pair: pair.pair };
    }
    const ok = pairs.every((pair) => pair.ok);
    return { ok, ...asked, places: this.counts, pairs, detail: this.detail, worst };
  }

  private ask(place: CheckPlace): void {
    const { hf } = this;
    const { x, z } = place;
    // On the line between ground and none, either answer is right; only heights are compared there.
    const border = this.onBorder(x, z);
    const state = hf.groundState(x, z);
    const queried = state === 'ground' || border ? hf.heightAt(x, z) : null;
    const bound = this.boundAt(x, z, queried ?? hf.heightAt(x, z));
    const judge = (pair: PairName, at: CheckPlace, a: number | null, b: number | null, limit = bound) => {
      if (!(border && (a === null || b === null))) this.compare(pair, at, a, b, limit);
    };

    const met = this.collider.heightAt(x, hf.heightAt(x, z), z, 4 * bound);
    // The ray came down in f32, a little aside: it is held to the query at its own place.
    const own = met ? this.groundAt(met.x, met.z) : queried;
    judge('queried/collided', place, own, met?.y ?? null);
    this.castAside(place, state, border, bound);

    const seen = this.drawn ? this.seenAt(place, queried, border, bound) : undefined;
    if (seen === undefined) return;
    judge('queried/drawn', place, queried, seen);
    if (!met || (own === null) === (queried === null))
      judge('drawn/collided', place, seen, met && met.y + (queried ?? 0) - (own ?? 0));
  }

  /** The query's height where there is ground, or where rounding may have it that there is; else null. */
  private groundAt(x: number, z: number): number | null {
    const { hf } = this;
    return hf.groundState(x, z) === 'ground' || this.onBorder(x, z) ? hf.heightAt(x, z) : null;
  }

  /**
   * What is drawn at a place: the height furthest from the query's among triangles that have to be the surface, null for none,
   * or undefined where level of detail (or a keep) excuses it.
   */
  private seenAt(
    { x, z, kind }: CheckPlace,
    queried: number | null,
    border: boolean,
    bound: number,
  ): number | null | undefined {
    const { hf, drawn } = this;
    const hits = drawn!.hitsAt(x, z);
    const shown = hits.filter(({ cut }) => !cut);
    const exact = hits.filter((hit) => hit.exact);
    const off = ({ y }: DrawnHit) => Math.abs(y - (queried ?? y));
    const furthest = (list: DrawnHit[]) => list.reduce((a, b) => (off(b) > off(a) ? b : a));
    if (exact.length > 0) {
      const visible = exact.filter(({ cut }) => !cut);
      return visible.length > 0 ? furthest(visible).y : null;
    }
    if (hits.length > 0) {
      this.detail.places++;
      if (shown.length > 0 && queried !== null && !border) {
        const { y } = furthest(shown);
        const finding = { x, z, kind, a: queried, b: y, off: Math.abs(y - queried), bound };
        if (!this.detail.worst || finding.off > this.detail.worst.off) this.detail.worst = finding;
      }
      return undefined;
    }
    // Nothing at all over the place: a crack, unless no node is drawn there, or past the rect.
    if (queried === null) return null;
    return drawn!.covers(x, z, Math.max(hf.texelX, hf.texelZ)) ? null : undefined;
  }

  /** A slanting ray at the place: it meets ground where it is aimed or before, and stands on the query's surface there. */
  private castAside(place: CheckPlace, state: GroundState, border: boolean, bound: number): void {
    const { hf } = this;
    const { x, z } = place;
    const height = hf.heightAt(x, z);
    const turn = 2 * Math.PI * this.random();
    const lean = this.random();
    // One that falls more steeply than the ground is over it until it meets it; another may begin in a hillside, and graze a crest.
    const sure = lean * steepestAround(hf, x, z) < 0.9;
    const length = Math.hypot(lean, 1);
    const direction = {
      x: (lean * Math.cos(turn)) / length,
      y: -1 / length,
      z: (lean * Math.sin(turn)) / length,
    };
    const reach = Math.min(hf.texelX, hf.texelZ);
    const origin = {
      x: x - direction.x * reach,
      y: height - direction.y * reach,
      z: z - direction.z * reach,
    };
    const hit = castGroundRay(hf, origin, direction, reach + bound * 4);
    if (!hit) {
      if (state === 'ground' && !border && sure) this.compare('queried/ray', place, height, null, bound);
      return;
    }
    const { point } = hit;
    const at = { ...place, x: point.x, z: point.z };
    const queried = this.groundAt(point.x, point.z);
    this.compare('queried/ray', at, queried, point.y, this.boundAt(point.x, point.z, point.y));
  }

  private compare(
    name: PairName,
    { x, z, kind }: CheckPlace,
    a: number | null,
    b: number | null,
    bound: number,
    aside = 0,
  ): void {
    const pair = this.pairs[name];
    if (a === null && b === null) return void pair.empty++;
    if (a !== null && b !== null) pair.compared++;
    const off = a === null || b === null ? Infinity : Math.max(Math.abs(a - b), aside);
    if (off === Infinity) pair.missing++;
    else if (!(off <= bound)) pair.over++;
    const finding = { x, z, kind, a, b, off, bound };
    if (!pair.worst || part(finding) > part(pair.worst)) pair.worst = finding;
  }

  /**
   * Whether the numbers next to a place, in f32 and in doubles, disagree on whether there is ground. Where f32 cannot tell a texel's
   * sides apart every place by a hole or the rim is such a one.
   */
  private onBorder(x: number, z: number): boolean {
    const { hf } = this;
    const step = 2 * ulp32(this.extent);
    const fine = Math.min(hf.texelX, hf.texelZ);
    if (step > fine / 4) return hf.mask !== null || !this.isInside(x, z, Math.max(step, fine) * 2);
    for (const aside of [step, step / 16, fine * 1e-6]) {
      const state = hf.groundState(x + aside, z + aside);
      if (
        hf.groundState(x - aside, z + aside) !== state ||
        hf.groundState(x + aside, z - aside) !== state ||
        hf.groundState(x - aside, z - aside) !== state
      )
        return true;
    }
    return false;
  }

  private isInside(x: number, z: number, margin: number): boolean {
    const { minX, maxX, minZ, maxZ } = this.hf;
    return x > minX + margin && x < maxX - margin && z > minZ + margin && z < maxZ - margin;
  }

  private boundAt(x: number, z: number, y: number): number {
    return ULPS * ulp32(Math.max(this.extent, Math.abs(y))) * (1 + steepestAround(this.hf, x, z));
  }
}

/** How much of its bound a finding uses up; more than 1 is a disagreement. */
const part = ({ off, bound }: CheckFinding) => off / bound;

/** The steepest of the cells at and next to a place: metres a metre. A vertex that is off by a unit moves the creases of any of them. */
function steepestAround(hf: Heightfield, x: number, z: number): number {
  const { cpu, width, height, texelX, texelZ } = hf;
  const at = (i: number, j: number) =>
    cpu[(clamp(j, height - 1) * width + clamp(i, width - 1)) * TEXEL_WORDS];
  const i = Math.floor((x - hf.minX) / texelX - 0.5);
  const j = Math.floor((z - hf.minZ) / texelZ - 0.5);
  let steepest = 0;
  for (let b = j - 1; b <= j + 2; b++) {
    for (let a = i - 1; a <= i + 2; a++) {
      const here = at(a, b);
      const alongX = Math.max(Math.abs(at(a + 1, b) - here), Math.abs(here - at(a - 1, b))) / texelX;
      const alongZ = Math.max(Math.abs(at(a, b + 1) - here), Math.abs(here - at(a, b - 1))) / texelZ;
      steepest = Math.max(steepest, Math.hypot(alongX, alongZ));
    }
  }
  return steepest;
}

const clamp = (index: number, last: number) => Math.min(Math.max(index, 0), last);
