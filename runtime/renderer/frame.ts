// One frame's shared state: the view, the lights and the air, gathered from the world, and group 0's uniform block.
import source from '../../shaders/include/frame.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import type { Entity } from '../world/entity.js';
import { axesOf, diagonal, dot, subtract, vec3, type Bounds, type Vec3 } from '../world/vector.js';
import type { World } from '../world/world.js';
import { HORIZON_WIDTH, TABLE_HEIGHT, TABLE_WIDTH } from '../sky/sky.js';
import type { Cascade } from './cascades.js';
import { daylight, DEFAULT_SKY, DEFAULT_SUN, type Daylight, type SkyFields } from './daylight.js';
import { exposureOf, type Exposure } from './exposure.js';
import { viewOf, type View } from './view.js';

/** As MAX_LIGHTS of shaders/include/frame.wgsl. */
const MAX_LIGHTS = 16;
/**
 * Optical depth of the air across a world whose diagonal is 1 km, and how it grows with the diagonal: a table-top has
 * none to speak of, a valley a breath of it, and 20 km of mountains stand one behind the other, none lost in white.
 */
const FOG_AT_KILOMETRE = 0.16;
const FOG_GROWTH = 0.4;
/** The diagonal that fog is made for in a world with no model, metres. */
const EMPTY_DIAGONAL = 1000;
/** Metres of fog over the camera that stand before the sky, where the fog is as dense at any height. */
const FOG_ABOVE = 300;
/** The sun's disc in the picture: its radiance for each of irradiance, and the most that is shown of it. */
const DISC = 2000;
const DISC_MOST = 30;

const list = ({ x, y, z }: Vec3, factor = 1) => [x * factor, y * factor, z * factor];

export interface Sun {
  /** Unit, toward it. */
  readonly direction: Vec3;
  /** Its own colour times its intensity. */
  readonly color: Vec3;
  readonly shadows: boolean;
}

/** What a Fog says; without one the air is as dense as the world's size asks, everywhere. */
export interface Fog {
  /** Extinction at `height`, 1/metre; null: as without a Fog. */
  readonly density: number | null;
  /** Metres. */
  readonly height: number;
  /** Metres over which it thins out to 1/e; null: it does not. */
  readonly falloff: number | null;
  readonly color: Vec3;
}

/** What passes read of a frame while they encode it. */
export interface Frame {
  readonly world: World;
  readonly view: View;
  readonly width: number;
  readonly height: number;
  /** Box around all models, or null. */
  readonly bounds: Bounds | null;
  readonly sun: Sun;
  readonly day: Daylight;
  readonly exposure: Exposure;
  readonly fog: Fog | null;
  /** The sun casts shadows: it gives light, and is not asked to leave them out. */
  readonly casting: boolean;
  /** There are point or spot lights. */
  readonly lit: boolean;
  /** A flat background (sRGB 0..1) in place of the sky. */
  readonly background: readonly [number, number, number] | null;
}

/** Group 0: its layout, its block, the shadow maps, the sky's table and its bind group, shared by every pass. */
export class FrameBinding {
  readonly layout: GPUBindGroupLayout;
  /** Another one once there are other shadow maps. */
  group!: GPUBindGroup;
  private readonly block: UniformBlock;
  private readonly compare: GPUSampler;
  /** What is bound where there are no shadow maps. */
  private readonly blank: GPUTexture;
  private readonly sky: GPUTexture;
  private readonly horizon: GPUTexture;
  private readonly skySampler: GPUSampler;
  /** The day whose table is on the GPU. */
  private shown: Daylight | null = null;

