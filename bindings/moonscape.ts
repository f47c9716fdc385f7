// The entry point `moonscape`: the engine, and Lua on it.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference -- the declarations name Fengari's types, which go with them
/// <reference path="../types/fengari.d.ts" preserve="true" />
export * from '../runtime/index.js';
export { openLua, type Lua, type LuaOptions } from './index.js';
export { Abort, LuaError } from './vm/index.js';
