// Values that several Lua tables hand out or take: pairs with names, vectors that are properties, rects of world.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import type { Rect } from '../runtime/terrain/heightfield.js';
import type { Vec3 } from '../runtime/world/vector.js';
import {
  ArgumentError,
  arg,
  defineHandle,
  isHandle,
  Options,
  setNumber,
  type HandleType,
} from './vm/index.js';

/** Pushes `{ a, b }` whose two numbers also have names: `hf.size[1]` is `hf.size.width`, and both forms are read back. */
export function pushPair(
  L: lua_State,
  [first, second]: readonly [string, string],
  a: number,
  b: number,
): void {
  lua.lua_createtable(L, 2, 2);
  lua.lua_pushnumber(L, a);
  lua.lua_rawseti(L, -2, 1);
  lua.lua_pushnumber(L, b);
  lua.lua_rawseti(L, -2, 2);
  setNumber(L, first, a);
  setNumber(L, second, b);
}

/** Pushes a size in metres, `{ width, depth }`; it is a vector in the plane too, so that `hf.size.x` is `hf.size.width`. */
export function pushSize(L: lua_State, width: number, depth: number): void {
  pushPair(L, SIZE, width, depth);
  setNumber(L, 'x', width);
  setNumber(L, 'z', depth);
}

export const SIZE = ['width', 'depth'] as const;
export const PLACE = ['x', 'z'] as const;
export const REACH = ['low', 'high'] as const;

/** The value of a property that is a vector. Scripts read its parts; setting one would be lost, so it is refused. */
class VectorValue {
  constructor(
    readonly x: number,
    readonly y: number,
    readonly z: number,
  ) {}
}

const axis = (name: 'x' | 'y' | 'z') => (self: VectorValue, L: lua_State) =>
  lua.lua_pushnumber(L, self[name]);
const refusePart = () => {
  throw new ArgumentError(
    'this vector is a value, and setting a part of it would change nothing; assign a whole one, { x =, y =, z = }, to the property that it was read from',
  );
};

const vectorValue: HandleType<VectorValue> = defineHandle('vector', {
  kind: VectorValue,
  getters: { x: axis('x'), y: axis('y'), z: axis('z'), 1: axis('x'), 2: axis('y'), 3: axis('z') },
  setters: { x: refusePart, y: refusePart, z: refusePart, 1: refusePart, 2: refusePart, 3: refusePart },
  describe: ({ x, y, z }) => `{ x = ${x}, y = ${y}, z = ${z} }`,
});

/** Pushes the value of a property that is a vector. */
export function pushVectorValue(L: lua_State, { x, y, z }: Vec3): void {
  vectorValue.push(L, new VectorValue(x, y, z));
}

/** A rect of world: `{ minX, minZ, maxX, maxZ }`, or `{ size = { width, depth }, origin? }`. */
export function rect(L: lua_State, index: number, name: string): Rect {
  const given = arg.options(L, index, name, true);
  if (!given.has('size')) {
    const side = (field: string) => given.need(`${name}.${field}`, given.number(field));
    given.only('minX', 'minZ', 'maxX', 'maxZ');
    return { minX: side('minX'), minZ: side('minZ'), maxX: side('maxX'), maxZ: side('maxZ') };
  }
  const { size, origin } = sizedRect(given, name);
  const [x, z] = origin ?? [0, 0];
  return { minX: x - size[0] / 2, minZ: z - size[1] / 2, maxX: x + size[0] / 2, maxZ: z + size[1] / 2 };
}

/** `{ size = { width, depth }, origin? = { x, z } }`, in metres. `name` is the rect's in messages. */
export function sizedRect(
  given: Options,
  name: string,
): { size: [number, number]; origin?: [number, number] } {
  given.only('size', 'origin');
  const { size, origin } = given.fields;
  return {
    size: arg.asVector2(`${name}.size`, given.need(`${name}.size`, size), SIZE),
    origin: origin === undefined ? undefined : arg.asVector2(`${name}.origin`, origin, PLACE),
  };
}

/** The fields that a script wrote, without those it left out: for runtime functions whose own defaults stand for these. */
export function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

export { isHandle };
