// A tessellated surface as it was when its boundary was last worked out (boundaries.ts): its outline placed in the world, which way
// is out of it, and where its own displacement puts what it owns.
import type { Matrix } from '../world/vector.js';
import { NO_PLAN, stepsOf, type BoundaryPlan } from './bakeJob.js';
import { DrawnTransform, type Direction } from './drawnTransform.js';
import type { OutlineCorner } from './outlineHash.js';
import {
  COLLAPSED,
  PATCH_OFFSET,
  PATCH_WORDS,
  SOURCE_OFFSET,
  SOURCE_WORDS,
  type SourceMesh,
} from './sourceMesh.js';

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
  /** The same for the n − 1 points between the ends of an edge group cut into `n`, from its lower corner group on. */
  displacedEdge(edge: number, n: number, out: Float32Array): void;
}

export class TracedSurface {
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
    return this.displacedOnce(corner, 1, (out) => this.surface.displacedCorner(corner.index, out));
  }

  /** The same for the 2^level − 1 points between the ends of one of its edges. */
  displacedEdge(edge: Edge): Float32Array {
    const n = stepsOf(this.level);
    return this.displacedOnce(edge, n - 1, (out) => this.surface.displacedEdge(edge.index, n, out));
  }

  private displacedOnce(
    key: Corner | Edge,
    count: number,
    displace: (out: Float32Array) => void,
  ): Float32Array {
    let places = this.displaced.get(key);
    if (!places) {
      places = new Float32Array(count * 3);
      displace(places);
      this.displaced.set(key, places);
    }
    return places;
  }

  /** Places the outline in the world. What is not at a finite place meets nothing. */
  private trace(): void {
    const { outline, edgeCorners } = this.source;
    const apexes = apexesOf(this.source);
    const corners = new Map<number, Corner>();
    const cornerOf = (index: number): Corner => {
      let corner = corners.get(index);
      if (!corner) {
        const [x, y, z] = this.placeOf(this.source.cornerVertex(index));
        corner = { surface: this, index, x, y, z, place: null, edges: [], outward: NOWHERE };
        corners.set(index, corner);
      }
      return corner;
    };
    this.edges = [];
    outline.forEach((index, k) => {
      const [from, to] = [cornerOf(edgeCorners[index * 2]), cornerOf(edgeCorners[index * 2 + 1])];
      if (!finite(from) || !finite(to)) return;
      const outward = across(from, to, this.placeOf(apexes[k]));
      const edge = { surface: this, index, from, to, outward };
      from.edges.push(edge);
      to.edges.push(edge);
      this.edges.push(edge);
    });
    this.corners = [...corners.values()].filter(finite);
    for (const corner of this.corners)
      corner.outward = unit(
        corner.edges.reduce<Direction>(
          ([x, y, z], { outward: o }) => [x + o[0], y + o[1], z + o[2]],
          NOWHERE,
        ),
      );
  }

  /** Where a vertex of the source is in the world. */
  private placeOf(vertex: number): Float64Array {
    const { vertices } = this.source;
    const word = vertex * SOURCE_WORDS + SOURCE_OFFSET.position;
    const at = new Float64Array(3);
    this.transform.toWorld(vertices[word], vertices[word + 1], vertices[word + 2], at);
    return at;
  }
}

export interface Corner extends OutlineCorner<Corner> {
  readonly surface: TracedSurface;
  /** In the source. */
  readonly index: number;
  /** Of the outline, at this corner. */
  readonly edges: Edge[];
  /** As an edge's; between those of its edges. */
  outward: Direction;
}

export interface Edge {
  readonly surface: TracedSurface;
  /** In the source. */
  readonly index: number;
  readonly from: Corner;
  readonly to: Corner;
  /** Away from the patch that uses it, along the patch and across the edge, in the world before displacement; unit, or zero. */
  readonly outward: Direction;
}

const NOWHERE: Direction = [0, 0, 0];

const finite = ({ x, y, z }: Corner) => Number.isFinite(x + y + z);

function unit([x, y, z]: Direction): Direction {
  const length = Math.hypot(x, y, z);
  return length > 0 && Number.isFinite(length) ? [x / length, y / length, z / length] : NOWHERE;
}

/** The part of the way from `apex` to an edge that is across the edge, at length 1. */
function across(from: Corner, to: Corner, apex: Float64Array): Direction {
  const [dx, dy, dz] = [to.x - from.x, to.y - from.y, to.z - from.z];
  const [x, y, z] = [from.x - apex[0], from.y - apex[1], from.z - apex[2]];
  const share = (x * dx + y * dy + z * dz) / (dx * dx + dy * dy + dz * dz);
  return unit([x - share * dx, y - share * dy, z - share * dz]);
}

const known = new WeakMap<SourceMesh, Uint32Array>();

/** For each edge of a source's outline the vertex across it, of the patch that uses it. */
function apexesOf(source: SourceMesh): Uint32Array {
  let apexes = known.get(source);
  if (apexes) return apexes;
  const { outline, patches, patchCount, edgeCount } = source;
  const places = new Int32Array(edgeCount).fill(-1);
  outline.forEach((edge, k) => (places[edge] = k));
  apexes = new Uint32Array(outline.length);
  for (let at = 0; at < patchCount * PATCH_WORDS; at += PATCH_WORDS) {
    const edges = patches.subarray(at + PATCH_OFFSET.edges, at + PATCH_OFFSET.edges + 3);
    // A patch that has no area through two corners at one place is not the one that uses an edge.
    if (edges.includes(COLLAPSED)) continue;
    edges.forEach((entry, k) => {
      const place = places[entry >>> 1];
      if (place >= 0) apexes![place] = patches[at + PATCH_OFFSET.vertices + ((k + 2) % 3)];
    });
  }
  known.set(source, apexes);
  return apexes;
}
