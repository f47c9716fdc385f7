// The GPU half of an open heightfield: the same texels that its queries read, and its holes, as buffers that the terrain
// kernels and the ground material load. Made by terrainHeightfield.open; it goes with its heightfield.
import { MoonscapeError } from '../errors.js';
import { GpuBuffer } from '../gpu/gpuBuffer.js';
import type { Gpu } from '../gpu/gpu.js';
import { grow } from './editTexels.js';
import type { Heightfield, TexelArea } from './heightfield.js';
import { TEXEL_WORDS } from './texels.js';

const attached = new WeakMap<Heightfield, FieldTexels>();

export class FieldTexels {
  /** 16 bytes a texel: height, d/dx, d/dz, coverage; rows × columns, row-major. */
  readonly texels: GpuBuffer;
  /** One byte a texel, four to a word: 0 cuts. A single word where there is no mask. */
  holes: GpuBuffer;

  private constructor(
    private readonly gpu: Gpu,
    texels: GpuBuffer,
    holes: GpuBuffer,
  ) {
    this.texels = texels;
    this.holes = holes;
  }

  /**
   * Uploads `hf` and follows it: refreshed and edited when it is, destroyed when it closes. Refuses a field past the adapter's
   * buffer limit, naming it as `name`.
   */
  static attach(gpu: Gpu, hf: Heightfield, name = 'terrainHeightfield.open: a heightfield'): FieldTexels {
    const what = `${name} of ${hf.width} × ${hf.height} texels, 16 bytes each,`;
    gpu.checkStorageSize(what, hf.cpu.byteLength);
    const texels = GpuBuffer.create(gpu, { data: hf.cpu, label: 'heightfield texels' });
    const field = new FieldTexels(gpu, texels, uploadHoles(gpu, hf));
    attached.set(hf, field);
    hf.onRefresh(() => field.refresh(hf));
    hf.onEdit({
      ready: (where) => texels.checkAlive(where),
      edited: ({ area }) => field.upload(hf, grow(hf, area)),
    });
    hf.onClose(() => field.destroy());
    return field;
  }

  /** The GPU half of `hf`; one that was made without a device has none, and cannot be drawn. */
  static of(hf: Heightfield, where: string): FieldTexels {
    const field = attached.get(hf);
    if (!field)
      throw new MoonscapeError(
        `${where}: this heightfield was made without a GPU; open it with terrainHeightfield.open`,
      );
    return field;
  }

  /** Puts the heightfield's texels and holes on the GPU again, into the same buffer of texels. */
  private refresh(hf: Heightfield): void {
    this.texels.write({ data: hf.cpu });
    this.holes.destroy();
    this.holes = uploadHoles(this.gpu, hf);
  }

  /** Puts an area's texels on the GPU again: a write a row, or one where whole rows lie side by side. */
  private upload(hf: Heightfield, { col, row, cols, rows }: TexelArea): void {
    const whole = cols === hf.width;
    const words = cols * TEXEL_WORDS * (whole ? rows : 1);
    for (let j = 0; j < (whole ? 1 : rows); j++) {
      const first = ((row + j) * hf.width + col) * TEXEL_WORDS;
      this.texels.write({ first, data: hf.cpu.subarray(first, first + words) });
    }
  }

  private destroy(): void {
    this.texels.destroy();
    this.holes.destroy();
  }
}

/** The mask at the field's own resolution, asked through the one rule that queries and colliders ask. */
function uploadHoles(gpu: Gpu, hf: Heightfield): GpuBuffer {
  const words = new Uint32Array(hf.mask ? Math.ceil((hf.width * hf.height) / 4) : 1);
  if (hf.mask) {
    const bytes = new Uint8Array(words.buffer);
    for (let j = 0, at = 0; j < hf.height; j++) {
      for (let i = 0; i < hf.width; i++, at++) bytes[at] = hf.cellHasGround(i, j) ? 255 : 0;
    }
  }
  return GpuBuffer.create(gpu, { data: words, label: 'heightfield holes' });
}
