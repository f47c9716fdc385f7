// Re-exports of the engine's public surface: what a program that embeds it uses beside the scripts.
export { MoonscapeError, NoAdapterError } from './errors.js';
export { FileRefusal, type AdapterOptions, type Host, type HostFiles } from './host/host.js';
export { Gpu, type AdapterInfo, type GpuOptions } from './gpu/gpu.js';
export { GpuBuffer, type GpuBufferOptions } from './gpu/gpuBuffer.js';
export { Assets, type AssetEntry } from './assets/assets.js';
export { Texture, type TextureFormat, type TextureOptions, type TextureUpdate } from './texture/texture.js';
export { decodePng, encodePng } from './texture/png.js';
export { readTexture, writeTexture } from './texture/ktx.js';
export type { Ground, GroundReport } from './terrain/ground.js';
export { fromTexture, type FromTextureOptions } from './terrain/fromTexture.js';
export { add, blend, clamp, map, scale } from './terrain/groundVerbs.js';
export { noise, type NoiseOptions } from './terrain/noise.js';
export { resample, type ResampleOptions } from './terrain/resample.js';
export { toTexture } from './terrain/toTexture.js';
export { cellHeight } from './terrain/cell.js';
export {
  Heightfield,
  type ColliderTile,
  type EditFollower,
  type FieldEdit,
  type Rect,
  type RectOptions,
  type TexelArea,
} from './terrain/heightfield.js';
export { FieldLayers } from './terrain/fieldLayers.js';
export type { LayerOptions } from './terrain/layerList.js';
export * as terrainBrush from './terrain/terrainBrush.js';
export {
  openHeightfield,
  setWater,
  type OpenOptions,
  type WaterReference,
} from './terrain/terrainHeightfield.js';
export type { WaterLevel, WaterPoint } from './terrain/fieldWater.js';
export { rootGrid, type RootGrid, type RootGridOptions } from './terrain/quadtree.js';
export { TerrainMesh, type CutUpdate, type TerrainMeshOptions } from './terrain/terrainMesh.js';
export type { Keep, KeepNode } from './terrain/keepAnswers.js';
export type { TerrainNode } from './terrain/terrainNodes.js';
export {
  ErrorMesh,
  type ErrorCamera,
  type ErrorMeshEngine,
  type ErrorMeshOptions,
  type ErrorMeshUpdate,
} from './errorMesh/errorMesh.js';
export { errorMeshEngine, ErrorMeshBindings } from './errorMesh/errorMeshBinding.js';
export { simplify, type SimplifiedGround, type SimplifyOptions } from './errorMesh/simplify.js';
export { Scatter, type ScatterFields, type ScatterInstance } from './scatter/scatter.js';
export { Input, type PointerState, type TouchState } from './input/input.js';
export type { InputEvent, KeyInput, PointerInput, WheelInput } from './input/events.js';
export { keyOfCode, type Button, type Key } from './input/keys.js';
export type { CameraControls, ControlStyle } from './controls/cameraControls.js';
export type { Ray } from './renderer/view.js';
export { Renderer, type Picture, type RendererStats } from './renderer/renderer.js';
export type { CaptureChannel, CaptureOptions, CaptureRequest, Shot } from './renderer/capture.js';
export { VIEWS, type ViewName } from './renderer/viewPass.js';
export { Runtime, type RuntimeOptions, type RuntimeStats } from './runtime.js';
export { Physics, type PhysicsStats, type RaycastHit, type RaycastOptions } from './physics/physics.js';
export { castGroundRay, type GroundHit } from './terrain/groundRay.js';
export { World } from './world/world.js';
export { Entity, type EntityOptions } from './world/entity.js';
export { checkGround, type CheckOptions, type CheckPair, type CheckResult } from './terrain/selfCheck.js';
export { reportCheck } from './terrain/checkReport.js';
