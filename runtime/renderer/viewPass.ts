// Views of a picture beside the shaded one: what triangles, nodes and stitches a frame is drawn as, and which way its surfaces
// face. Everything is drawn as the forward, scatter and water passes draw it, in as many draws, but without index buffers: its
// corners are pulled (shaders/include/view.wgsl), so that a triangle knows its edges. Pipelines are compiled for a view
// when it is first asked for; blocks stand while a view is shown.
import groundSource from '../../shaders/view_ground.wgsl';
import modelSource from '../../shaders/view_model.wgsl';
import scatterSource from '../../shaders/view_scatter.wgsl';
import showSource from '../../shaders/view_show.wgsl';
import waterSource from '../../shaders/view_water.wgsl';
import { MoonscapeError } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import { MAX_LEVEL } from '../tessellation/bakeJob.js';
import type { Frame, FrameBinding } from './frame.js';
import type { Mesh, MeshStore } from './meshStore.js';
import { DEEP_FORMAT, DEPTH_FORMAT, PICTURE_FORMAT, SAMPLES, SCENE_FORMAT, type PassStats } from './pass.js';
import type { ScatterPass } from './scatterPass.js';
import type { Solid, Solids } from './solids.js';
import type { Targets } from './targets.js';
import { ViewBinding, viewLayouts, type ViewKind } from './viewBinding.js';
import { sees } from './view.js';
import type { WaterPass } from './waterPass.js';

/** The views by name; their order is VIEW of shaders/include/view.wgsl. */
export const VIEWS = [
  'shaded',
  'wireframe',
  'lod',
  'stitching',
  'normals',
  'slope',
  'height',
  'overdraw',
] as const;
export type ViewName = (typeof VIEWS)[number];

const SOURCES = {
  ground: groundSource,
  model: modelSource,
  scatter: scatterSource,
  water: waterSource,
} as const;

/** Whether a view shows water; it would hide the ground that the others are about. */
const showsWater = (view: ViewName) => view === 'wireframe' || view === 'overdraw';

/** Whether two draws differ by their matrices alone. */
const alike = (a: Solid, b: Solid) => a.mesh === b.mesh && a.mirrored === b.mirrored;

const kindOf = ({ mesh }: Solid): ViewKind => (mesh.ground ? 'ground' : 'model');

export class ViewPass {
  private layouts: ReturnType<typeof viewLayouts> | null = null;
  private showLayout: GPUBindGroupLayout | null = null;
  private readonly pipelines = new Map<string, GPURenderPipeline>();
  private readonly bindings = new Map<string, ViewBinding>();
  private bound: { targets: Targets; group: GPUBindGroup } | null = null;

  constructor(
    private readonly gpu: Gpu,
    private readonly frame: FrameBinding,
    private readonly meshes: MeshStore,
    private readonly solids: Solids,
    private readonly scatter: ScatterPass,
    private readonly water: WaterPass,
  ) {}

  /** Compiles what a view is drawn with, parts of it that nothing needs left out. Cheap where nothing is new. */
  async ready(view: ViewName, format: GPUTextureFormat = PICTURE_FORMAT): Promise<void> {
    if (view === 'shaded') return;
    const parts = this.partsOf(view).map((part) => this.compile(view, part));
    await Promise.all([...parts, this.compileShow(view, format)]);
  }

  /** Refuses to begin a frame of a view that is not compiled. */
  assertReady(view: ViewName): void {
    const parts = [...this.partsOf(view), showPart(PICTURE_FORMAT)];
    if (parts.some((part) => !this.pipelines.has(`${view} ${part}`)))
      throw new MoonscapeError(`renderer.render: await renderer.ready(world) first, for its view "${view}"`);
  }

  /** Draws a frame into the picture. What it draws was gathered and placed, and its scatters are listed. */
  encode(encoder: GPUCommandEncoder, view: ViewName, frame: Frame, targets: Targets): PassStats {
    const show = this.pipelineOf(view, showPart(targets.picture.format));
    const stats = { draws: 0, triangles: 0 };
    const used = new Set<string>();
    const pass = this.begin(encoder, targets);
    pass.setBindGroup(0, this.frame.group);
    this.drawSolids(pass, view, frame, { stats, used });
    this.drawScatters(pass, view, frame, { stats, used });
    if (showsWater(view)) this.drawWaters(pass, view, frame, { stats, used });
    pass.end();
    for (const [key, binding] of this.bindings) {
      if (used.has(key)) continue;
      binding.destroy();
      this.bindings.delete(key);
    }
    this.show(encoder, show, targets);
    return { draws: stats.draws + 1, triangles: stats.triangles + 1 };
  }

