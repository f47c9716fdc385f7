// Rivers over eroded ground: the flow that terrain.erode answers as a texture of water, as a Terrain or terrainHeightfield
// takes it. Water stands where enough ground drains by; it is deeper the more does, and runs down the ground's slope.
import { checkFields, checkNumber } from '../errors.js';
import { Texture } from '../texture/texture.js';
import { checkGround, type Ground } from './ground.js';
import { checkSameRect } from './groundVerbs.js';
import { toTexture } from './toTexture.js';

export interface ToWaterOptions {
  /** Square metres, above 0: what must drain by for water to stand; default a hundredth of the ground. */
  catchment?: number;
  /** Metres of water where just so much drains by, above 0; default 1. */
  depth?: number;
}

/** Rivers deepen with the 0.4th power of their discharge (Leopold and Maddock, "The hydraulic geometry of stream channels", 1953). */
const DEEPENING = 0.4;
/** Metres a second at slope 1, by the root of the slope as Chezy has it, and what no river passes. */
const SPEED = 8;
const MOST_SPEED = 4;

/**
 * Makes an rgba32f texture: the surface in metres, the flow along X and Z in metres a second, coverage 1 where there is water.
 * @param flow heights in square metres of catchment, of the same rect as `ground`
 */
export function toWater(ground: Ground, flow: Ground, options: ToWaterOptions = {}): Texture {
  const where = 'terrain.to_water';
  checkGround(where, 'the first argument', ground);
  checkGround(where, 'the second argument', flow);
  checkSameRect(where, ground, flow);
  checkFields(where, options, ['catchment', 'depth']);
  const { width, depth: length } = ground.size;
  const catchment = checkNumber(where, 'catchment', options.catchment ?? (width * length) / 100, {
    above: 0,
  });
  const depth = checkNumber(where, 'depth', options.depth ?? 1, { above: 0, max: 1e4 });
  const texture = toTexture(ground);
  // Height, gradient along X and Z, coverage become surface, flow along X and Z, coverage.
  const texels = texture.data;
  for (let i = 0; i < flow.heights.length; i++) {
    const at = i * 4;
    const drained = flow.heights[i] / catchment;
    const wet = texels[at + 3] > 0 && (flow.coverage?.[i] ?? 1) > 0 && drained >= 1;
    const slope = Math.hypot(texels[at + 1], texels[at + 2]);
    const speed = wet && slope > 0 ? Math.min(MOST_SPEED, SPEED * Math.sqrt(slope)) / slope : 0;
    if (wet) texels[at] += depth * drained ** DEEPENING;
    // 0 - x, so that still water has no -0.
    texels[at + 1] = 0 - texels[at + 1] * speed;
    texels[at + 2] = 0 - texels[at + 2] * speed;
    texels[at + 3] = wet ? 1 : 0;
  }
  return texture;
}
