// The triangles that a terrain mesh draws, read back from the GPU and asked for the height at a place. The self-check's
// third witness: it takes positions and indices as they are in the pool and in the run, and knows of the rules only which
// quads may differ from the surface by their level of detail.
import { VERTEX_WORDS } from '../renderer/vertex.js';
import { spreadOver } from './checkPlaces.js';
import { STOP_WORDS } from './cutTables.js';
import type { TerrainMesh } from './terrainMesh.js';
import type { TerrainNode } from './terrainNodes.js';
import { terrainVertex, type TwinInput } from './terrainVertex.js';

/** A triangle over a place. */
export interface DrawnHit {
  /** Metres: its height there. */
  y: number;
  /** Written into the run as a point, because its ground is cut out: it is not seen. */
  cut: boolean;
  /** Its quad has to be the surface itself; otherwise it may differ by its level of detail. */
  exact: boolean;
}

/** A vertex of the pool. */
export interface DrawnVertex {
  x: number;
  y: number;
  z: number;
  /** Where it should be, by the CPU's twin of the kernel. */
  placed: { x: number; y: number; z: number };
  /** On a stop of its own, neither morphing nor stitched: on the surface. */
  standing: boolean;
}

/** What a quad is: unknown so far, the surface itself, or excused. */
const enum Quad {
  Unknown,
  Exact,
  Excused,
}

/** Four numbers a box: -X, +X, -Z, +Z. */
const BOX = 4;

/** One reading; it does not follow the mesh. */
export class DrawnGround {
  /** Boxes of the nodes, and of the rows of quads of each. */
  private readonly boxes: Float64Array;
  private readonly rowBoxes: Float64Array;
  private readonly quads: Uint8Array;
  private readonly twin: TwinInput;
  private readonly side: number;
  private readonly nodesAt = new Set<string>();

  private constructor(
    private readonly mesh: TerrainMesh,
    private readonly nodes: readonly TerrainNode[],
    private readonly pool: Float32Array,
    private readonly run: Uint32Array,
    /** Metres that a place may lie outside a triangle and still count: what rounding to f32 moves a vertex by. */
    private readonly slack: number,
  ) {
    const { cut, hf, tables } = mesh;
    this.side = mesh.nodeVerts - 1;
    const { x, y, z } = mesh.viewpoint;
    const camera = { x: x - cut.cornerX, y, z: z - cut.cornerZ };
    this.twin = { hf, cut, tables, camera, lodFactor: cut.lodFactor };
    this.boxes = new Float64Array(nodes.length * BOX);
    this.rowBoxes = new Float64Array(nodes.length * this.side * BOX);
    this.quads = new Uint8Array(nodes.length * this.side ** 2);
    nodes.forEach(({ level, ix, iz }, entry) => {
      this.nodesAt.add(`${level},${ix},${iz}`);
      this.measure(entry);
    });
  }

  /** Reads what `mesh` draws now. */
  static async read(mesh: TerrainMesh, slack: number): Promise<DrawnGround> {
    const nodes = mesh.shownNodes();
    const slots = nodes.reduce((most, { slot }) => Math.max(most, slot + 1), 0);
    const [pool, run] = await Promise.all([
      mesh.vertexBuffer.read({ count: slots * mesh.nodeVerts ** 2 * VERTEX_WORDS }),
      mesh.indexBuffer.read({ count: nodes.length * (mesh.nodeVerts - 1) ** 2 * 6, type: 'u32' }),
    ]);
    return new DrawnGround(mesh, nodes, pool, run, slack);
  }

  /** Every triangle over a place, cut ones as they would stand; on a line between triangles there are several. */
  hitsAt(x: number, z: number): DrawnHit[] {
    const hits: DrawnHit[] = [];
    const { side } = this;
    for (let entry = 0; entry < this.nodes.length; entry++) {
      if (!this.holds(this.boxes, entry, x, z)) continue;
      for (let j = 0; j < side; j++) {
        if (!this.holds(this.rowBoxes, entry * side + j, x, z)) continue;
        for (let i = 0; i < side; i++) this.hitQuad(hits, entry, i, j, x, z);
      }
    }
    return hits;
  }

