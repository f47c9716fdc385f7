// The Lua table `texture`: pixels that scripts make, load, change and write. The work is runtime/texture and runtime/assets.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import { FORMAT_FACTS, Texture, type TexelFunction } from '../runtime/texture/texture.js';
import { contextOf, waitFor } from './context.js';
import { pushSize } from './values.js';
import {
  arg,
  defineHandle,
  int,
  LuaFunction,
  push,
  pushInteger,
  type Bindings,
  type Options,
} from './vm/index.js';

export const textureHandle = defineHandle<Texture>('texture', {
  kind: Texture,
  getters: {
    width: (self, L) => pushInteger(L, self.width),
    height: (self, L) => pushInteger(L, self.height),
    format: (self, L) => push(L, self.format),
    guid: (self, L) => push(L, self.guid),
    path: (self, L) => push(L, self.path),
    size: (self, L) => (self.size ? pushSize(L, self.size[0], self.size[1]) : push(L, null)),
  },
  methods: {
    /** read(col, row) -> the texel's channel values, one result each. */
    read(self, L) {
      const values = self.read(arg.integer(L, 2, 'col'), arg.integer(L, 3, 'row'));
      const whole = FORMAT_FACTS[self.format].bits < 32;
      for (const value of values) {
        if (whole) pushInteger(L, value);
        else lua.lua_pushnumber(L, value);
      }
      return values.length;
    },
    destroy(self) {
      self.destroy();
      return 0;
    },
  },
  describe: ({ width, height, format, path }) =>
    `texture ${width}×${height} ${format}${path ? ` ${path}` : ''}`,
  stale: (self) => self.destroyed && `${self.describe()} is destroyed`,
  whenStale: ['destroy', 'width', 'height', 'format', 'guid', 'path', 'size'],
});

/** The `data` of a texture: a list, or a function(col, row) whose results (or the list it answers) are the channels. */
function texels(options: Options): ArrayLike<number> | TexelFunction {
  const data = options.need('data', options.fields.data);
  if (!(data instanceof LuaFunction)) return data as ArrayLike<number>;
  return (col, row) => {
    const results = data.callMulti(int(col), int(row));
    if (results.length === 1 && Array.isArray(results[0])) return results[0] as number[];
    return (results.length === 0 ? undefined : results) as number[];
  };
}

export const texture: Bindings = {
  /** create { width, height, format, data } -> tex */
  create(L: lua_State) {
    const options = arg.options(L, 1, 'options', true).only('width', 'height', 'format', 'data');
    const { width, height, format } = options.fields;
    const made = Texture.create({ width, height, format, data: texels(options) } as never);
    textureHandle.push(L, made);
    return 1;
  },

  /** load(path) -> tex. Waits. */
  load(L: lua_State) {
    const path = arg.string(L, 1, 'path');
    const { assets } = contextOf(L).runtime;
    return waitFor(
      L,
      () => assets.loadTexture(path),
      (L, loaded) => (textureHandle.push(L, loaded), 1),
    );
  },

  /** update(tex, { col?, row?, width?, height?, data }) */
  update(L: lua_State) {
    const target = textureHandle.check(L, 1, 'tex');
    const options = arg.options(L, 2, 'options', true).only('col', 'row', 'width', 'height', 'data');
    target.update({ ...options.fields, data: texels(options) } as never);
    return 0;
  },

  /** write(tex, path) -> path. Waits. */
  write(L: lua_State) {
    const source = textureHandle.check(L, 1, 'tex');
    const path = arg.string(L, 2, 'path');
    const { assets } = contextOf(L).runtime;
    return waitFor(
      L,
      () => assets.saveTexture(source, path),
      (L, written) => (push(L, written), 1),
    );
  },
};
