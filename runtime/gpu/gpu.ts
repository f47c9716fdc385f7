// The device and everything that is counted on it. Every GPU object of the engine is made here, so that each carries a
// label, sizes are checked against the device's limits by name, and live bytes are known.
import { MoonscapeError } from '../errors.js';
import type { PassTimer } from './passTimer.js';
import { makeRestorable, realOf, type Restorable } from './restorable.js';

export interface GpuOptions {
  /** How work of a software adapter is awaited; see Host.rest. */
  rest?: <T>(work: Promise<T>) => Promise<T>;
  /** Ask for less than the adapter offers: what specs use to meet a limit with a small field. */
  limits?: { maxBufferSize?: number; maxStorageBufferBindingSize?: number };
  /** Be able to go on with another device once this one is lost (restorable.ts). */
  restorable?: boolean;
}

/** What the adapter says of itself. */
export interface AdapterInfo {
  vendor: string;
  architecture: string;
  description: string;
}

/** Freed bytes after which the queue is told to go on: what is freed, and what was written to it, is kept until a submit. */
const FREED_UNTIL_SUBMIT = 32 * 2 ** 20;

/**
 * A device and its queue. `destroy` it when nothing made on it is in use. One that is lost stays so, and `lost` says why; one that is
 * restorable goes on with `reopen`.
 */
export class Gpu {
  /** Live bytes of buffers and textures made here. */
  bytes = 0;
  /** Times passes while one is here: what a bench sets. */
  timer: PassTimer | null = null;
  /** Set once the device is lost: why. Null while it lives. */
  lost: string | null = null;
  readonly info: AdapterInfo;
  readonly limits: GPUSupportedLimits;
  /** A CPU drives this adapter: workgroup barriers cost many times the kernel, so kernels scatter instead of staging. */
  readonly software: boolean;
  /** The device can time passes. */
  readonly timestamps: boolean;
  private readonly sizes = new WeakMap<GPUBuffer | GPUTexture, number>();
  private readonly errors: string[] = [];
  private freed = 0;
  private readonly modules = new Map<string, GPUShaderModule>();
  private readonly pipelines = new Map<string, Promise<GPURenderPipeline | GPUComputePipeline>>();

  private readonly lossFollowers = new Set<(reason: string) => void>();
  private readonly restoreFollowers = new Set<() => void>();
  private readonly restorable: Restorable | null;
  private closing = false;
  /** What messages and commands go to; of a restorable one, a stand-in for the device in use. */
  readonly device: GPUDevice;

  private constructor(
    device: GPUDevice,
    info: GPUAdapterInfo,
    private readonly rest: GpuOptions['rest'],
    private readonly asked: GPUDeviceDescriptor,
    restorable: boolean,
  ) {
    this.restorable = restorable ? makeRestorable(device) : null;
    this.device = this.restorable?.device ?? device;
    this.info = { vendor: info.vendor, architecture: info.architecture, description: info.description };
    this.limits = device.limits;
    this.software =
      info.architecture === 'swiftshader' ||
      /swiftshader|llvmpipe|lavapipe|basic render/i.test(info.description);
    this.timestamps = device.features.has('timestamp-query');
    this.watch(device);
  }

  /** Opens a device with the adapter's own buffer limits; the defaults refuse a 4096² heightfield. */
  static async open(
    adapter: GPUAdapter,
    { limits = {}, rest, restorable = false }: GpuOptions = {},
  ): Promise<Gpu> {
    const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
    const requiredFeatures = (['timestamp-query'] as const).filter((name) => adapter.features.has(name));
    const asked = {
      label: 'moonscape',
      requiredFeatures,
      requiredLimits: { maxBufferSize, maxStorageBufferBindingSize, ...limits },
    };
    return new Gpu(await adapter.requestDevice(asked), adapter.info, rest, asked, restorable);
  }

  /** The device itself, for what takes no stand-in: a canvas. */
  get realDevice(): GPUDevice {
    return realOf(this.device);
  }

  /** Calls back when the device is lost, with why; not for `destroy`. Returns what takes it off. */
  onLost(follower: (reason: string) => void): () => void {
    this.lossFollowers.add(follower);
    return () => void this.lossFollowers.delete(follower);
  }

  /**
   * Calls back once another device has taken the lost one's place: everything made here stands, with all that the processor wrote into
   * it. What kernels computed is zero, and whoever dispatched them does so again. Returns what takes it off.
   */
  onRestore(follower: () => void): () => void {
    this.restoreFollowers.add(follower);
    return () => void this.restoreFollowers.delete(follower);
  }

  /** Goes on with another device, of `adapter`, after a loss. Rejects where there is none, and where this one is not restorable. */
  async reopen(adapter: GPUAdapter): Promise<void> {
    if (!this.restorable) throw new MoonscapeError('this device was not opened to be restored');
    const device = await adapter.requestDevice(this.asked);
    this.lost = null;
    this.watch(device);
    await this.restorable.restore(device);
    // What was said of the old device, and of commands that were under way on it.
    this.errors.length = 0;
    if (this.lost === null) for (const follower of [...this.restoreFollowers]) follower();
  }

  private watch(device: GPUDevice): void {
    device.addEventListener('uncapturederror', (event) => this.errors.push(event.error.message));
    void device.lost.then(({ reason, message }) => {
      this.lost = `${reason}: ${message}`;
      if (!this.closing) for (const follower of [...this.lossFollowers]) follower(this.lost);
    });
  }

