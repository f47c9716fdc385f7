import { expect } from 'chai';
import { crc32 } from '../../runtime/texture/checksum.js';
import { encode as fastEncode } from 'fast-png';
import fc from 'fast-check';
import { decodePng, encodePng } from '../../runtime/texture/png.js';
import { Texture } from '../../runtime/texture/texture.js';
import { chunk, makePng, type PngImage } from './pngEncoder.js';

const PATH = 'source/ground.png';
const KINDS: [PngImage['colourType'], PngImage['depth']][] = [
  ...([1, 2, 4, 8, 16] as const).map((depth): [0, typeof depth] => [0, depth]),
  [2, 8],
  [2, 16],
  ...([1, 2, 4, 8] as const).map((depth): [3, typeof depth] => [3, depth]),
  [4, 8],
  [4, 16],
  [6, 8],
  [6, 16],
];
const SAMPLES = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Any picture of a kind: samples of its depth, a whole palette, either interlacing, any filters. */
const anyImage = (colourType: PngImage['colourType'], depth: PngImage['depth']) =>
  fc
    .record({
      width: fc.integer({ min: 1, max: 19 }),
      height: fc.integer({ min: 1, max: 19 }),
      interlaced: fc.boolean(),
      seed: fc.integer(),
      filter: fc.integer({ min: 0, max: 5 }),
      split: fc.integer({ min: 1, max: 60 }),
    })
    .map(({ width, height, interlaced, seed, filter, split }): PngImage => {
      const length = width * height * SAMPLES[colourType];
      const random = (i: number) => (Math.imul(i + seed, 0x9e3779b1) >>> 7) % 2 ** depth;
      return {
        ...{ width, height, depth, colourType, interlaced, split },
        samples: Array.from({ length }, (_, i) => random(i)),
        ...(filter === 5 ? {} : { filter: () => filter }),
        ...(colourType === 3
          ? { palette: Array.from({ length: 3 * 2 ** depth }, (_, i) => (i * 37) & 255) }
          : {}),
      };
    });

/** The texel values that a picture must decode to. */
function expected({ colourType, depth, samples, palette = [], transparency }: PngImage): number[] {
  const opaque = depth === 16 ? 65535 : 255;
  const perPixel = SAMPLES[colourType];
  const texels: number[] = [];
  for (let at = 0; at < samples.length; at += perPixel) {
    const pixel = Array.from({ length: perPixel }, (_, s) => samples[at + s]);
    if (colourType === 3) {
      const [index] = pixel;
      texels.push(...palette.slice(index * 3, index * 3 + 3), transparency?.[index] ?? 255);
      continue;
    }
    texels.push(...pixel);
    const key = transparency && pixel.map((_, s) => transparency[2 * s] * 256 + transparency[2 * s + 1]);
    if (key) texels.push(pixel.every((sample, s) => sample === key[s] % 2 ** depth) ? 0 : opaque);
    else if (colourType === 2) texels.push(opaque);
  }
  return texels;
}