  /** Vertices of nodes of every level, with where the rules of level of detail place each: at most `count`, spread from `at` 0..1 on. */
  *vertices(count: number, at: number): Generator<DrawnVertex> {
    const perNode = this.mesh.nodeVerts ** 2;
    const all = this.nodes.length * perNode;
    if (all === 0) return;
    const spread = spreadOver(all, at);
    for (let k = 0; k < Math.min(all, count); k++) {
      const node = this.nodes[Math.floor(spread(k) / perNode)];
      const vertex = spread(k) % perNode;
      const [i, j] = [vertex % (this.side + 1), Math.floor(vertex / (this.side + 1))];
      const placed = terrainVertex(this.twin, node, i, j);
      const word = (node.slot * perNode + vertex) * VERTEX_WORDS;
      yield {
        ...{ x: this.pool[word], y: this.pool[word + 1], z: this.pool[word + 2] },
        placed,
        standing: !placed.moved && !this.betweenCentres(node, i, j),
      };
    }
  }

  /** Whether nodes are drawn at a place and within `reach` metres around it: then some triangle has to be over it. */
  covers(x: number, z: number, reach: number): boolean {
    return [-reach, 0, reach].every((dx) => [-reach, 0, reach].every((dz) => this.hasNode(x + dx, z + dz)));
  }

  private hasNode(x: number, z: number): boolean {
    const { cut, hf } = this.mesh;
    const localX = Math.min(Math.max(x, hf.minX), hf.maxX) - cut.cornerX;
    const localZ = Math.min(Math.max(z, hf.minZ), hf.maxZ) - cut.cornerZ;
    const { minX, minZ, maxX, maxZ } = cut.rect;
    if (localX < 0 || localZ < 0 || localX > maxX - minX || localZ > maxZ - minZ) return false;
    for (let level = 0; level <= cut.maxLevel; level++) {
      const size = cut.root.size / 2 ** level;
      const at = (local: number, count: number) => Math.min(Math.floor(local / size), count * 2 ** level - 1);
      if (this.nodesAt.has(`${level},${at(localX, cut.root.columns)},${at(localZ, cut.root.rows)}`))
        return true;
    }
    return false;
  }

  private holds(boxes: Float64Array, box: number, x: number, z: number): boolean {
    const at = box * BOX;
    return x >= boxes[at] && x <= boxes[at + 1] && z >= boxes[at + 2] && z <= boxes[at + 3];
  }

  private hitQuad(hits: DrawnHit[], entry: number, i: number, j: number, x: number, z: number): void {
    const corners = this.cornersOf(entry, i, j);
    for (let t = 0; t < 2; t++) {
      const y = this.heightOn(corners.vertices, t * 3, x, z);
      if (y !== null) hits.push({ y, cut: corners.cut, exact: this.isExact(entry, i, j) });
    }
  }

  /** The six corners of a quad's triangles as vertices of the pool, and whether the run has it as a point. */
  private cornersOf(entry: number, i: number, j: number): { vertices: ArrayLike<number>; cut: boolean } {
    const { side, run } = this;
    const at = (entry * side ** 2 + j * side + i) * 6;
    const written = run.subarray(at, at + 6);
    if (written[0] !== written[1] || written[3] !== written[4]) return { vertices: written, cut: false };
    const { nodeVerts } = this.mesh;
    const v00 = this.nodes[entry].slot * nodeVerts ** 2 + j * nodeVerts + i;
    const v01 = v00 + nodeVerts;
    return { vertices: [v00, v01, v00 + 1, v00 + 1, v01, v01 + 1], cut: true };
  }

