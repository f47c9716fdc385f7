// The entry point `moonscape`: the engine, and Lua on it.
export * from '../runtime/index.js';
export { openLua, type Lua, type LuaOptions } from './index.js';
export { Abort, LuaError } from './vm/index.js';
