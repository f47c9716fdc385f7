// An error-driven mesh on screen: one vertex buffer of all stops of a heightfield, written once, and one index buffer that each update fills with
// the triangles of its cut (errorCut.ts, errorRun.ts). Drawn in one draw with the ground's own material; what is outside the view stands behind
// what is in it and casts shadows alone. After the German article "Terrain" (DESIGN: the error-driven mesh).
import { checkFields, MoonscapeError, refuse } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import { GpuBuffer } from '../gpu/gpuBuffer.js';
import type { MeshStore } from '../renderer/meshStore.js';
import { VERTEX_BYTES, VERTEX_WORDS } from '../renderer/vertex.js';
import type { View } from '../renderer/view.js';
import type { TexelArea } from '../terrain/gradient.js';
import { groundShadingOf } from '../terrain/groundShading.js';
import type { Heightfield } from '../terrain/heightfield.js';
import { ErrorCut } from './errorCut.js';
import { ErrorRun } from './errorRun.js';
import { ErrorTree } from './errorTree.js';
import { ErrorView, type ErrorCamera } from './errorView.js';
import { StopLattice } from './stopLattice.js';
import { Threshold, THRESHOLD_FIELDS, type ThresholdOptions } from './threshold.js';
import { checkMeshSize, putVertex } from './vertices.js';

export type { ErrorCamera } from './errorView.js';

/** What an error-driven mesh is made on. */
export interface ErrorMeshEngine {
  gpu: Gpu;
  renderer: { meshes: MeshStore };
  /** What the on-screen camera sees, and how many pixels high. */
  screen(): { view: View; height: number };
  /** Milliseconds on a clock that only goes forward. */
  now(): number;
  /** What goes with the engine: the mesh enters at create and leaves at destroy. */
  guests?: Set<{ destroy(): void }>;
}

export interface ErrorMeshOptions extends ThresholdOptions {
  /** Ground outside the view casts shadows too, with a threshold four times as high. Default true. */
  shadows?: boolean;
  /** False: ground outside the view is drawn as that in it is, for cameras that look at it from elsewhere. Default true. */
  cull?: boolean;
}

/** What an update did. */
export interface ErrorMeshUpdate {
  /** In the view. */
  triangles: number;
  /** Beside them, for shadows alone. */
  casting: number;
  /** Nodes drawn, left out for being outside the view, and split. */
  drawn: number;
  culled: number;
  split: number;
  /** Percent of the frame's height: the largest error of a node that is drawn. */
  maxErrorPercent: number;
  /** Percent: what it is under. */
  threshold: number;
  /** Squares of the field whose triangles were built again, of those that have some. */
  rebuilt: number;
  units: number;
  /** Milliseconds that the update took here. */
  ms: number;
}

/** What becomes of ground outside the view. */
interface Outside {
  cull: boolean;
  hidden: number;
}

/** The hidden ground's threshold, as a multiple. */
const HIDDEN = 4;
/** Vertices that are made at a time. */
const BATCH = 1 << 14;
const LEAST_INDICES = 3 * 4096;

export class ErrorMesh {
  /** The mesh's guid: what a Model binds. It stays the same while the triangles change. */
  readonly mesh: string;
  /** (W + 2) × (H + 2) vertices, row-major from −Z. It belongs to this mesh. */
  readonly vertexBuffer: GpuBuffer;
  destroyed = false;
  /** Counts updates. */
  updates = 0;
  /** Called once, when it is destroyed. */
  readonly whenDestroyed = new Set<() => void>();

  private readonly tree: ErrorTree;
  private readonly cut: ErrorCut;
  private readonly run: ErrorRun;
  private readonly view = new ErrorView();
  private readonly threshold: Threshold;
  private readonly outside: Outside;
  private indices: GpuBuffer;
  private indicesInView = 0;
  /** Texels edited since the tree was last taken. */
  private edited: TexelArea | null = null;
  /** Holes or heights were read anew since. */
  private refreshed = false;
  private shownRange: Heightfield['heightRange'];
  private lastUpdate = NaN;
  private readonly forget: (() => void)[] = [];

