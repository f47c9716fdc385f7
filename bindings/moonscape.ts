// The entry point `moonscape`: the engine, and Lua on it.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference -- the declarations name Fengari's types, which go with them
/// <reference path="../types/fengari.d.ts" preserve="true" />
export * from '../runtime/index.js';
export { openLua, type Lua, type LuaOptions } from './index.js';
export { Abort, LuaError } from './vm/index.js';
export {
  createRuntime,
  PageRuntime,
  type CreateRuntimeOptions,
  type RunOptions,
  type SceneSource,
} from './page/pageRuntime.js';
export type { FrameInfo, Progress, RuntimeEvents } from './page/events.js';
export {
  hostFunction,
  type Parameter,
  type ParameterTypes,
  type ScriptFunction,
  type TypedFunction,
} from './page/hostFunctions.js';
export type { LuaAccess } from './page/luaAccess.js';
export { createBrowserHost, type BrowserHost, type BrowserHostOptions } from '../runtime/host/browser.js';
