// What a pass is, and what it counts. The renderer's ordered list of them is the frame.
import type { Gpu } from '../gpu/gpu.js';
import type { Cascade } from './cascades.js';
import type { Frame } from './frame.js';

/** Draws and triangles of one pass in one frame. */
export interface PassStats {
  draws: number;
  triangles: number;
}

/** A pass that draws into the multisampled scene (linear radiance, reversed-Z depth), one after the other. */
export interface ScenePass {
  readonly name: string;
  /**
   * Whether there is anything for it to draw: its pipelines are compiled once there is, and it has no part in frames
   * without. A pass that leaves this out is always needed.
   */
  needed?(): boolean;
  /** Compiles its pipelines; those for point and spot lights only where `lit`. */
  ready(lit: boolean): Promise<void>;
  /** Compiles what of it only some worlds are drawn with, if there is something to draw so, or if `all`. Asked before each frame: cheap where nothing is new. */
  readyFor?(all: boolean, lit: boolean): Promise<void>;
  /** Draws nothing with each pipeline of `ready(false)` (asked of passes that are always needed), so that a driver makes its code for them now and not at their first draw. Group 0 is bound already. Answers what to free once that is done. */
  warm(encoder: GPURenderPassEncoder): GPUBuffer | null;
  /** Sends what its draws read, before the scene is begun. `cascades`: the sun's shadow maps of this frame. */
  prepare?(frame: Frame, cascades: readonly Cascade[]): void;
  /** Encodes the compute work that its draws stand on, after `prepare` and before the scene is begun. Answers how many dispatches that was. */
  encode?(encoder: GPUCommandEncoder, frame: Frame): number;
  /** Draws. Group 0 is bound already. */
  draw(encoder: GPURenderPassEncoder, frame: Frame): PassStats;
  destroy(): void;
}

/** Samples a pixel of the scene. */
export const SAMPLES = 4;
export const SCENE_FORMAT: GPUTextureFormat = 'rgba16float';
export const DEPTH_FORMAT: GPUTextureFormat = 'depth32float';
export const PICTURE_FORMAT: GPUTextureFormat = 'rgba8unorm';
/** Of pictures with 16 bits a channel: whole numbers, for no adapter need draw into normalised ones. */
export const DEEP_FORMAT: GPUTextureFormat = 'rgba16uint';

/** The constants of pipelines whose fragments shaders/include/shade.wgsl shades. A CPU adapter pays for each tap of a shadow's filter. */
export const shadeConstants = (gpu: Gpu, lit: boolean): Record<string, number> => ({
  LOCAL_LIGHTS: lit ? 1 : 0,
  SHADOW_TAPS: gpu.software ? 2 : 3,
});