  /**
   * Refuses a storage buffer of `bytes` that the device could not hold or bind.
   * @param what names the thing and what could be lowered, for the message: `terrainMesh.create: the pool (maxNodes × nodeVerts²)`
   */
  checkStorageSize(what: string, bytes: number): void {
    const limit = Math.min(this.limits.maxBufferSize, this.limits.maxStorageBufferBindingSize);
    if (bytes > limit)
      throw new MoonscapeError(
        `${what} takes ${bytes} bytes, and a buffer of this adapter holds at most ${limit}`,
      );
  }

  /** A buffer of `size` bytes, rounded up to a whole word, at least one. */
  createBuffer(label: string, size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const bytes = Math.max(4, Math.ceil(size / 4) * 4);
    const buffer = this.device.createBuffer({ label, size: bytes, usage });
    this.count(buffer, bytes);
    return buffer;
  }

  /** A buffer that holds `data` from the start. */
  createBufferWith(label: string, data: ArrayBufferView<ArrayBuffer>, usage: GPUBufferUsageFlags): GPUBuffer {
    const buffer = this.createBuffer(label, data.byteLength, usage | GPUBufferUsage.COPY_DST);
    if (data.byteLength > 0) this.device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  /** A texture, counted at `bytesPerTexel` × its samples, those of its mip levels too. */
  createTexture(descriptor: GPUTextureDescriptor & { label: string }, bytesPerTexel: number): GPUTexture {
    const texture = this.device.createTexture(descriptor);
    let texels = 0;
    for (let level = 0; level < texture.mipLevelCount; level++)
      texels += Math.max(1, texture.width >> level) * Math.max(1, texture.height >> level);
    this.count(texture, texels * texture.depthOrArrayLayers * texture.sampleCount * bytesPerTexel);
    return texture;
  }

  /** Destroys a buffer or texture made here; nothing happens for one that is gone already. */
  free(resource: GPUBuffer | GPUTexture | null | undefined): void {
    if (!resource) return;
    const size = this.sizes.get(resource) ?? 0;
    this.bytes -= size;
    this.freed += size;
    this.sizes.delete(resource);
    resource.destroy();
    // A script that opens and closes fields by the hundred before its first frame submits nothing otherwise.
    if (this.freed < FREED_UNTIL_SUBMIT || this.lost) return;
    this.freed = 0;
    this.device.queue.submit([]);
  }

  /** The module of a shader file, compiled once. `file` names it in messages. */
  shader(file: string, code: string): GPUShaderModule {
    let module = this.modules.get(file);
    if (!module) {
      module = this.device.createShaderModule({ label: file, code });
      this.modules.set(file, module);
    }
    return module;
  }

  /** A compute pipeline, made once for each `label`. A shader that does not compile is an error that names file and entry point. */
  computePipeline(label: string, descriptor: GPUComputePipelineDescriptor): Promise<GPUComputePipeline> {
    return this.pipeline(label, () =>
      this.device.createComputePipelineAsync({ label, ...descriptor }),
    ) as Promise<GPUComputePipeline>;
  }

  /** A render pipeline, made once for each `label`. */
  renderPipeline(label: string, descriptor: GPURenderPipelineDescriptor): Promise<GPURenderPipeline> {
    return this.pipeline(label, () =>
      this.device.createRenderPipelineAsync({ label, ...descriptor }),
    ) as Promise<GPURenderPipeline>;
  }

  /** Awaits work on the device, leaving a software adapter the processor. */
  wait<T>(work: Promise<T>): Promise<T> {
    return this.software && this.rest ? this.rest(work) : work;
  }

  /** Waits until the queue is empty, then throws what went wrong on the device since the last call. */
  async settle(): Promise<void> {
    await this.wait(this.device.queue.onSubmittedWorkDone());
    this.throwFailure();
  }

  /** Throws what is known so far to have gone wrong on the device since the last call. */
  throwFailure(): void {
    if (this.lost) throw new MoonscapeError(`the GPU device was lost (${this.lost})`);
    const [first] = this.errors.splice(0);
    if (first !== undefined) throw new MoonscapeError(`the GPU refused a command: ${first}`);
  }

  /** Bytes of `buffer` from `offset`, read back. */
  async read(buffer: GPUBuffer, offset = 0, size = buffer.size - offset): Promise<ArrayBuffer> {
    const staging = this.createBuffer('readback', size, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
    try {
      const encoder = this.device.createCommandEncoder({ label: 'readback' });
      encoder.copyBufferToBuffer(buffer, offset, staging, 0, size);
      this.device.queue.submit([encoder.finish()]);
      await this.wait(staging.mapAsync(GPUMapMode.READ));
      return staging.getMappedRange().slice(0);
    } finally {
      this.free(staging);
    }
  }

  /**
   * Destroys the device. It waits for pipelines that still compile and for the queue first: Dawn's compiler threads
   * outlive neither the device nor the process.
   */
  async destroy(): Promise<void> {
    this.closing = true;
    await Promise.allSettled(this.pipelines.values());
    if (!this.lost) await this.wait(this.device.queue.onSubmittedWorkDone()).catch(() => {});
    this.device.destroy();
    await this.device.lost;
    this.modules.clear();
    this.pipelines.clear();
  }

  private count(resource: GPUBuffer | GPUTexture, bytes: number): void {
    this.sizes.set(resource, bytes);
    this.bytes += bytes;
  }

  private pipeline<T extends GPURenderPipeline | GPUComputePipeline>(
    label: string,
    make: () => Promise<T>,
  ): Promise<T> {
    const known = this.pipelines.get(label);
    if (known) return known as Promise<T>;
    const made = this.wait(make()).catch((cause: unknown) => {
      this.pipelines.delete(label);
      throw new MoonscapeError(
        `pipeline ${label}: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      );
    });
    this.pipelines.set(label, made);
    return made;
  }
}