describe('png', () => {
  it('refuses pixels that their own checksum does not match, though the chunk’s does', () => {
    const texture = Texture.create({ width: 4, height: 4, format: 'r8', data: (col, row) => col * row });
    const bytes = Uint8Array.from(encodePng(texture));
    const name = Buffer.from(bytes).indexOf('IDAT');
    const view = new DataView(bytes.buffer);
    const end = name + 4 + view.getUint32(name - 4);
    bytes[end - 1] ^= 1;
    view.setUint32(end, crc32(bytes.subarray(name, end)));
    expect(() => decodePng(bytes, 'a.png')).to.throw('the checksum of its pixels does not match');
  });

  describe('decodePng', () => {
    for (const [colourType, depth] of KINDS) {
      it(`gives the exact samples of colour type ${colourType} at ${depth} bits, interlaced or not`, () => {
        fc.assert(
          fc.property(anyImage(colourType, depth), (image) => {
            const texture = decodePng(makePng(image), PATH);
            expect([texture.width, texture.height]).to.deep.equal([image.width, image.height]);
            expect(Array.from(texture.data)).to.deep.equal(expected(image));
            expect(texture.source).to.include({ channels: SAMPLES[colourType] });
            expect(texture.source!.bitDepth).to.equal(colourType === 3 ? 8 : depth);
          }),
          { numRuns: 40 },
        );
      });
    }

    it('names formats by their channels and depth', () => {
      const format = (
        colourType: PngImage['colourType'],
        depth: PngImage['depth'],
        more: Partial<PngImage> = {},
      ) =>
        decodePng(makePng({ width: 1, height: 1, depth, colourType, samples: [0, 0, 0, 0], ...more }), PATH)
          .format;
      expect(format(0, 1)).to.equal('r8');
      expect(format(0, 16)).to.equal('r16');
      expect(format(0, 16, { transparency: [0, 0] })).to.equal('rg16');
      expect(format(4, 8)).to.equal('rg8');
      expect(format(2, 8)).to.equal('rgba8');
      expect(format(6, 16)).to.equal('rgba16');
      expect(format(3, 2, { palette: [1, 2, 3] })).to.equal('rgba8');
    });

    it('makes a colour key alpha 0, by the bits that the depth has', () => {
      for (const image of [
        { width: 3, height: 1, depth: 4, colourType: 0, samples: [3, 5, 3], transparency: [0xff, 0x03] },
        { width: 3, height: 1, depth: 16, colourType: 0, samples: [3, 259, 3], transparency: [1, 3] },
        {
          ...{ width: 2, height: 1, depth: 8, colourType: 2 },
          ...{ samples: [1, 2, 3, 1, 2, 4], transparency: [0, 1, 0, 2, 0, 3] },
        },
      ] as PngImage[]) {
        expect(Array.from(decodePng(makePng(image), PATH).data)).to.deep.equal(expected(image));
      }
    });

    it("gives a palette's colours their alphas, opaque where the list ends", () => {
      const image: PngImage = {
        ...{ width: 4, height: 1, depth: 2, colourType: 3, samples: [0, 1, 2, 1] },
        ...{ palette: [10, 11, 12, 20, 21, 22, 30, 31, 32], transparency: [0, 128] },
      };
      expect(Array.from(decodePng(makePng(image), PATH).data)).to.deep.equal(expected(image));
    });

    it('passes over profiles, gamma and chunks that it need not know, also broken ones', () => {
      const extra = [chunk('gAMA', [0, 0, 0xb1, 0x8f]), chunk('iCCP', [65, 0, 0, 9, 9]), chunk('xyZz', [1])];
      const image: PngImage = { width: 2, height: 1, depth: 16, colourType: 0, samples: [257, 65535], extra };
      expect(Array.from(decodePng(makePng(image), PATH).data)).to.deep.equal([257, 65535]);
    });

    it('reads files of another encoder', () => {
      for (const interlace of ['null', 'Adam7'] as const) {
        const data = Uint16Array.from({ length: 11 * 7 }, (_, i) => i * 811);
        const bytes = fastEncode({ width: 11, height: 7, channels: 1, depth: 16, data }, { interlace });
        expect(Array.from(decodePng(bytes, PATH).data)).to.deep.equal(Array.from(data));
      }
    });

    it('reads out of the middle of a larger buffer', () => {
      const bytes = makePng({ width: 2, height: 2, depth: 8, colourType: 0, samples: [1, 2, 3, 4] });
      const whole = new Uint8Array(bytes.length + 14).fill(7);
      whole.set(bytes, 7);
      expect(Array.from(decodePng(whole.subarray(7, 7 + bytes.length), PATH).data)).to.deep.equal([
        1, 2, 3, 4,
      ]);
    });
  });

  describe('decodePng, given something else', () => {
    const small: PngImage = {
      width: 9,
      height: 7,
      depth: 16,
      colourType: 0,
      samples: new Array(63).fill(513),
    };
    const refused = (bytes: Uint8Array, message: RegExp) =>
      expect(() => decodePng(bytes, PATH)).to.throw(message);

    it('refuses a file cut at any byte, never with half a picture', () => {
      for (const interlaced of [false, true]) {
        const bytes = makePng({ ...small, interlaced, split: 9 });
        for (let length = 0; length < bytes.length; length++) {
          refused(
            bytes.subarray(0, length),
            /texture\.load: source\/ground\.png (is empty|is not a PNG|is cut short)/,
          );
        }
      }
    });

    it('refuses a change of any byte, or reads the same picture', () => {
      const bytes = makePng(small);
      const right = Array.from(decodePng(bytes, PATH).data);
      for (let at = 0; at < bytes.length; at++) {
        const spoiled = bytes.slice();
        spoiled[at] ^= 0x21;
        let read: number[] | null = null;
        try {
          read = Array.from(decodePng(spoiled, PATH).data);
        } catch (error) {
          expect((error as Error).message).to.match(/^texture\.load: source\/ground\.png /);
        }
        if (read) expect(read).to.deep.equal(right);
      }
    });

    it('never hangs or breaks on random bytes behind a signature', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), (tail) => {
          const bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, ...tail]);
          refused(bytes, /texture\.load: source\/ground\.png /);
        }),
      );
    });

    it('calls other formats by their names', () => {
      refused(new Uint8Array(0), /is empty/);
      refused(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16), /is not a PNG, this is a JPEG/);
      refused(Buffer.from('GIF89a      '), /this is a GIF/);
      refused(Buffer.from('RIFF....WEBPVP8L'), /this is a WebP/);
      refused(Uint8Array.of(0x49, 0x49, 0x2a, 0, 8, 0, 0, 0), /this is a TIFF/);
      refused(Uint8Array.of(0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8), /this is a TIFF/);
      refused(Buffer.from('plain text'), /it must begin with 89 50 4e 47 0d 0a 1a 0a, got 70 6c 61 69/);
    });

    it('names the size, the chunk and the place of a fault', () => {
      refused(makePng({ ...small, width: 0, samples: [] }), /width and height must be .*, got 0×7/);
      refused(makePng({ ...small, height: 0, samples: [] }), /got 9×0/);
      const huge = makePng({ width: 1, height: 1, depth: 8, colourType: 0, samples: [1] });
      const header = chunk('IHDR', [0, 0, 0x40, 0, 0, 0, 0x20, 0, 8, 0, 0, 0, 0]);
      refused(
        Buffer.concat([huge.subarray(0, 8), header, huge.subarray(33)]),
        /is cut short: .* cannot hold its 16384×8192/,
      );
      refused(makePng({ ...small, filter: () => 5 }), /row 0 has the unknown filter 5/);
      refused(
        makePng({ ...small, spoil: (stream) => stream.subarray(0, 40) }),
        /must inflate to 133 bytes, got 40/,
      );
      refused(
        makePng({ ...small, spoil: (stream) => Buffer.concat([stream, stream]) }),
        /must inflate to 133 bytes, got more/,
      );
      refused(makePng({ ...small, extra: [chunk('ABCD', [])] }), /unknown critical chunk ABCD at byte 33/);
      refused(
        makePng({ ...small, colourType: 4, depth: 4, samples: new Array(126).fill(1) }),
        /bit depth of a grey and alpha picture must be one of 8, 16, got 4/,
      );
      const palette: PngImage = {
        width: 2,
        height: 1,
        depth: 8,
        colourType: 3,
        samples: [0, 2],
        palette: [1, 2, 3, 4, 5, 6],
      };
      refused(makePng(palette), /column 1, row 0 has the colour 2 of 2/);
      refused(makePng({ ...palette, palette: undefined }), /has no PLTE chunk/);
    });
  });

  describe('encodePng', () => {
    it('writes 8 and 16 bits that decode to the same numbers', () => {
      for (const format of ['r8', 'rg8', 'rgba8', 'r16', 'rg16', 'rgba16'] as const) {
        const channels = { r: 1, rg: 2, rgba: 4 }[format.replace(/\d+/, '') as 'r'];
        const data = Array.from(
          { length: 15 * channels },
          (_, i) => (i * 4099) % (format.endsWith('16') ? 65536 : 256),
        );
        const back = decodePng(encodePng(Texture.create({ width: 5, height: 3, format, data })), PATH);
        expect(back.format).to.equal(format);
        expect(Array.from(back.data)).to.deep.equal(data);
      }
    });

    it('refuses floats', () => {
      const texture = Texture.create({ width: 1, height: 1, format: 'r32f', data: [1] });
      expect(() => encodePng(texture)).to.throw(/format must be of 8 or 16 bits, got "r32f"/);
    });
  });
});