  constructor(private readonly gpu: Gpu) {
    const { VERTEX, FRAGMENT } = GPUShaderStage;
    this.layout = gpu.device.createBindGroupLayout({
      label: 'frame',
      entries: [
        { binding: 0, visibility: VERTEX | FRAGMENT, buffer: { type: 'uniform' } },
        { binding: 1, visibility: FRAGMENT, texture: { sampleType: 'depth', viewDimension: '2d-array' } },
        { binding: 2, visibility: FRAGMENT, sampler: { type: 'comparison' } },
        { binding: 3, visibility: FRAGMENT, texture: {} },
        { binding: 4, visibility: VERTEX | FRAGMENT, texture: {} },
        { binding: 5, visibility: VERTEX | FRAGMENT, sampler: {} },
      ],
    });
    this.block = new UniformBlock(gpu, 'frame', source, 'Frame');
    this.compare = gpu.device.createSampler({
      label: 'shadow compare',
      compare: 'less-equal',
      magFilter: 'linear',
      minFilter: 'linear',
    });
    const usage = GPUTextureUsage.TEXTURE_BINDING;
    this.blank = gpu.createTexture(
      { label: 'no shadow maps', size: [1, 1, 1], format: 'depth32float', usage },
      4,
    );
    const table = (label: string, width: number, height: number) =>
      gpu.createTexture(
        { label, size: [width, height], format: 'rgba16float', usage: usage | GPUTextureUsage.COPY_DST },
        8,
      );
    this.sky = table('sky table', TABLE_WIDTH, 2 * TABLE_HEIGHT);
    this.horizon = table('horizon', HORIZON_WIDTH, 1);
    this.skySampler = gpu.device.createSampler({ label: 'sky', magFilter: 'linear', minFilter: 'linear' });
    this.showShadows(null);
  }

  /** Has passes read these shadow maps (depth32float, a layer a cascade), or none. They stay their maker's. */
  showShadows(maps: GPUTexture | null): void {
    this.group = this.gpu.device.createBindGroup({
      label: 'frame',
      layout: this.layout,
      entries: [
        { binding: 0, resource: { buffer: this.block.buffer } },
        { binding: 1, resource: (maps ?? this.blank).createView({ dimension: '2d-array' }) },
        { binding: 2, resource: this.compare },
        { binding: 3, resource: this.sky.createView() },
        { binding: 4, resource: this.horizon.createView() },
        { binding: 5, resource: this.skySampler },
      ],
    });
  }

  /** Sends a frame's values. */
  write(frame: Frame, cascades: readonly Cascade[]): void {
    const { world, view, background, sun, day, exposure } = frame;
    this.showSky(day);
    const lights = localLights(world, view.position);
    const perspective = view.orthographic ? 0 : 1;
    this.block.write({
      viewProjection: view.viewProjection,
      forward: list(view.forward),
      perspective,
      rayX: list(view.right, perspective * view.halfWidth),
      exposure: exposure.factor,
      rayY: list(view.up, perspective * view.halfHeight),
      ...airOf(frame),
      sunDirection: list(sun.direction),
      lightCount: lights.length,
      sunColor: list(day.sunColor),
      discColor: list(day.sunColor, Math.min(DISC, DISC_MOST / Math.max(...list(day.sunColor), 1e-6))),
      sunFlat: Math.hypot(sun.direction.x, sun.direction.z),
      sunLevel: [...day.sunLevel],
      groundRadiance: list(day.groundAmbient, 1 / Math.PI),
      ambient: day.ambient,
      background: background ? [...background] : [0, 0, 0],
      cascadeCount: cascades.length,
      cascades: cascades.map(({ x, y, z, texel, bias, band }) => ({ x, y, z, texel, bias, band })),
      lights,
    });
  }

  destroy(): void {
    this.block.destroy();
    this.gpu.free(this.blank);
    this.gpu.free(this.sky);
    this.gpu.free(this.horizon);
  }

  /** Sends the sky's table where it is another than the last. */
  private showSky(day: Daylight): void {
    if (this.shown === day) return;
    this.shown = day;
    const { queue } = this.gpu.device;
    for (const [texture, texels] of [
      [this.sky, day.texels],
      [this.horizon, day.horizon],
    ] as const)
      queue.writeTexture({ texture }, texels, { bytesPerRow: texture.width * 8 }, [
        texture.width,
        texture.height,
      ]);
  }
}

/** The air's part of the block. */
function airOf({ view, bounds, background, day, fog }: Frame) {
  if (background) return { air: [0, 0, 0], fogAbove: 0, fogFall: 0, fogColor: [1, 1, 1] };
  const across = Math.max(bounds ? diagonal(bounds) : EMPTY_DIAGONAL, 1);
  const stated = fog?.density ?? (FOG_AT_KILOMETRE * (across / 1000) ** FOG_GROWTH) / across;
  // Up to what clear air is at the ground it takes the more of a colour the bluer that is; what is denser are droplets, grey.
  const clear = typeof fog?.density === 'number' ? Math.min(stated, day.extinction[1]) : stated;
  const above = view.position.y - (fog?.height ?? 0);
  const thinned = fog?.falloff ? Math.exp(Math.min(Math.max(-above / fog.falloff, -60), 60)) : 1;
  return {
    air: day.extinction.map((part) => ((clear * part) / day.extinction[1] + stated - clear) * thinned),
    fogAbove: fog ? (fog.falloff ?? FOG_ABOVE) : 0,
    fogFall: fog?.falloff ? 1 / fog.falloff : 0,
    fogColor: fog ? list(fog.color) : [1, 1, 1],
  };
}

