// terrainMesh: a heightfield on screen as one indexed draw. Owns a pool of vertices (maxNodes slots of nodeVerts²), the
// index run over the slots in use, and the quadtree cut that says which nodes stand in them. updateCut re-meshes only
// what the camera, a mask, an edit or a new generation changed. Kernels: terrain_mesh, terrain_index.
// Long because it is one class whose parts all turn on the same cut; slots, kernels and node lists are files of their own.
import { checkNumber, MoonscapeError } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import type { GpuBuffer } from '../gpu/gpuBuffer.js';
import type { DrawnNodes, GroundShading, MeshStore } from '../renderer/meshStore.js';
import { VERTEX_BYTES } from '../renderer/vertex.js';
import { BuiltSlots, type BuiltNode } from './builtSlots.js';
import { Cut, type CutOptions } from './cut.js';
import { makeCutTables, STOP_WORDS, type CutTables } from './cutTables.js';
import { FieldTexels } from './fieldTexels.js';
import { groundShadingOf } from './groundShading.js';
import type { Heightfield, HeightRange, Rect, TexelArea } from './heightfield.js';
import { checkRect } from './surfaceRange.js';
import { putNode, TerrainKernels, type Epilogue } from './terrainKernels.js';
import { checkNodes, nodeOf, type NodeList, type TerrainNode } from './terrainNodes.js';

/** What a terrain mesh is made on. */
export interface TerrainEngine {
  gpu: Gpu;
  /** Where the mesh goes, and what counts dispatches. */
  renderer: { meshes: MeshStore; countDispatch(count: number): void };
  /** Every terrain mesh that stands: it enters at create and leaves at destroy. */
  terrains?: Set<TerrainMesh>;
}

export interface TerrainMeshOptions extends Omit<CutOptions, 'hf' | 'rect'> {
  /** Where the first cut is taken from: world metres. */
  camera: Point;
  /** Cut and draw this part of the world only. Default: the heightfield's rect. */
  rect?: { size: readonly [number, number]; origin?: readonly [number, number] };
  /** Which epilogue writes the vertices. Default: staged on a GPU, direct on a software adapter. The bits are the same. */
  epilogue?: Epilogue;
}

export interface Point {
  x: number;
  y: number;
  z: number;
}

/** What an update did. */
export interface CutUpdate {
  /** The node list, a mask or the index run differs from the last update's. */
  changed: boolean;
  /** Nodes drawn. */
  nodes: number;
  /** Nodes whose vertices were built again. */
  remeshed: number;
  /** The factor that this cut was taken with: the asked one, or less where the pool ran out. */
  lodFactor: number;
}

/** Distances are compared in float32 by the kernel and in doubles here; this much between them decides nothing. */
const DISTANCE_SLACK = 1.0001;
/** The morph begins here, as a part of the distance at which a node's parent would split. Mirrors terrain_vertex. */
const BAND_START = 0.7;

/** A heightfield drawn through a pool of nodes. Whoever creates it destroys it; the heightfield is not its own. */
export class TerrainMesh {
  /** The mesh's guid: what a Model binds. It stays the same while the cut changes. */
  readonly mesh: string;
  readonly maxNodes: number;
  readonly nodeVerts: number;
  destroyed = false;

  private readonly camera: Point = { x: NaN, y: NaN, z: NaN };
  /** Levels up at which a node's own box still holds the places of its vertices. */
  private readonly ownLevels: number;
  private seenLodFactor = NaN;
  private readonly built: BuiltSlots;
  /** Number of the view: counts the cameras and factors that cuts were taken with. */
  private view = 0;
  // What each place in the index run was last written as: level << 16 | slot, and the node's ix, iz.
  private readonly runKey: Int32Array;
  private readonly runIx: Uint32Array;
  private readonly runIz: Uint32Array;
  private runCount = 0;
  /** The node in hand, one object for all. */
  private readonly node: BuiltNode = { level: 0, ix: 0, iz: 0, coarseMask: 0, base: 0, still: false };
  private lastRemeshed = 0;
  /** What is drawn: the cut, or the list of the last build. */
  private shown: NodeList;
  private shownRange: Readonly<HeightRange>;
  private readonly forgetClose: () => void;
  private readonly forgetEdits: () => void;
  private readonly forgetRestore: () => void;

