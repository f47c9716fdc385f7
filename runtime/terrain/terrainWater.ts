// terrainWater: the water of a heightfield on screen as one transparent draw. A second pool over the water's own surface,
// cut over the rect that its coverage reaches, keeps the nodes where water stands above the ground. It follows setWater,
// refresh and edits of the ground, and goes with its heightfield.
import { checkFields, MoonscapeError } from '../errors.js';
import { checkLook, LOOK_FIELDS, type WaterLook, type WaterLookFields } from '../renderer/waterLook.js';
import type { DrawnWater, WaterPass } from '../renderer/waterPass.js';
import { FieldTexels } from './fieldTexels.js';
import { FieldWater } from './fieldWater.js';
import type { Heightfield, TexelArea } from './heightfield.js';
import type { KeepNode } from './keepAnswers.js';
import { TerrainMesh, type CutUpdate, type Point, type TerrainEngine } from './terrainMesh.js';
import type { TerrainNode } from './terrainNodes.js';
import { WetBlocks } from './wetBlocks.js';

/** What water is drawn with. */
export interface WaterEngine extends TerrainEngine {
  renderer: TerrainEngine['renderer'] & { water: WaterPass };
}

export interface TerrainWaterOptions extends WaterLookFields {
  /** Where the first cut is taken from: world metres. */
  camera: Point;
  /** Slots in the pool, 4..4096; default 256. */
  maxNodes?: number;
  /** Vertices along a node's side; default 17. */
  nodeVerts?: number;
  /** As terrainMesh's. */
  minNodeSize?: number;
  lodFactor?: number;
}

const CREATE = 'terrainWater.create';
const CUT_OPTIONS = ['maxNodes', 'nodeVerts', 'minNodeSize', 'lodFactor'] as const;
const MAX_NODES = 256;
const NODE_VERTS = 17;

const standing = new WeakMap<Heightfield, TerrainWater>();

/** A heightfield's water as it is drawn; while there is none it stands and draws nothing. Whoever creates it destroys it. */
export class TerrainWater {
  destroyed = false;
  private mesh: TerrainMesh | null = null;
  private blocks: WetBlocks | null = null;
  private drawn: DrawnWater | null = null;
  private takeOff: (() => void) | null = null;
  private camera: Point;
  /** Counts the waters it has been made for: what an older one still has in hand is dropped. */
  private making = 0;
  private readonly forget: (() => void)[];

  private constructor(
    private readonly engine: WaterEngine,
    readonly hf: Heightfield,
    private readonly options: Omit<TerrainWaterOptions, keyof WaterLookFields>,
    private currentLook: WaterLook,
  ) {
    this.camera = { ...options.camera };
    this.forget = [
      FieldWater.of(hf, CREATE).onChange(() => this.make(CREATE)),
      hf.onEdit({ edited: ({ area }, where) => this.followEdit(area, where) }),
      hf.onClose(() => this.destroy()),
    ];
  }

  /**
   * Draws the water of `hf` from the next frame on. Waits for its pipelines. A heightfield's water is drawn once: a second
   * one is refused. Errors leave nothing made.
   */
  static async create(
    engine: WaterEngine,
    hf: Heightfield,
    options: TerrainWaterOptions,
  ): Promise<TerrainWater> {
    hf.assertOpen(CREATE);
    checkFields(CREATE, options, ['camera', ...CUT_OPTIONS, ...LOOK_FIELDS]);
    if (standing.has(hf))
      throw new MoonscapeError(
        `${CREATE}: the water of this heightfield is drawn already (${hf.describe()}); change its look with terrainWater.setLook`,
      );
    const { color, clarity, waves, foam, ...cut } = options;
    const look = checkLook(CREATE, defined({ color, clarity, waves, foam }));
    const state = new TerrainWater(engine, hf, cut, look);
    standing.set(hf, state);
    try {
      await state.make(CREATE);
      state.assertAlive(CREATE);
      return state;
    } catch (error) {
      state.destroy();
      throw error;
    }
  }

  /** What draws the water of `hf`, or undefined. */
  static of(hf: Heightfield): TerrainWater | undefined {
    return standing.get(hf);
  }

  get look(): WaterLook {
    return this.currentLook;
  }

  /** Changes what is given of the look, from the next frame on. */
  setLook(fields: WaterLookFields): void {
    const where = 'terrainWater.setLook';
    this.assertAlive(where);
    this.currentLook = checkLook(where, fields, this.currentLook);
    if (this.drawn) this.drawn.look = this.currentLook;
  }