  /** The height of a triangle of the pool at a place, or null where it does not lie over it or has no area. */
  private heightOn(vertices: ArrayLike<number>, first: number, x: number, z: number): number | null {
    const { pool, slack } = this;
    const a = vertices[first] * VERTEX_WORDS;
    const b = vertices[first + 1] * VERTEX_WORDS;
    const c = vertices[first + 2] * VERTEX_WORDS;
    const [bx, bz] = [pool[b] - pool[a], pool[b + 2] - pool[a + 2]];
    const [cx, cz] = [pool[c] - pool[a], pool[c + 2] - pool[a + 2]];
    const area = bx * cz - bz * cx;
    if (area === 0) return null;
    const [px, pz] = [x - pool[a], z - pool[a + 2]];
    // Barycentric weights; how far below 0 one may be is the slack over the triangle's height above that side.
    const v = (px * cz - pz * cx) / area;
    const w = (bx * pz - bz * px) / area;
    const reach = slack / Math.abs(area);
    if (v < -reach * Math.hypot(cx, cz) || w < -reach * Math.hypot(bx, bz)) return null;
    if (1 - v - w < -reach * Math.hypot(bx - cx, bz - cz)) return null;
    const y = pool[a + 1];
    return y + v * (pool[b + 1] - y) + w * (pool[c + 1] - y);
  }

  /**
   * Whether a quad has to be the surface: its vertices are half a texel apart or nearer, none of them is morphing or on a
   * stitched edge, and none stands where the pool's own rect ends between two texel centres.
   */
  private isExact(entry: number, i: number, j: number): boolean {
    const at = entry * this.side ** 2 + j * this.side + i;
    if (this.quads[at] === Quad.Unknown) this.quads[at] = this.judge(entry, i, j) ? Quad.Exact : Quad.Excused;
    return this.quads[at] === Quad.Exact;
  }

  private judge(entry: number, i: number, j: number): boolean {
    const node = this.nodes[entry];
    const { hf } = this.mesh;
    if (node.size / this.side > Math.min(hf.texelX, hf.texelZ) / 2 + 1e-9 * node.size) return false;
    for (const [column, row] of [
      [i, j],
      [i + 1, j],
      [i, j + 1],
      [i + 1, j + 1],
    ])
      if (this.betweenCentres(node, column, row) || terrainVertex(this.twin, node, column, row).moved)
        return false;
    return true;
  }

  private betweenCentres(node: TerrainNode, i: number, j: number): boolean {
    const { cut, tables } = this.mesh;
    const shift = cut.maxLevel - node.level;
    const x = tables.stopOf[(node.ix * this.side + i) << shift];
    const z = tables.stopCountX + tables.stopOf[tables.indexCountX + ((node.iz * this.side + j) << shift)];
    return tables.stopFloats[x * STOP_WORDS + 3] !== 0 || tables.stopFloats[z * STOP_WORDS + 3] !== 0;
  }

  private measure(entry: number): void {
    const { side, pool, slack } = this;
    const whole = [Infinity, -Infinity, Infinity, -Infinity];
    for (let j = 0; j < side; j++) {
      let [minX, maxX, minZ, maxZ] = [Infinity, -Infinity, Infinity, -Infinity];
      for (let i = 0; i < side; i++) {
        const { vertices } = this.cornersOf(entry, i, j);
        for (let k = 0; k < 6; k++) {
          const at = vertices[k] * VERTEX_WORDS;
          minX = Math.min(minX, pool[at]);
          maxX = Math.max(maxX, pool[at]);
          minZ = Math.min(minZ, pool[at + 2]);
          maxZ = Math.max(maxZ, pool[at + 2]);
        }
      }
      const row = [minX - slack, maxX + slack, minZ - slack, maxZ + slack];
      this.rowBoxes.set(row, (entry * side + j) * BOX);
      for (let k = 0; k < BOX; k++)
        whole[k] = k % 2 === 0 ? Math.min(whole[k], row[k]) : Math.max(whole[k], row[k]);
    }
    this.boxes.set(whole, entry * BOX);
  }
}