  private constructor(
    private readonly engine: TerrainEngine,
    readonly hf: Heightfield,
    readonly cut: Cut,
    readonly tables: CutTables,
    /** How this mesh's vertices are written. */
    readonly epilogue: Epilogue,
    private readonly kernels: TerrainKernels,
    /** The generation that the cut and the kernels were made from; NaN if the ground has been edited since. */
    private seenGen: number,
  ) {
    const { maxNodes, nodeVerts } = cut;
    this.maxNodes = maxNodes;
    this.nodeVerts = nodeVerts;
    this.shown = cut;
    this.shownRange = hf.heightRange;
    this.ownLevels = Math.log2(nodeVerts - 1);
    this.built = new BuiltSlots(cut);
    this.runKey = new Int32Array(maxNodes).fill(-1);
    this.runIx = new Uint32Array(maxNodes);
    this.runIz = new Uint32Array(maxNodes);
    this.mesh = engine.renderer.meshes.createBounded({
      vertexBuffer: kernels.pool,
      indexBuffer: kernels.run,
      indexCount: 0,
      bounds: this.bounds(),
      ground: this.groundShading(),
    });
    // Closed under a standing mesh, the texels are gone: it goes on being drawn, shaded by its vertices.
    this.forgetClose = hf.onClose(() => engine.renderer.meshes.update(this.mesh, { ground: null }));
    this.forgetRestore = engine.gpu.onRestore(() => this.buildAnew());
    this.forgetEdits = hf.onEdit({
      ready: (where) => {
        if (cut.selecting)
          throw new MoonscapeError(`${where}: keep must not edit the ground whose cut is asking it`);
      },
      edited: ({ area }, where) => this.followEdit(area, where),
    });
  }

  /** On another device pool and run are empty: what is drawn is built again. */
  private buildAnew(): void {
    this.built.forget();
    this.runKey.fill(-1);
    if (!this.hf.closed) this.apply(this.shown, true);
  }

  /** Makes the pool, takes the first cut and builds it. Waits for the kernels to compile. Errors leave nothing made. `where` names the caller in them. */
  static async create(
    engine: TerrainEngine,
    hf: Heightfield,
    options: TerrainMeshOptions,
    where = 'terrainMesh.create',
  ): Promise<TerrainMesh> {
    hf.assertOpen(where);
    const camera = checkPoint(where, 'camera', options.camera);
    const { maxNodes, nodeVerts, minNodeSize, rootSize, lodFactor, keep } = options;
    const rect = options.rect ? rectOf(where, options.rect) : undefined;
    const { gen, edits } = hf;
    const cut = new Cut({ hf, rect, maxNodes, nodeVerts, minNodeSize, rootSize, lodFactor, keep }, where);
    const { gpu } = engine;
    gpu.checkStorageSize(
      `${where}: the pool of maxNodes ${cut.maxNodes} × nodeVerts ${cut.nodeVerts}² vertices`,
      cut.maxNodes * cut.nodeVerts ** 2 * VERTEX_BYTES,
    );
    const tables = makeCutTables(hf, cut);
    gpu.checkStorageSize(
      `${where}: the table of ${tables.stopOf.length} finest vertex indices`,
      tables.stopOf.byteLength,
    );
    const epilogue = options.epilogue ?? (gpu.software ? 'direct' : 'staged');
    const kernels = await TerrainKernels.create(gpu, cut, epilogue, FieldTexels.of(hf, where), tables);
    let state: TerrainMesh | null = null;
    try {
      hf.assertOpen(where);
      // Edited while the kernels compiled, the ground has outgrown the cut's bounds.
      state = new TerrainMesh(engine, hf, cut, tables, epilogue, kernels, hf.edits === edits ? gen : NaN);
      state.updateCut(camera, where);
      engine.terrains?.add(state);
      return state;
    } catch (error) {
      if (state) state.destroy();
      else kernels.destroy();
      throw error;
    }
  }

  /** The pool: maxNodes slots of nodeVerts² vertices. It belongs to this mesh. */
  get vertexBuffer(): GpuBuffer {
    return this.kernels.pool;
  }