  /** Takes the cut from `camera` (world metres) and builds what it needs. `where` names the caller in errors. */
  updateCut(camera: Point, where = 'terrainWater.updateCut'): CutUpdate {
    this.assertAlive(where);
    const { mesh } = this;
    const update = mesh
      ? mesh.updateCut(camera, where)
      : { changed: false, nodes: 0, remeshed: 0, lodFactor: 0 };
    this.camera = { x: camera.x, y: camera.y, z: camera.z };
    return update;
  }

  /** The nodes drawn. */
  nodes(): TerrainNode[] {
    return this.mesh?.nodes() ?? [];
  }

  /** The mesh over the water's surface, or null where there is none. It belongs to this water. */
  get surfaceMesh(): TerrainMesh | null {
    return this.mesh;
  }

  /** Bytes of GPU memory that this holds: the pool and its tables. The water's texels are the heightfield's. */
  get bytes(): number {
    return this.mesh?.bytes ?? 0;
  }

  /** Frees what draws it; nothing happens the second time. The heightfield keeps its water. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.making++;
    standing.delete(this.hf);
    for (const forget of this.forget) forget();
    this.drop();
  }

  /** Throws where this is destroyed; `where` is `<module>.<function>` of the caller. */
  assertAlive(where: string): void {
    if (!this.destroyed) return;
    this.hf.assertOpen(where);
    throw new MoonscapeError(`${where}: this terrain water is destroyed`);
  }

  private drop(): void {
    this.takeOff?.();
    this.mesh?.destroy();
    this.takeOff = this.mesh = this.blocks = this.drawn = null;
  }

  /** Draws the water as it now is, and nothing meanwhile. */
  private async make(where: string): Promise<void> {
    const mine = ++this.making;
    this.drop();
    const { engine, hf, options } = this;
    const { surface, reach } = FieldWater.of(hf, where);
    if (!surface || !reach) return;
    const blocks = new WetBlocks(hf, surface);
    const { gpu, renderer } = engine;
    const { minX, minZ, maxX, maxZ } = reach;
    // A vertex stands on the stop nearest to its place: a node's triangles reach half a texel past its square.
    const [growX, growZ] = [surface.texelX / 2, surface.texelZ / 2];
    let mesh: TerrainMesh;
    try {
      await renderer.water.ready();
      if (mine !== this.making) return;
      mesh = await TerrainMesh.create(
        { gpu, renderer },
        surface,
        {
          maxNodes: MAX_NODES,
          nodeVerts: NODE_VERTS,
          ...defined(options),
          camera: this.camera,
          rect: { size: [maxX - minX, maxZ - minZ], origin: [(minX + maxX) / 2, (minZ + maxZ) / 2] },
          keep: ({ x, z, size }: KeepNode) =>
            blocks.mayBeWet(x - growX, z - growZ, x + size + growX, z + size + growZ),
        },
        where,
      );
    } catch (error) {
      // Water that went meanwhile is no longer wanted, and neither is what went wrong with it.
      if (mine !== this.making) return;
      throw error;
    }
    if (mine !== this.making) return mesh.destroy();
    this.mesh = mesh;
    this.blocks = blocks;
    // The camera, and the ground, may have moved while the kernels compiled.
    blocks.edited({ col: 0, row: 0, cols: hf.width, rows: hf.height });
    mesh.keepChanged(where);
    mesh.updateCut(this.camera, where);
    this.drawn = {
      mesh: mesh.mesh,
      look: this.currentLook,
      rect: { minX: hf.minX, minZ: hf.minZ, width: hf.size.width, depth: hf.size.depth },
      ground: { ...texelsOf(hf), ...hf.heightRange },
      surface: texelsOf(surface),
      hills: () => hf.look,
      surfaceAt: (x, z) => surface.heightAt(x, z),
    };
    this.takeOff = renderer.water.add(this.drawn);
  }

  /** An edit of the ground may show water or hide it: what was kept of its nodes is asked again. */
  private followEdit(area: TexelArea, where: string): void {
    const { mesh, blocks, drawn, hf } = this;
    if (!mesh || !blocks) return;
    blocks.edited(area);
    Object.assign(drawn!.ground, hf.heightRange);
    mesh.keepChanged(where);
    mesh.updateCut(this.camera, where);
  }
}

const texelsOf = (hf: Heightfield) => ({
  texels: FieldTexels.of(hf, CREATE).texels.buffer,
  width: hf.width,
  height: hf.height,
});

function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
