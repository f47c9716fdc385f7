// One frame's shared state: the view, the lights and the air, gathered from the world, and group 0's uniform block.
import source from '../../shaders/include/frame.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import type { Entity } from '../world/entity.js';
import { axesOf, diagonal, dot, subtract, vec3, type Bounds, type Vec3 } from '../world/vector.js';
import type { World } from '../world/world.js';
import { daylight, DEFAULT_SUN } from './daylight.js';
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
const EXPOSURE = 1.15;

const list = ({ x, y, z }: Vec3, factor = 1) => [x * factor, y * factor, z * factor];

/** What passes read of a frame while they encode it. */
export interface Frame {
  readonly world: World;
  readonly view: View;
  readonly width: number;
  readonly height: number;
  /** Box around all models, or null. */
  readonly bounds: Bounds | null;
  /** There are point or spot lights. */
  readonly lit: boolean;
  /** A flat background (sRGB 0..1) in place of the sky. */
  readonly background: readonly [number, number, number] | null;
}

/** Group 0: its layout, its block and its bind group, shared by every pass. */
export class FrameBinding {
  readonly layout: GPUBindGroupLayout;
  readonly group: GPUBindGroup;
  private readonly block: UniformBlock;

  constructor(gpu: Gpu) {
    this.layout = gpu.device.createBindGroupLayout({
      label: 'frame',
      entries: [
        {
          binding: 0,
          visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
          buffer: { type: 'uniform' },
        },
      ],
    });
    this.block = new UniformBlock(gpu, 'frame', source, 'Frame');
    this.group = gpu.device.createBindGroup({
      label: 'frame',
      layout: this.layout,
      entries: [{ binding: 0, resource: { buffer: this.block.buffer } }],
    });
  }

  /** Sends a frame's values. */
  write({ world, view, bounds, background }: Frame): void {
    const { direction, color } = sunOf(world);
    const day = daylight(direction, color);
    const lights = localLights(world, view.position);
    const perspective = view.orthographic ? 0 : 1;
    const across = Math.max(bounds ? diagonal(bounds) : EMPTY_DIAGONAL, 1);
    this.block.write({
      viewProjection: view.viewProjection,
      forward: list(view.forward),
      perspective,
      rayX: list(view.right, perspective * view.halfWidth),
      exposure: EXPOSURE,
      rayY: list(view.up, perspective * view.halfHeight),
      fogDensity: background ? 0 : (FOG_AT_KILOMETRE * (across / 1000) ** FOG_GROWTH) / across,
      sunDirection: list(direction),
      lightCount: lights.length,
      sunColor: list(day.sunColor),
      zenith: list(day.zenith),
      horizon: list(day.horizon),
      skyAmbient: list(day.skyAmbient),
      groundAmbient: list(day.groundAmbient),
      background: background ? [...background] : [0, 0, 0],
      lights,
    });
  }

  destroy(): void {
    this.block.destroy();
  }
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
  return { world, view, ...size, bounds, lit: hasLocalLights(world), background };
}

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
function sunOf(world: World): { direction: Vec3; color: Vec3 } {
  for (const entity of world.query('Light')) {
    if (isLocal(entity)) continue;
    const [x, y, z] = colorOf(entity);
    return { direction: axesOf(entity.worldMatrix)[2], color: vec3(x, y, z) };
  }
  return { direction: DEFAULT_SUN, color: vec3(1, 1, 1) };
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
