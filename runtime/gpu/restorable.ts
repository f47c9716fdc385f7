// A device that outlives the loss of the one under it. Its objects stand for real ones and remember how they were made and what the
// processor wrote into them; `restore` makes all that are still held again on another device. What kernels computed is not known here:
// whoever dispatched them does so again (Gpu.onRestore). Pages open theirs so; headless runs take the bare device.
//
// Written bytes are not copied but referred to: they are the engine's own texels, words and pictures, which it keeps anyway, and as they
// are at the restore they are right (a field that was edited since wrote those texels too).

/** A real object in the place of which a stand-in is handed out. */
interface Held {
  real: object;
  /** The stand-in's methods, made as they are asked for. */
  readonly methods: Map<string, (...args: unknown[]) => unknown>;
  /** What the processor wrote, in its order; null for objects that hold nothing. */
  writes: Write[] | null;
  released: boolean;
}

interface Write {
  method: 'writeBuffer' | 'writeTexture';
  args: readonly unknown[];
  /** Of a buffer: first byte and end in it, and where the bytes stand. */
  range?: { from: number; to: number; source: ArrayBufferLike; shift: number };
  /** Of a texture: the level and part that it writes. */
  part?: string;
}

type Remake = (device: GPUDevice) => object | Promise<object>;

const HELD = Symbol('held');
/** Methods of a device that make what has to be made again; the others (command encoders) are of one frame. */
const LASTING = /^create(?!CommandEncoder)/;

/** Writes of a buffer that are kept apart. */
const MOST_WRITES = 64;

export interface Restorable {
  /** What the engine uses as its device. */
  readonly device: GPUDevice;
  /** Makes everything that is held again on `next`, in the order in which it was made; resolves once pipelines are compiled too. */
  restore(next: GPUDevice): Promise<void>;
}

/** Wraps a device. */
export function makeRestorable(first: GPUDevice): Restorable {
  const keeper = new Keeper(first);
  return { device: keeper.device, restore: (next) => keeper.restore(next) };
}

/** The real object of a stand-in; anything else as it is. */
export function realOf<T>(value: T): T {
  return (heldOf(value)?.real as T | undefined) ?? value;
}

const heldOf = (value: unknown): Held | undefined =>
  typeof value === 'object' && value !== null ? (value as { [HELD]?: Held })[HELD] : undefined;

/** Real objects in place of stand-ins, in descriptors too. */
function unwrap(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const held = heldOf(value);
  if (held) return held.real;
  if (Array.isArray(value)) return value.map(unwrap);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const plain: Record<string, unknown> = {};
  for (const key in value) plain[key] = unwrap((value as Record<string, unknown>)[key]);
  return plain;
}

class Keeper {
  readonly device: GPUDevice;
  private current: GPUDevice;
  /** Everything that lasts, in the order of its making, for as long as anybody holds it. */
  private readonly lasting = new Map<number, { stand: WeakRef<object>; remake: Remake; needs: unknown }>();
  private readonly dropped = new FinalizationRegistry<number>((id) => this.lasting.delete(id));
  private made = 0;
  private readonly queue: object;
  private readonly handler: ProxyHandler<Held>;

  constructor(first: GPUDevice) {
    this.current = first;
    const { methodOf, queueOf } = this;
    this.handler = {
      get(held, key) {
        if (key === HELD) return held;
        const value = (held.real as Record<string | symbol, unknown>)[key];
        if (typeof value === 'function' && typeof key === 'string') return methodOf(held, key);
        return key === 'queue' ? queueOf() : value;
      },
      set(held, key, value) {
        (held.real as Record<string | symbol, unknown>)[key] = value;
        return true;
      },
      getPrototypeOf: (held) => Object.getPrototypeOf(held.real) as object,
    };
    this.queue = this.stand(first.queue, null);
    this.device = this.stand(first, null) as GPUDevice;
  }

  async restore(next: GPUDevice): Promise<void> {
    this.current = next;
    heldOf(this.device)!.real = next;
    heldOf(this.queue)!.real = next.queue;
    const held: [Held, Remake, unknown][] = [];
    for (const { stand, remake, needs } of this.lasting.values()) {
      const found = heldOf(stand.deref());
      // What stands on something that was destroyed is of no use to anybody any more.
      if (found && needsReleased(needs)) found.released = true;
      if (found && !found.released) held.push([found, remake, needs]);
    }
    // Pipelines compile side by side; what is made of one (its layout) waits for it.
    const compiling = new Map<unknown, Promise<unknown>>();
    for (const [each, remake, needs] of held) {
      await compiling.get(needs);
      const real = remake(next);
      if (real instanceof Promise) {
        const made = real.then((made: object) => (each.real = made));
        compiling.set(each, made);
      } else each.real = real;
    }
    for (const [{ writes }] of held)
      for (const { method, args } of writes ?? [])
        (next.queue[method] as (...args: unknown[]) => void)(...args.map(unwrap));
    await Promise.all(compiling.values());
  }

  private readonly queueOf = () => this.queue;

  /** Hands out a stand-in for `real`; with `remake` it lasts, as long as what it is made of (`needs`) does. */
  private stand(real: object, remake: Remake | null, needs?: unknown, writes: Write[] | null = null): object {
    const stand = new Proxy<Held>({ real, methods: new Map(), writes, released: false }, this.handler);
    if (remake) {
      const id = ++this.made;
      this.lasting.set(id, { stand: new WeakRef(stand), remake, needs });
      this.dropped.register(stand, id);
    }
    return stand;
  }

