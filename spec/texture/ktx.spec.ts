import { expect } from 'chai';
import fc from 'fast-check';
import { read } from 'ktx-parse';
import { readGuid, readTexture, writeTexture } from '../../runtime/texture/ktx.js';
import {
  allocatePixels,
  Texture,
  TEXTURE_FORMATS,
  type TextureFormat,
} from '../../runtime/texture/texture.js';

const GUID = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const PATH = 'source/ground.texture';

/** A texture of random bits, so that floats are NaNs with payloads, denormals and -0 as well. */
function randomBits(format: TextureFormat, width: number, height: number, seed: number): Texture {
  const pixels = allocatePixels(format, width * height);
  const bytes = new Uint8Array(pixels.buffer);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.imul(i + seed, 0x9e3779b1) >>> 13;
  return new Texture(width, height, format, pixels);
}

const bits = ({ data }: Texture) =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('hex');

describe('.texture', () => {
  it('says that its first row is the upper one', () => {
    const texture = Texture.create({ width: 1, height: 1, format: 'r8', data: [7] });
    expect(read(writeTexture(texture, GUID)).keyValue.KTXorientation).to.equal('rd');
  });

  it('goes out and in bit for bit in every format', () => {
    const any = fc.tuple(
      fc.constantFrom(...TEXTURE_FORMATS),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer(),
    );
    fc.assert(
      fc.property(any, ([format, width, height, seed]) => {
        const texture = randomBits(format, width, height, seed);
        const back = readTexture(writeTexture(texture, GUID), PATH);
        expect(back).to.include({ width, height, format, guid: GUID });
        expect(bits(back)).to.equal(bits(texture));
      }),
    );
  });

  it('keeps NaN payloads and -0', () => {
    const pixels = new Float32Array(4);
    new Uint32Array(pixels.buffer).set([0x7fc12345, 0xff812345, 0x80000000, 0x00000001]);
    const texture = new Texture(4, 1, 'r32f', pixels);
    expect(bits(readTexture(writeTexture(texture, GUID), PATH))).to.equal(bits(texture));
  });

  it('carries guid, size and source', () => {
    const texture = randomBits('rgba32f', 2, 2, 1);
    texture.size = [870, 610.25];
    texture.source = { bitDepth: 16, channels: 1, kind: 'PNG, 16-bit grey' };
    const back = readTexture(writeTexture(texture, GUID), PATH);
    expect(back.size).to.deep.equal([870, 610.25]);
    expect(back.source).to.deep.equal(texture.source);
    expect(readGuid(writeTexture(texture, GUID))).to.equal(GUID);
  });

  it('is compressed where that makes it smaller, and only there', () => {
    const flat = Texture.create({
      width: 64,
      height: 64,
      format: 'rgba32f',
      data: new Array(64 * 64 * 4).fill(1),
    });
    const packed = writeTexture(flat, GUID);
    expect(read(packed).supercompressionScheme).to.equal(3);
    expect(packed.length).to.be.below(2000);
    expect(read(writeTexture(randomBits('r32f', 3, 3, 1), GUID)).supercompressionScheme).to.equal(0);
  });

  it('gives the same bytes twice', () => {
    const write = () => Buffer.from(writeTexture(randomBits('rgba16', 5, 5, 3), GUID)).toString('hex');
    expect(write()).to.equal(write());
  });

  it('refuses a file cut at any byte by its path', () => {
    for (const size of [3, 40]) {
      const texture = Texture.create({
        width: size,
        height: 2,
        format: 'r32f',
        data: new Array(size * 2).fill(2),
      });
      const bytes = writeTexture(texture, GUID);
      // In a buffer that goes on, so that reading past the cut would not be seen as such.
      for (let length = 0; length < bytes.length; length++) {
        expect(() => readTexture(bytes.subarray(0, length), PATH)).to.throw(
          /^texture\.load: source\/ground\.texture(:| is) /,
        );
      }
    }
  });

  it('refuses or survives a change of any byte', () => {
    const texture = Texture.create({ width: 40, height: 2, format: 'r16', data: new Array(80).fill(900) });
    const bytes = writeTexture(texture, GUID);
    for (let at = 0; at < bytes.length; at++) {
      const spoiled = bytes.slice();
      spoiled[at] ^= 0x41;
      try {
        expect(bits(readTexture(spoiled, PATH))).to.have.length(320);
      } catch (error) {
        expect((error as Error).message).to.match(/^texture\.load: source\/ground\.texture(:| is) /);
      }
    }
  });

  it('names a format, a supercompression and a shape that it does not take', () => {
    const bytes = writeTexture(randomBits('rgba8', 2, 2, 1), GUID);
    const patched = (offset: number, value: number) => {
      const copy = bytes.slice();
      new DataView(copy.buffer).setUint32(offset, value, true);
      return () => readTexture(copy, PATH);
    };
    expect(patched(12, 43)).to.throw(/vkFormat must be one of 9 \(r8\), .* 109 \(rgba32f\), got 43/);
    expect(patched(20, 0)).to.throw('got 0×2');
    expect(patched(36, 6)).to.throw('6 faces');
    expect(patched(44, 2)).to.throw('supercompression must be none (0) or zlib (3), got 2');
    expect(() => readTexture(new Uint8Array(0), PATH)).to.throw('source/ground.texture is empty');
  });
});