  /** The index run, u32, (nodeVerts − 1)² × 6 a node. It belongs to this mesh. */
  get indexBuffer(): GpuBuffer {
    return this.kernels.run;
  }

  /** The cut as it was last taken, one record a node. */
  nodes(): TerrainNode[] {
    return Array.from({ length: this.cut.count }, (_, entry) => nodeOf(this.cut, entry));
  }

  /** What is drawn: the nodes of the cut, or those of the last build, in the order of the index run. */
  shownNodes(): TerrainNode[] {
    return Array.from({ length: this.shown.count }, (_, entry) => nodeOf(this.cut, entry, this.shown));
  }

  /** Where the last cut was taken from, world metres. */
  get viewpoint(): Readonly<Point> {
    return this.camera;
  }

  /** Takes the cut from `camera` (world metres) and builds what it needs. `where` names the caller in errors. */
  updateCut(camera: Point, where = 'terrainMesh.updateCut'): CutUpdate {
    this.assertAlive(where);
    checkPoint(where, 'camera', camera);
    const { cut, hf } = this;
    const fresh = this.seenGen !== hf.gen;
    if (fresh) cut.reset();
    const { changed } = cut.select(camera, where);
    this.assertAlive(where); // again: `keep` may have closed the heightfield or destroyed this mesh
    const moved =
      camera.x !== this.camera.x ||
      camera.y !== this.camera.y ||
      camera.z !== this.camera.z ||
      cut.lodFactor !== this.seenLodFactor;
    this.camera.x = camera.x;
    this.camera.y = camera.y;
    this.camera.z = camera.z;
    this.seenLodFactor = cut.lodFactor;
    if (moved) this.view++;
    if (fresh) {
      this.seenGen = hf.gen;
      this.followField(where);
    }
    this.shown = cut;
    const { remeshed, rewritten } = this.apply(cut, false);
    return { changed: changed || rewritten, nodes: cut.count, remeshed, lodFactor: cut.lodFactor };
  }

  /**
   * Builds exactly `nodes`, in that order, for the last cut's camera. Refuses a node that does not stand on the cut's
   * grid, naming both, and a slot used twice.
   */
  build(nodes: readonly TerrainNode[]): void {
    const where = 'terrainMesh.build';
    this.assertAlive(where);
    if (this.cut.selecting)
      throw new MoonscapeError(`${where}: keep must not build the mesh whose cut is asking it`);
    const list = checkNodes(where, this.cut, nodes);
    // The next update sees the new generation too: its cut has bounds to take again.
    if (this.seenGen !== this.hf.gen) this.followField(where);
    this.shown = list;
    this.apply(list, true);
  }

  /**
   * Marks the nodes whose square, grown by one texel, meets the closed rect (world metres): they are built again at the
   * next update, or when they come back to the cut. Answers how many of those drawn it marked.
   */
  invalidate(rect: Rect): number {
    const where = 'terrainMesh.invalidate';
    this.assertAlive(where);
    checkRect(where, rect);
    this.built.mark(rect, false);
    let marked = 0;
    for (let entry = 0; entry < this.shown.count; entry++) {
      if (this.built.meets(this.shown.slot[entry], rect, false)) marked++;
    }
    return marked;
  }

  /** Says that `keep` would now answer otherwise: it is asked again at the next update. */
  keepChanged(where = 'terrainMesh.keepChanged'): void {
    this.assertAlive(where);
    this.cut.keepChanged();
  }

  /** What it draws, and how many nodes the last update built. */
  stats(): { nodes: number; remeshed: number; vertices: number } {
    return {
      nodes: this.runCount,
      remeshed: this.lastRemeshed,
      vertices: this.runCount * this.nodeVerts ** 2,
    };
  }

  /** Bytes of GPU memory that this mesh holds: the pool, the run and the tables. The heightfield's are its own. */
  get bytes(): number {
    return this.kernels.bytes;
  }

  /** Frees the mesh and its buffers; nothing happens the second time. The heightfield stays open. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.engine.terrains?.delete(this);
    this.forgetClose();
    this.forgetEdits();
    this.forgetRestore();
    if (this.engine.renderer.meshes.has(this.mesh)) this.engine.renderer.meshes.destroy(this.mesh);
    this.kernels.destroy();
  }

  /** Throws where this mesh is destroyed or its heightfield closed; `where` is `<module>.<function>` of the caller. */
  assertAlive(where: string): void {
    if (this.destroyed) throw new MoonscapeError(`${where}: this terrain mesh is destroyed`);
    this.hf.assertOpen(where);
  }