  /** Makes the vertices and the table of errors. Nothing is drawn before the first update. Refused input leaves nothing made; whoever creates it destroys it. */
  static create(
    engine: ErrorMeshEngine,
    hf: Heightfield,
    options: ErrorMeshOptions = {},
    where = 'terrainErrorMesh.create',
  ): ErrorMesh {
    hf.assertOpen(where);
    checkFields(where, options, [...THRESHOLD_FIELDS, 'shadows', 'cull']);
    const { shadows = true, cull = true, ...rest } = options;
    for (const [name, value] of Object.entries({ shadows, cull }))
      if (typeof value !== 'boolean') refuse(where, name, 'true or false', value);
    const threshold = new Threshold(where, rest);
    checkMeshSize(where, hf);
    const stops = (hf.width + 2) * (hf.height + 2);
    engine.gpu.checkStorageSize(
      `${where}: the vertices of ${hf.width} × ${hf.height} texels, ${VERTEX_BYTES} bytes each,`,
      stops * VERTEX_BYTES,
    );
    groundShadingOf(hf, where);
    const buffers: GpuBuffer[] = [];
    const make = (size: number, label: string) => {
      const buffer = GpuBuffer.create(engine.gpu, { size, label });
      buffers.push(buffer);
      return buffer;
    };
    try {
      const vertices = make(stops * VERTEX_BYTES, 'error mesh vertices');
      const indices = make(LEAST_INDICES * 4, 'error mesh indices');
      const outside = { cull, hidden: shadows ? HIDDEN : 0 };
      return new ErrorMesh(engine, hf, { vertices, indices, threshold, outside });
    } catch (error) {
      for (const buffer of buffers) buffer.destroy();
      throw error;
    }
  }

  private constructor(
    private readonly engine: ErrorMeshEngine,
    readonly hf: Heightfield,
    parts: { vertices: GpuBuffer; indices: GpuBuffer; threshold: Threshold; outside: Outside },
  ) {
    this.tree = new ErrorTree(new StopLattice(hf));
    this.cut = new ErrorCut(this.tree);
    this.run = new ErrorRun(this.cut);
    this.threshold = parts.threshold;
    this.outside = parts.outside;
    this.vertexBuffer = parts.vertices;
    this.indices = parts.indices;
    this.shownRange = hf.heightRange;
    const { lattice } = this.tree;
    this.writeVertices(0, lattice.cols - 1, 0, lattice.rows - 1);
    this.mesh = engine.renderer.meshes.createBounded({
      vertexBuffer: this.vertexBuffer,
      indexBuffer: this.indices,
      indexCount: 0,
      bounds: this.bounds(),
      ground: groundShadingOf(hf, 'terrainErrorMesh.create'),
    });
    engine.guests?.add(this);
    this.forget.push(
      // Closed under a standing mesh, the texels are gone: it goes on being drawn, shaded by its vertices.
      hf.onClose(() => engine.renderer.meshes.update(this.mesh, { ground: null })),
      hf.onRefresh(() => this.followRefresh()),
      hf.onEdit({
        ready: (where) => this.vertexBuffer.checkAlive(where),
        edited: ({ area }) => this.followEdit(area),
      }),
    );
  }

  /** u32, three a triangle; the first `indexCount` are drawn. It belongs to this mesh, and is another one once there are more than it holds. */
  get indexBuffer(): GpuBuffer {
    return this.indices;
  }

  /** Indices in the view. */
  get indexCount(): number {
    return this.indicesInView;
  }

  /** GPU bytes that this mesh holds. The heightfield's are its own. */
  get bytes(): number {
    return this.destroyed ? 0 : this.vertexBuffer.byteLength + this.indices.byteLength;
  }

  /**
   * Chooses and draws the triangles for a camera, the on-screen one if it is left out.
   * @param camera with `frameMs` it says how long the last frame took; else that is the time since the last update
   */
  update(
    camera: (ErrorCamera & { frameMs?: number }) | null = null,
    where = 'terrainErrorMesh.update',
  ): ErrorMeshUpdate {
    this.assertAlive(where);
    const { cut, run, view, threshold, engine } = this;
    const begin = engine.now();
    const screen = engine.screen();
    if (camera) view.setCamera(where, camera, screen.height);
    else view.setView(screen.view, screen.height);
    if (threshold.steered) {
      const frameMs = camera?.frameMs ?? begin - this.lastUpdate;
      if (frameMs > 0) threshold.steer(frameMs);
    }
    this.lastUpdate = begin;
    this.updates++;
    this.follow();
    const percent = threshold.percent(view.height);
    cut.select(view, percent, this.outside);
    if (cut.changed) {
      run.build();
      this.upload();
    }
    return {
      triangles: run.seen.count / 3,
      casting: run.hidden.count / 3,
      drawn: cut.drawn,
      culled: cut.culled,
      split: cut.split,
      maxErrorPercent: cut.maxErrorPercent,
      threshold: percent,
      rebuilt: cut.changed ? run.rebuilt : 0,
      units: run.units,
      ms: engine.now() - begin,
    };
  }

  /** Frees the mesh and its buffers; nothing happens the second time. The heightfield stays open. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.engine.guests?.delete(this);
    for (const takeOff of this.forget) takeOff();
    const { meshes } = this.engine.renderer;
    if (meshes.has(this.mesh)) meshes.destroy(this.mesh);
    this.vertexBuffer.destroy();
    this.indices.destroy();
    for (const listener of this.whenDestroyed) listener();
    this.whenDestroyed.clear();
  }

  /** Throws where this mesh is destroyed or its heightfield closed; `where` is `<module>.<function>` of the caller. */
  assertAlive(where: string): void {
    if (this.destroyed) throw new MoonscapeError(`${where}: this error mesh is destroyed`);
    this.hf.assertOpen(where);
  }

