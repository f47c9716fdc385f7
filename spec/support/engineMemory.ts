// How large the physics engine's memory is. It comes from a WebAssembly module that the package keeps to itself, so its memories are
// noted as they are made: import this before the engine starts.
const memories: WebAssembly.Memory[] = [];
const { instantiate } = WebAssembly;

WebAssembly.instantiate = (async (...given: Parameters<typeof instantiate>) => {
  const made = (await instantiate(...given)) as unknown as WebAssembly.Instance & {
    instance?: WebAssembly.Instance;
  };
  const { exports } = made.instance ?? made;
  if (exports.memory instanceof WebAssembly.Memory) memories.push(exports.memory);
  return made;
}) as unknown as typeof instantiate;

/** Bytes of all memories so far. */
export const memoryBytes = (): number => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