  /** After a refresh: the kernels, the box and the shading take the heightfield's buffers and range as they now are. */
  private followField(where: string): void {
    this.runKey.fill(-1);
    this.kernels.bindField(FieldTexels.of(this.hf, where));
    this.showField();
  }

  /** The box and the shading take the heightfield's range as it now is. */
  private showField(): void {
    this.shownRange = this.hf.heightRange;
    this.engine.renderer.meshes.update(this.mesh, { bounds: this.bounds(), ground: this.groundShading() });
  }

  /** After an edit of `area`: takes what is drawn again from the last camera and builds the nodes that read a changed texel. */
  private followEdit(area: TexelArea, where: string): void {
    const { cut, hf } = this;
    const unseen = this.seenGen !== hf.gen; // a refresh that no update has followed yet: all is to be built
    if (!unseen) {
      this.markEdited(area);
      cut.edited(area);
    }
    if (this.shownRange !== hf.heightRange) this.showField();
    if (this.shown === cut) return void this.updateCut(this.camera, where);
    if (unseen) this.followField(where);
    this.apply(this.shown, false);
  }

  /**
   * Marks each slot that was built from a texel which an edit changed: the area, and the ones next to it for their
   * gradients. Its node's square, or that of the ancestor that holds the coarsest place it read, grown by one texel, meets
   * the surface between the centres next to the area. Slots that are not drawn count: their nodes may come back.
   */
  private markEdited({ col, row, cols, rows }: TexelArea): void {
    const { minX, minZ, texelX, texelZ, width, height } = this.hf;
    // Whatever lies past the field reads its outermost texels.
    const west = col <= 1 ? -Infinity : minX + (col - 0.5) * texelX;
    const north = row <= 1 ? -Infinity : minZ + (row - 0.5) * texelZ;
    const east = col + cols >= width - 1 ? Infinity : minX + (col + cols + 0.5) * texelX;
    const south = row + rows >= height - 1 ? Infinity : minZ + (row + rows + 0.5) * texelZ;
    this.built.mark({ minX: west, minZ: north, maxX: east, maxZ: south }, true);
  }

  /** Dispatches what the nodes listed need. `all`: every node is built, whatever its slot holds. */
  private apply(list: NodeList, all: boolean): { remeshed: number; rewritten: boolean } {
    const { built, hf, view, node } = this;
    let remeshed = 0;
    for (let entry = 0; entry < list.count; entry++) {
      const slot = list.slot[entry];
      node.level = list.level[entry];
      node.ix = list.ix[entry];
      node.iz = list.iz[entry];
      node.coarseMask = list.coarseMask[entry];
      const still = this.stillLevel(node.level, node.ix, node.iz);
      node.still = still === node.level;
      // A stitched vertex ends one level early, so the loop must begin there or above.
      node.base = node.coarseMask === 0 ? still : Math.min(still, node.level - 1);
      if (!all && built.holds(slot, node, hf.gen, view)) continue;
      built.put(slot, node, hf.gen, view);
      const packed = node.level | (node.coarseMask << 8) | (node.base << 16);
      putNode(this.kernels.meshNodes, remeshed++, node.ix, node.iz, packed, slot);
    }
    this.lastRemeshed = remeshed;
    let rewrites = 0;
    for (let entry = 0; entry < list.count; entry++) {
      const key = (list.level[entry] << 16) | list.slot[entry];
      if (
        this.runKey[entry] === key &&
        this.runIx[entry] === list.ix[entry] &&
        this.runIz[entry] === list.iz[entry]
      )
        continue;
      this.runKey[entry] = key;
      this.runIx[entry] = list.ix[entry];
      this.runIz[entry] = list.iz[entry];
      const placed = list.slot[entry] | (entry << 16);
      putNode(this.kernels.indexNodes, rewrites++, list.ix[entry], list.iz[entry], list.level[entry], placed);
    }
    const rewritten = rewrites > 0 || list.count !== this.runCount;
    if (remeshed > 0 || rewrites > 0) {
      this.writeParams();
      this.kernels.dispatch(remeshed, rewrites);
      this.engine.renderer.countDispatch((remeshed > 0 ? 1 : 0) + (rewrites > 0 ? 1 : 0));
    }
    if (list.count !== this.runCount) {
      this.runCount = list.count;
      const indexCount = list.count * (this.nodeVerts - 1) ** 2 * 6;
      this.engine.renderer.meshes.update(this.mesh, { indexCount });
    }
    return { remeshed, rewritten };
  }

