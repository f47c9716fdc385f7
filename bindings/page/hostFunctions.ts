// Functions of the page that scripts call, and values on their way between the two: numbers, strings, booleans, arrays, plain objects,
// typed arrays, functions. Used by luaAccess.ts.
import { lua } from 'fengari';
import type { CFunction, lua_State } from 'fengari';
import { MoonscapeError, refuse } from '../../runtime/errors.js';
import { waitFor } from '../context.js';
import { ArgumentError, LuaError, LuaFunction, nameFunction, push, vmOf, type Vm } from '../vm/index.js';
import { read } from '../vm/read.js';
import { typeNameAt } from '../vm/handle.js';

/** Parameter types that a host function may ask for, and what JavaScript gets for each. */
export interface ParameterTypes {
  number: number;
  /** A whole number. */
  integer: number;
  string: string;
  boolean: boolean;
  /** A list. */
  array: unknown[];
  /** A list of numbers. */
  numbers: Float64Array;
  /** A table of any keys; a list comes as an array. */
  table: Record<string, unknown>;
  function: ScriptFunction;
  any: unknown;
}

export type ParameterType = keyof ParameterTypes;
/** A type's name; with `?` the script may leave the argument out. */
export type Parameter = ParameterType | `${ParameterType}?`;

type ArgumentOf<P> = P extends `${infer T extends ParameterType}?`
  ? ParameterTypes[T] | undefined
  : P extends ParameterType
    ? ParameterTypes[P]
    : never;
export type ArgumentsOf<P extends readonly Parameter[]> = { [I in keyof P]: ArgumentOf<P[I]> };

/** A function of a script. It runs in an entry of its own, and answers its first result. */
export type ScriptFunction = (...args: unknown[]) => Promise<unknown>;

/** A function of the page with the types of its parameters. Made by hostFunction. */
export interface TypedFunction {
  readonly parameters: readonly Parameter[];
  readonly call: (...args: never[]) => unknown;
}

/** A function that takes whatever a script hands it. */
export type AnyFunction = (...args: never[]) => unknown;

const RULES: Record<ParameterType, [rule: string, holds: (value: unknown) => boolean]> = {
  number: ['a finite number', Number.isFinite],
  integer: ['an integer', Number.isInteger],
  string: ['a string', (value) => typeof value === 'string'],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  array: ['a list', isList],
  numbers: ['a list of finite numbers', (value) => isList(value) && asList(value).every(Number.isFinite)],
  table: ['a table', (value) => Array.isArray(value) || isRecord(value)],
  function: ['a function', (value) => typeof value === 'function'],
  any: ['a value', () => true],
};

/**
 * Gives a function of the page the types of its parameters: a script that passes another is refused at its line.
 * @example lua.register('price', hostFunction(['string', 'integer?'], (item, count = 1) => PRICES[item] * count))
 */
export function hostFunction<const P extends readonly Parameter[]>(
  parameters: P,
  call: (...args: ArgumentsOf<P>) => unknown,
): TypedFunction {
  for (const parameter of parameters)
    if (!Object.hasOwn(RULES, bare(parameter)))
      refuse(
        'hostFunction',
        'a parameter',
        `one of ${Object.keys(RULES).join(', ')}, or one with ?`,
        parameter,
      );
  return { parameters, call: call as TypedFunction['call'] };
}

const bare = (parameter: Parameter) => String(parameter).replace(/\?$/, '') as ParameterType;

export const isTyped = (value: unknown): value is TypedFunction =>
  typeof value === 'object' && value !== null && 'parameters' in value && 'call' in value;

