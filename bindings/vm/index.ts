// The VM as binding files and the host use it.
export * as arg from './args.js';
export { Options, isHandle } from './args.js';
export type { BudgetLimits } from './budget.js';
export { Abort, ArgumentError, LuaError, nameFunction, position } from './errors.js';
export { HandleType, defineHandle } from './handle.js';
export type { HandleClass } from './handle.js';
export { int, push, pushInteger, pushKey, pushNumbers, pushVector, setNumber } from './push.js';
export type { LuaRecord } from './read.js';
export { LuaFunction } from './reference.js';
export { pushBindings } from './registrar.js';
export type { Bindings } from './registrar.js';
export { vmOf } from './state.js';
export { Callback, Vm, checkCanWait, wait } from './vm.js';
export type { VmOptions } from './vm.js';