  /** Brings the table of errors to what the heightfield now is. */
  private follow(): void {
    if (this.refreshed) {
      this.tree.rebuild();
      this.cut.reset();
    } else if (this.edited) this.tree.update(this.edited);
    this.refreshed = false;
    this.edited = null;
  }

  /** The surface is edited at once; what is drawn of it is chosen again at the next update. */
  private followEdit(area: TexelArea): void {
    const { lattice } = this.tree;
    const { fromX, toX, fromZ, toZ } = lattice.read(area);
    // Gradients change one texel farther.
    this.writeVertices(
      Math.max(0, fromX - 1),
      Math.min(lattice.cols - 1, toX + 1),
      Math.max(0, fromZ - 1),
      Math.min(lattice.rows - 1, toZ + 1),
    );
    this.edited = this.edited ? united(this.edited, area) : area;
    this.showRange();
  }

  /** Texels and holes are other ones: the triangles are chosen again from where they last were. */
  private followRefresh(): void {
    const { lattice } = this.tree;
    lattice.read({ col: 0, row: 0, cols: this.hf.width, rows: this.hf.height });
    this.writeVertices(0, lattice.cols - 1, 0, lattice.rows - 1);
    this.refreshed = true;
    this.showRange();
    if (this.updates === 0) return;
    this.follow();
    this.cut.select(this.view, this.threshold.percent(this.view.height), this.outside);
    this.run.build();
    this.upload();
  }

  private showRange(): void {
    const { hf } = this;
    if (this.shownRange === hf.heightRange) return;
    this.shownRange = hf.heightRange;
    this.engine.renderer.meshes.update(this.mesh, {
      bounds: this.bounds(),
      ground: groundShadingOf(hf, 'terrainErrorMesh.update'),
    });
  }

  /** Sends the run: what is in the view, then what only casts shadows. */
  private upload(): void {
    const { seen, hidden } = this.run;
    const { meshes } = this.engine.renderer;
    const total = seen.count + hidden.count;
    const grown = total > this.indices.words ? this.indices : null;
    if (grown) {
      const words = Math.ceil((1.5 * total) / 3) * 3;
      const most = 6 * this.tree.nodes.cellsX * this.tree.nodes.cellsZ + 3 * LEAST_INDICES;
      this.indices = GpuBuffer.create(this.engine.gpu, {
        size: 4 * Math.max(total, Math.min(words, most)),
        label: 'error mesh indices',
      });
    }
    const { queue } = this.engine.gpu.device;
    queue.writeBuffer(this.indices.buffer, 0, seen.indices, 0, seen.count);
    queue.writeBuffer(this.indices.buffer, 4 * seen.count, hidden.indices, 0, hidden.count);
    this.indices.written();
    this.indicesInView = seen.count;
    meshes.update(this.mesh, {
      ...(grown ? { indexBuffer: this.indices } : {}),
      indexCount: seen.count,
      castCount: total,
    });
    grown?.destroy();
  }

  /** Makes and sends the vertices of a range of stops, both ends included. */
  private writeVertices(fromX: number, toX: number, fromZ: number, toZ: number): void {
    const { lattice } = this.tree;
    const { cols } = lattice;
    const along = toX - fromX + 1;
    // Whole rows side by side go together, and none of it is ever held at once.
    const rows = along === cols ? Math.max(1, Math.floor(BATCH / cols)) : 1;
    const words = new Float32Array(rows * along * VERTEX_WORDS);
    for (let j = fromZ; j <= toZ; j += rows) {
      const count = Math.min(rows, toZ + 1 - j);
      for (let r = 0, at = 0; r < count; r++)
        for (let i = fromX; i <= toX; i++, at += VERTEX_WORDS)
          putVertex(lattice, (j + r) * cols + i, words, at);
      const data = words.subarray(0, count * along * VERTEX_WORDS);
      this.vertexBuffer.write({ first: (j * cols + fromX) * VERTEX_WORDS, data });
    }
  }

  private bounds() {
    const { minX, maxX, minZ, maxZ, heightRange } = this.hf;
    return { min: { x: minX, y: heightRange.low, z: minZ }, max: { x: maxX, y: heightRange.high, z: maxZ } };
  }
}

/** The smallest area that holds both. */
function united(a: TexelArea, b: TexelArea): TexelArea {
  const col = Math.min(a.col, b.col);
  const row = Math.min(a.row, b.row);
  return {
    col,
    row,
    cols: Math.max(a.col + a.cols, b.col + b.cols) - col,
    rows: Math.max(a.row + a.rows, b.row + b.rows) - row,
  };
}