/** The C function of a host function that scripts know as `name`. A promise makes the script wait for it. */
export function toNative(name: string, f: AnyFunction | TypedFunction): CFunction {
  const typed = isTyped(f) ? f : null;
  const call = (typed ? typed.call : f) as (...args: unknown[]) => unknown;
  const native: CFunction = (L) => {
    const args = typed ? checkedArguments(L, typed.parameters) : allArguments(L);
    const fail = (error: unknown): never => {
      if (error instanceof LuaError || error instanceof MoonscapeError) throw error;
      throw new MoonscapeError(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    };
    let result: unknown;
    try {
      result = call(...args);
    } catch (error) {
      fail(error);
    }
    if (!isPromise(result)) return pushResult(L, name, result);
    const work = result.then((value) => value, fail);
    return waitFor(
      L,
      () => work,
      (L, value) => pushResult(L, name, value),
    );
  };
  nameFunction(native, name);
  return native;
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';

function pushResult(L: lua_State, name: string, value: unknown): number {
  if (value === undefined) return 0;
  pushValue(L, value, `what ${name} answers`);
  return 1;
}

function allArguments(L: lua_State): unknown[] {
  const args: unknown[] = [];
  for (let i = 1; i <= lua.lua_gettop(L); i++) args.push(readValue(L, i));
  return args;
}

function checkedArguments(L: lua_State, parameters: readonly Parameter[]): unknown[] {
  const given = lua.lua_gettop(L);
  if (given > parameters.length)
    throw new ArgumentError(`there are ${parameters.length} parameters, got ${given} arguments`);
  return parameters.map((parameter, i) => {
    const value = i < given ? readValue(L, i + 1) : undefined;
    const type = bare(parameter);
    if (value === undefined && (parameter.endsWith('?') || type === 'any')) return undefined;
    const [rule, holds] = RULES[type];
    if (!holds(value))
      throw new ArgumentError(`argument ${i + 1} must be ${rule}, got ${typeNameAt(L, i + 1)}`);
    if (type === 'numbers') return Float64Array.from(asList(value) as number[]);
    return type === 'array' ? asList(value) : value;
  });
}

/** A value of Lua as a page's program sees it: functions are functions, tables plain objects, empty ones too. */
export function readValue(L: lua_State, index: number): unknown {
  return outward(vmOf(L), read(L, index));
}

/** A value that `read` gave as a page's program sees it. */
export function outward(vm: Vm, value: unknown): unknown {
  if (value instanceof LuaFunction) return scriptFunction(vm, value);
  if (Array.isArray(value)) return value.map((item) => outward(vm, item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, outward(vm, item)]));
}

const originals = new WeakMap<ScriptFunction, LuaFunction>();

function scriptFunction(vm: Vm, f: LuaFunction): ScriptFunction {
  const call: ScriptFunction = async (...args) => {
    const [first] = await vm.call(f, ...args.map((arg, i) => inward(vm, arg, `argument ${i + 1}`)));
    return outward(vm, first);
  };
  originals.set(call, f);
  return call;
}

/** Pushes a value of the page; `what` names it where it cannot go. */
export function pushValue(L: lua_State, value: unknown, what: string): void {
  push(L, inward(vmOf(L), value, what));
}

/** Tables deeper than this are refused: an object that holds itself is deeper than any number. */
const MAX_DEPTH = 16;

/** A value of the page as the VM takes it: functions that scripts may call are wrapped, what has no form in Lua is refused by name. */
export function inward(vm: Vm, value: unknown, what: string, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new MoonscapeError(`${what} is more than ${MAX_DEPTH} tables deep`);
  if (typeof value === 'function') {
    const original = originals.get(value as ScriptFunction);
    if (original) return original;
    return nativeFunction(vm, toNative(value.name || 'a function of the page', value as AnyFunction));
  }
  if (isTyped(value)) return nativeFunction(vm, toNative('a function of the page', value));
  if (typeof value === 'bigint' || typeof value === 'symbol')
    throw new MoonscapeError(
      `${what} must be a number, a string, a boolean, a list or a plain object, got a ${typeof value}`,
    );
  if (Array.isArray(value)) return value.map((item, i) => inward(vm, item, `${what}[${i + 1}]`, depth + 1));
  if (value instanceof Map) return inward(vm, Object.fromEntries(value), what, depth);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, inward(vm, item, `${what}.${key}`, depth + 1)]),
  );
}

/** A C function as a Lua value. */
export function nativeFunction({ L }: Vm, f: CFunction): unknown {
  lua.lua_checkstack(L, 2);
  lua.lua_pushcfunction(L, f);
  const value = read(L, -1);
  lua.lua_pop(L, 1);
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** An empty table is a list too. */
function isList(value: unknown): boolean {
  return Array.isArray(value) || (isRecord(value) && Object.keys(value).length === 0);
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