  /** Frees what stands for meshes; pipelines stay. */
  release(): void {
    for (const binding of this.bindings.values()) binding.destroy();
    this.bindings.clear();
    this.bound = null;
  }

  private drawSolids(pass: GPURenderPassEncoder, view: ViewName, frame: Frame, drawn: Drawn): void {
    const { list, seen, group } = this.solids;
    if (seen === 0) return;
    pass.setBindGroup(2, group!);
    for (let first = 0, next = 0; first < seen; first = next) {
      const { mesh, mirrored, entity } = list[first];
      while (next < seen && alike(list[first], list[next])) next++;
      const kind = kindOf(list[first]);
      const level = entity.components.get('Tessellation')?.number('activeLevel');
      const binding = this.bindingOf(kind, mesh, drawn);
      binding.write(mesh, frame.view, level === undefined ? -1 : level / MAX_LEVEL);
      pass.setPipeline(this.pipelineOf(view, kind === 'model' && mirrored ? 'mirrored' : kind));
      pass.setBindGroup(1, binding.group);
      pass.draw(mesh.indexCount, next - first, mesh.firstIndex, first);
      count(drawn, mesh, next - first);
    }
  }

  private drawScatters(pass: GPURenderPassEncoder, view: ViewName, frame: Frame, drawn: Drawn): void {
    if (!this.scatter.needed()) return;
    for (const { scatter, mesh, binding: listed } of this.scatter.listed) {
      const binding = this.bindingOf('scatter', mesh, drawn);
      binding.write(mesh, frame.view);
      pass.setPipeline(this.pipelineOf(view, 'scatter'));
      pass.setBindGroup(1, binding.group);
      pass.setBindGroup(2, listed.draw);
      // The first four words for an indexed draw are, for one without indices, as many vertices from the same first on.
      pass.drawIndirect(listed.lists.indirect, 0);
      count(drawn, mesh, scatter.count);
    }
  }

  private drawWaters(pass: GPURenderPassEncoder, view: ViewName, frame: Frame, drawn: Drawn): void {
    for (const guid of this.water.standing) {
      const mesh = this.meshes.get(guid);
      if (mesh.indexCount === 0 || !sees(frame.view, mesh.bounds)) continue;
      const binding = this.bindingOf('water', mesh, drawn);
      binding.write(mesh, frame.view);
      pass.setPipeline(this.pipelineOf(view, 'water'));
      pass.setBindGroup(1, binding.group);
      pass.draw(mesh.indexCount, 1, mesh.firstIndex);
      count(drawn, mesh, 1);
    }
  }

  private begin(encoder: GPUCommandEncoder, targets: Targets): GPURenderPassEncoder {
    return encoder.beginRenderPass({
      label: 'view',
      timestampWrites: this.gpu.timer?.writes('view'),
      ...targets.attachments,
    });
  }