  private readonly methodOf = (held: Held, name: string): ((...args: unknown[]) => unknown) => {
    const known = held.methods.get(name);
    if (known) return known;
    const method = this.makeMethod(held, name);
    held.methods.set(name, method);
    return method;
  };

  private makeMethod(held: Held, name: string): (...args: unknown[]) => unknown {
    const call = (...args: unknown[]) => {
      const { real } = held as { real: Record<string, (...args: unknown[]) => unknown> };
      return real[name](...args.map(unwrap));
    };
    if (held.real === this.current && LASTING.test(name)) return this.maker(name);
    if (name === 'writeBuffer' || name === 'writeTexture')
      return (...args) => {
        note(name, args);
        call(...args);
      };
    if (name === 'destroy')
      return () => {
        held.released = true;
        held.writes = null;
        call();
      };
    if (name === 'createView' || name === 'getBindGroupLayout')
      return (...args) => this.stand(call(...args) as object, () => call(...args) as object, held);
    if (/^(create|begin|finish)/.test(name)) return (...args) => this.stand(call(...args) as object, null);
    return call;
  }

  /** A device's `create…` of what lasts. */
  private maker(name: string): (descriptor?: unknown) => unknown {
    const holds = name === 'createBuffer' || name === 'createTexture';
    return (descriptor) => {
      const remake = (device: GPUDevice) =>
        (device as unknown as Record<string, (descriptor: unknown) => object | Promise<object>>)[name](
          unwrap(descriptor),
        );
      const { current } = this;
      const real = remake(current);
      if (!(real instanceof Promise)) return this.stand(real, remake, descriptor, holds ? [] : null);
      return real.then(async (made: object) => {
        // The device was lost and restored while this compiled.
        const standing = current === this.current ? made : await remake(this.current);
        return this.stand(standing, remake, descriptor);
      });
    };
  }
}

/** Whether a descriptor, or a stand-in itself, names something that was destroyed. */
function needsReleased(needs: unknown): boolean {
  if (typeof needs !== 'object' || needs === null) return false;
  const held = heldOf(needs) ?? ('methods' in needs && 'released' in needs ? (needs as Held) : undefined);
  if (held) return held.released;
  if (!Array.isArray(needs) && Object.getPrototypeOf(needs) !== Object.prototype) return false;
  return Object.values(needs).some(needsReleased);
}

/** Remembers a write in what it writes into. */
function note(method: Write['method'], args: readonly unknown[]): void {
  const target = method === 'writeBuffer' ? args[0] : (args[0] as GPUTexelCopyTextureInfo).texture;
  const writes = heldOf(target)?.writes;
  if (!writes) return;
  if (method === 'writeTexture') return noteTexels(writes, args);
  const [, offset, data, first = 0, size] = args as [
    unknown,
    number,
    ArrayBufferView | ArrayBuffer,
    number?,
    number?,
  ];
  const view = ArrayBuffer.isView(data) ? data : null;
  const unit = view && 'BYTES_PER_ELEMENT' in view ? (view.BYTES_PER_ELEMENT as number) : 1;
  const start = (view?.byteOffset ?? 0) + first * unit;
  const bytes = size === undefined ? data.byteLength - first * unit : size * unit;
  noteBytes(writes, args[0], {
    from: offset,
    to: offset + bytes,
    source: view?.buffer ?? (data as ArrayBuffer),
    shift: start - offset,
  });
}

/** One write for bytes that stand side by side in the same array, and none for bytes that were written over. */
function noteBytes(writes: Write[], buffer: unknown, range: NonNullable<Write['range']>): void {
  let { from, to } = range;
  const { source, shift } = range;
  for (let i = writes.length - 1; i >= 0; i--) {
    const old = writes[i].range!;
    const same = old.source === source && old.shift === shift && old.from <= to && from <= old.to;
    const covered = from <= old.from && old.to <= to;
    if (!same && !covered) continue;
    if (same) [from, to] = [Math.min(from, old.from), Math.max(to, old.to)];
    writes.splice(i, 1);
  }
  writes.push({
    method: 'writeBuffer',
    args: [buffer, from, new Uint8Array(source, from + shift, to - from)],
    range: { from, to, source, shift },
  });
  if (writes.length > MOST_WRITES) gather(writes, buffer);
}

/** Many small writes out of arrays of their own become one, in a copy: what is kept is never more than the buffer's size and a few. */
function gather(writes: Write[], buffer: unknown): void {
  const from = Math.min(...writes.map(({ range }) => range!.from));
  const to = Math.max(...writes.map(({ range }) => range!.to));
  const bytes = new Uint8Array(to - from);
  for (const { range } of writes)
    bytes.set(
      new Uint8Array(range!.source, range!.from + range!.shift, range!.to - range!.from),
      range!.from - from,
    );
  const range = { from, to, source: bytes.buffer, shift: -from };
  writes.splice(0, writes.length, { method: 'writeBuffer', args: [buffer, from, bytes], range });
}

function noteTexels(writes: Write[], args: readonly unknown[]): void {
  const { mipLevel = 0, origin } = args[0] as GPUTexelCopyTextureInfo;
  const part = JSON.stringify([mipLevel, origin ?? null, args[3]]);
  const same = writes.findIndex((write) => write.part === part);
  if (same >= 0) writes.splice(same, 1);
  writes.push({ method: 'writeTexture', args, part });
}