  /** The finest level, at most `level`, at which no vertex of a node has begun to morph. */
  private stillLevel(level: number, ix: number, iz: number): number {
    const { cut } = this;
    const band = BAND_START * cut.lodFactor * cut.root.size * 2;
    let still = level;
    // A place j levels up stands in the node's own box while 2^j divides its quads, and beyond that in an ancestor's.
    for (; still > 0; still--) {
      const up = Math.max(0, level - still - this.ownLevels);
      if (cut.farDistanceOf(level, ix, iz, up) * DISTANCE_SLACK < band / 2 ** still) break;
    }
    return still;
  }

  private writeParams(): void {
    const { hf, cut, camera, tables } = this;
    const { rect } = cut;
    this.kernels.params.write({
      camera: [camera.x - cut.cornerX, camera.y, camera.z - cut.cornerZ],
      lodFactor: cut.lodFactor,
      extent: [rect.maxX - rect.minX, rect.maxZ - rect.minZ],
      fieldOffset: [cut.cornerX - hf.minX, cut.cornerZ - hf.minZ],
      fieldSize: [hf.size.width, hf.size.depth],
      rootSize: cut.root.size,
      rootSpacing: cut.root.size / (cut.nodeVerts - 1),
      texels: [hf.width, hf.height],
      cellOffset: tables.cells.offset,
      cellFirst: tables.cells.first,
      cellLast: tables.cells.last,
      stopCount: tables.stopCountX,
      stopRows: tables.stops.length / STOP_WORDS - tables.stopCountX,
      indexCount: tables.indexCountX,
      nodeVerts: cut.nodeVerts,
      maxLevel: cut.maxLevel,
      masked: hf.mask ? 1 : 0,
    });
  }

  private bounds() {
    const { hf, cut } = this;
    const { low, high } = hf.heightRange;
    return {
      min: { x: Math.max(hf.minX, cut.rect.minX), y: low, z: Math.max(hf.minZ, cut.rect.minZ) },
      max: { x: Math.min(hf.maxX, cut.rect.maxX), y: high, z: Math.min(hf.maxZ, cut.rect.maxZ) },
    };
  }

  private groundShading(): GroundShading {
    return { ...groundShadingOf(this.hf, 'terrainMesh'), drawn: () => this.drawnNodes() };
  }

  private drawnNodes(): DrawnNodes {
    const { cut, shown, maxNodes, nodeVerts, camera } = this;
    const { cornerX, cornerZ, maxLevel, lodFactor, root, rect } = cut;
    return {
      ...{ nodes: shown, slots: maxNodes, nodeVerts, maxLevel, rootSize: root.size },
      ...{ cornerX, cornerZ, width: rect.maxX - rect.minX, depth: rect.maxZ - rect.minZ },
      ...{ lodFactor, camera },
    };
  }
}

function checkPoint(where: string, name: string, point: Point): Point {
  for (const axis of ['x', 'y', 'z'] as const) checkNumber(where, `${name}.${axis}`, point?.[axis]);
  return point;
}

function rectOf(where: string, rect: NonNullable<TerrainMeshOptions['rect']>): Rect {
  const width = checkNumber(where, 'rect.size[1]', rect.size?.[0], { above: 0 });
  const depth = checkNumber(where, 'rect.size[2]', rect.size?.[1], { above: 0 });
  const x = checkNumber(where, 'rect.origin[1]', rect.origin?.[0] ?? 0);
  const z = checkNumber(where, 'rect.origin[2]', rect.origin?.[1] ?? 0);
  return { minX: x - width / 2, minZ: z - depth / 2, maxX: x + width / 2, maxZ: z + depth / 2 };
}