  private show(encoder: GPUCommandEncoder, pipeline: GPURenderPipeline, targets: Targets): void {
    if (this.bound?.targets !== targets) {
      const group = this.gpu.device.createBindGroup({
        label: 'view show',
        layout: this.showLayout!,
        entries: [{ binding: 0, resource: targets.resolved.createView() }],
      });
      this.bound = { targets, group };
    }
    const pass = encoder.beginRenderPass({
      label: 'view show',
      colorAttachments: [{ view: targets.picture.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, this.bound.group);
    pass.draw(3);
    pass.end();
  }

  private bindingOf(kind: ViewKind, mesh: Mesh, { used }: Drawn): ViewBinding {
    const key = `${kind} ${mesh.guid}`;
    used.add(key);
    const old = this.bindings.get(key);
    if (old?.fits(mesh)) return old;
    old?.destroy();
    const fresh = new ViewBinding(this.gpu, this.layouts!, kind, mesh);
    this.bindings.set(key, fresh);
    return fresh;
  }

  private pipelineOf(view: ViewName, part: string): GPURenderPipeline {
    return this.pipelines.get(`${view} ${part}`)!;
  }

  /** What a view needs pipelines for, as the world now is. */
  private partsOf(view: ViewName): Part[] {
    const parts: Part[] = ['ground', 'model', 'mirrored'];
    if (this.scatter.needed()) parts.push('scatter');
    if (showsWater(view) && this.water.needed()) parts.push('water');
    return parts;
  }

  private async compile(view: ViewName, part: Part): Promise<void> {
    const key = `${view} ${part}`;
    if (this.pipelines.has(key)) return;
    const { gpu } = this;
    const layouts = (this.layouts ??= viewLayouts(gpu));
    const name = `view_${part === 'mirrored' ? 'model' : part}`;
    const module = gpu.shader(`shaders/${name}.wgsl`, SOURCES[part === 'mirrored' ? 'model' : part]);
    const placed = { scatter: this.scatter.drawLayout, water: null }[part as string];
    const groups = [
      this.frame.layout,
      part === 'ground' ? layouts.ground : layouts.mesh,
      placed === undefined ? this.solids.layout : placed,
    ];
    const counts = view === 'overdraw';
    const one = { srcFactor: 'one', dstFactor: 'one' } as const;
    const over = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' } as const;
    const blend = counts ? one : part === 'water' ? over : null;
    const pipeline = await gpu.renderPipeline(`view ${key}`, {
      layout: gpu.device.createPipelineLayout({
        label: name,
        bindGroupLayouts: groups.filter((group) => group !== null),
      }),
      vertex: { module, entryPoint: `${name}_vertex` },
      fragment: {
        module,
        entryPoint: `${name}_fragment`,
        constants: { VIEW: VIEWS.indexOf(view) },
        targets: [{ format: SCENE_FORMAT, blend: blend ? { color: blend, alpha: blend } : undefined }],
      },
      // As the passes that shade them: bodies' insides never show, ground and water do from both sides.
      primitive: {
        topology: 'triangle-list',
        cullMode: part === 'ground' || part === 'water' ? 'none' : 'back',
        frontFace: part === 'mirrored' ? 'cw' : 'ccw',
      },
      depthStencil: {
        format: DEPTH_FORMAT,
        depthWriteEnabled: !blend,
        depthCompare: counts ? 'always' : 'greater',
      },
      multisample: { count: SAMPLES },
    });
    this.pipelines.set(key, pipeline);
  }

  private async compileShow(view: ViewName, format: GPUTextureFormat): Promise<void> {
    const key = `${view} ${showPart(format)}`;
    if (this.pipelines.has(key)) return;
    const { gpu } = this;
    const module = gpu.shader('shaders/view_show.wgsl', showSource);
    this.showLayout ??= gpu.device.createBindGroupLayout({
      label: 'view show',
      entries: [
        { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'unfilterable-float' } },
      ],
    });
    const counts = view === 'overdraw';
    const pipeline = await gpu.renderPipeline(`view show${counts ? ', counts' : ''}, ${format}`, {
      layout: gpu.device.createPipelineLayout({ label: 'view show', bindGroupLayouts: [this.showLayout] }),
      vertex: { module, entryPoint: 'view_show_vertex' },
      fragment: {
        module,
        entryPoint: format === DEEP_FORMAT ? 'view_show_deep_fragment' : 'view_show_fragment',
        constants: { COUNTS: counts ? 1 : 0 },
        targets: [{ format }],
      },
    });
    this.pipelines.set(key, pipeline);
  }
}

type Part = ViewKind | 'mirrored';

/** What fills a picture of a format. */
const showPart = (format: GPUTextureFormat) => `show ${format}`;

/** What a frame has drawn so far. */
interface Drawn {
  stats: PassStats;
  /** Keys of the bindings that it drew with. */
  used: Set<string>;
}

function count({ stats }: Drawn, { indexCount }: Mesh, instances: number): void {
  stats.draws++;
  stats.triangles += (instances * indexCount) / 3;
}