/** Gathers a frame; the on-screen camera frames the world for this picture's shape if no script has moved it. */
export function gatherFrame(
  world: World,
  size: { width: number; height: number },
  background: Frame['background'],
): Frame {
  world.aspect = size.width / size.height;
  const bounds = world.bounds();
  const view = viewOf(world.mainCamera, world.aspect, bounds);
  const sun = sunOf(world);
  const day = dayOf(world, sun);
  return {
    ...{ world, view, ...size, bounds, background },
    ...{ sun, day, fog: fogOf(world), casting: casts(sun, day), lit: hasLocalLights(world) },
    exposure: exposureOf(world.mainCamera, day.whiteLight),
  };
}

/** Whether a world's sun casts shadows, should there be anything to cast them. */
export function castsShadows(world: World): boolean {
  const sun = sunOf(world);
  return casts(sun, dayOf(world, sun));
}

const casts = ({ shadows }: Sun, { sunColor: { x, y, z } }: Daylight) => shadows && x + y + z > 0;

/** Whether there is a point or spot light. */
export function hasLocalLights(world: World): boolean {
  for (const entity of world.query('Light')) if (isLocal(entity)) return true;
  return false;
}

const isLocal = (light: Entity) => light.components.get('Light')!.get('kind') !== 'sun';

const colorOf = (light: Entity) => {
  const fields = light.components.get('Light')!;
  return list(fields.get('color') as Vec3, fields.number('intensity'));
};

/** The first sun of the world, or the default one. */
function sunOf(world: World): Sun {
  for (const entity of world.query('Light')) {
    if (isLocal(entity)) continue;
    const [x, y, z] = colorOf(entity);
    const shadows = entity.components.get('Light')!.get('shadows') === true;
    return { direction: axesOf(entity.worldMatrix)[2], color: vec3(x, y, z), shadows };
  }
  return { direction: DEFAULT_SUN, color: vec3(1, 1, 1), shadows: true };
}

/** The light of a world's sun under its first Sky, or the default one. */
function dayOf(world: World, { direction, color }: Sun): Daylight {
  const [entity] = world.query('Sky');
  const sky = entity?.components.get('Sky')!.toRecord() as unknown as SkyFields | undefined;
  return daylight(direction, color, sky ?? DEFAULT_SKY);
}

/** The first Fog of the world, or null. */
function fogOf(world: World): Fog | null {
  const [entity] = world.query('Fog');
  return entity ? (entity.components.get('Fog')!.toRecord() as unknown as Fog) : null;
}

/** The point and spot lights that matter most at the camera, in a fixed order. */
function localLights(world: World, eye: Vec3): Record<string, unknown>[] {
  const found = [];
  for (const entity of world.query('Light')) {
    if (!isLocal(entity)) continue;
    const fields = entity.components.get('Light')!;
    const kind = fields.get('kind');
    const relative = subtract(entity.worldPosition, eye);
    const half = (fields.number('angle') * Math.PI) / 360;
    const back = axesOf(entity.worldMatrix)[2];
    // A midday sun's irradiance at 1 m for an intensity of 1.
    const color = colorOf(entity).map((part) => part * 3.4);
    const weight = fields.number('intensity') / (1 + dot(relative, relative));
    const light = {
      position: list(relative),
      range: fields.number('range'),
      color,
      cosOuter: kind === 'spot' ? Math.cos(half) : -2,
      direction: list(back, -1),
      cosInner: kind === 'spot' ? Math.cos(half * (1 - fields.number('softness'))) + 1e-6 : -1.5,
    };
    found.push({ weight, light });
  }
  found.sort((a, b) => b.weight - a.weight);
  return found.slice(0, MAX_LIGHTS).map(({ light }) => light);
}
