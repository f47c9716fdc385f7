// The Lua table `renderer.buffer`: words on the GPU. The work is runtime/gpu/gpuBuffer.ts.
import type { lua_State } from 'fengari';
import { GpuBuffer } from '../runtime/gpu/gpuBuffer.js';
import { contextOf, waitFor } from './context.js';
import { given } from './values.js';
import {
  ArgumentError,
  arg,
  defineHandle,
  push,
  pushInteger,
  pushNumbers,
  type Bindings,
} from './vm/index.js';

export const bufferHandle = defineHandle<GpuBuffer>('buffer', {
  kind: GpuBuffer,
  module: 'renderer.buffer',
  getters: {
    size: (self, L) => pushInteger(L, self.byteLength),
    label: (self, L) => push(L, self.label),
  },
  describe: ({ label, byteLength }) => `buffer "${label}" of ${byteLength} bytes`,
  stale: ({ destroyed, label, byteLength }) =>
    destroyed && `the buffer "${label}" of ${byteLength} bytes is destroyed`,
});

/** A buffer that the scene may change: one that it made. Terrain and heightfields keep theirs to themselves. */
function ownBuffer(L: lua_State, index: number): GpuBuffer {
  const target = bufferHandle.check(L, index, 'buffer');
  if (!contextOf(L).ownsBuffer(target))
    throw new ArgumentError(
      `buffer must be one that renderer.buffer.create made, got "${target.label}", which belongs to the engine and can only be read`,
    );
  return target;
}

export const buffer: Bindings = {
  /** create { size | data, type? } -> buffer */
  create(L: lua_State) {
    const context = contextOf(L);
    const options = arg.options(L, 1, 'options', true).only('size', 'data', 'type');
    const { size, type } = options.fields;
    const made = GpuBuffer.create(context.runtime.gpu, {
      ...(given({ size, type, data: options.numbers('data') }) as object),
      label: 'scene buffer',
    });
    context.addBuffer(made);
    bufferHandle.push(L, made);
    return 1;
  },

  /** write(buffer, { first?, data, type? }) */
  write(L: lua_State) {
    const target = ownBuffer(L, 1);
    const options = arg.options(L, 2, 'options', true).only('first', 'data', 'type');
    const { first, type } = options.fields;
    target.write(given({ first, type, data: options.need('data', options.numbers('data')) }) as never);
    return 0;
  },

  /** read(buffer, { first?, count?, type? }?) -> list of words. Waits. */
  read(L: lua_State) {
    const source = bufferHandle.check(L, 1, 'buffer');
    const { fields } = arg.options(L, 2).only('first', 'count', 'type');
    return waitFor(
      L,
      (): Promise<ArrayLike<number>> => source.read(given({ ...fields }) as object),
      (L, words) => (pushNumbers(L, words), 1),
    );
  },

  /** destroy(buffer) */
  destroy(L: lua_State) {
    const target = ownBuffer(L, 1);
    const user = contextOf(L).runtime.renderer.meshes.userOf(target);
    if (user !== undefined)
      throw new ArgumentError(
        `buffer must be one that no mesh draws from, got one of the mesh ${user}; use renderer.mesh.destroy or update first`,
      );
    contextOf(L).forgetBuffer(target);
    target.destroy();
    return 0;
  },
};
