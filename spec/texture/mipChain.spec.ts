import { expect } from 'chai';
import fc from 'fast-check';
import { createMapArray } from '../../runtime/texture/gpuTexture.js';
import { colorOf, firstOf, plain, slopesOf } from '../../runtime/texture/mapPixels.js';
import { levelCount, meanOf, mipChain, resize, type FloatImage } from '../../runtime/texture/mipChain.js';
import { decodeSrgb, encodeSrgb } from '../../runtime/texture/srgb.js';
import { Texture } from '../../runtime/texture/texture.js';
import { freeing } from '../support/gpu.js';

/** Numbers of about 1 in f32, added up some thousand times. */
const F32_SUMS = 1e-4;

const image = fc
  .tuple(
    fc.integer({ min: 1, max: 13 }),
    fc.integer({ min: 1, max: 13 }),
    fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
  )
  .map(([width, height, numbers]): FloatImage => {
    const data = Float32Array.from({ length: width * height * 4 }, () => numbers.next().value);
    return { width, height, data };
  });

describe('mipChain', () => {
  it('halves each side down to one texel, as a GPU counts levels', () => {
    for (const [width, height, count] of [
      [1, 1, 1],
      [2, 1, 2],
      [5, 3, 3],
      [64, 16, 7],
    ]) {
      const levels = mipChain(plain(width, height, [0, 0, 0, 0]), 'linear');
      expect(levels.length).to.equal(count);
      expect(levelCount(width, height)).to.equal(count);
      levels.forEach((level, l) => {
        expect([level.width, level.height]).to.deep.equal([
          Math.max(1, width >> l),
          Math.max(1, height >> l),
        ]);
        expect(level.data.length).to.equal(level.width * level.height * 4);
      });
    }
  });

  it('averages colours as light: black and white make the grey that sends half as much', () => {
    const checks = Texture.create({
      width: 4,
      height: 4,
      format: 'r8',
      data: (i: number, j: number) => ((i ^ j) & 1) * 255,
    });
    const levels = mipChain(colorOf(checks), 'color');
    expect([...levels[0].data.subarray(0, 8)]).to.deep.equal([0, 0, 0, 255, 255, 255, 255, 255]);
    // 0.5 by IEC 61966-2-1 is 187.5.
    for (const { data } of levels.slice(1)) expect(data[0]).to.be.within(187, 188);
  });

  it('makes normals unit again, of the slope that the texels have on average', () => {
    // Two slopes along x, 0.75 and 0: the smoothed surface rises 0.375 a metre.
    const normals = Texture.create({
      width: 2,
      height: 2,
      format: 'rgba8',
      data: (i: number) =>
        i === 0 ? [128 + 0.6 * 127.5, 128, 128 + 0.8 * 127.5, 255].map(Math.round) : [128, 128, 255, 255],
    });
    const [, { data }] = mipChain(slopesOf(normals), 'matter');
    const x = (data[0] - 128) / 127;
    const z = Math.sqrt(1 - x * x);
    expect(x / z).to.be.closeTo(0.375, 0.01);
    expect(data[1]).to.equal(128);
  });

  it('keeps a level normal exactly level', () => {
    const level = mipChain(
      slopesOf(Texture.create({ width: 8, height: 8, format: 'rgba8', data: () => [128, 128, 255, 255] })),
      'matter',
    );
    for (const { data } of level)
      for (let at = 0; at < data.length; at += 4) expect([data[at], data[at + 1]]).to.deep.equal([128, 128]);
  });

  it('keeps the mean at every size, odd ones too', () => {
    fc.assert(
      fc.property(
        image,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        (source, width, height) => {
          const smaller = resize(source, Math.min(width, source.width), Math.min(height, source.height));
          meanOf(smaller).forEach((part, i) => expect(part).to.be.closeTo(meanOf(source)[i], F32_SUMS));
        },
      ),
    );
  });

  it('goes through repeats where it grows: the far edge blends into the near one', () => {
    const edge = resize({ width: 2, height: 1, data: Float32Array.of(0, 0, 0, 0, 1, 1, 1, 1) }, 4, 1);
    expect([0, 4, 8, 12].map((at) => edge.data[at])).to.deep.equal([0.25, 0.25, 0.75, 0.75]);
  });

  it('finds each byte of sRGB again', () => {
    for (let byte = 0; byte < 256; byte++) expect(encodeSrgb(decodeSrgb(byte))).to.equal(byte);
  });

  it('reads 16 bits and single channels as the same picture in 8', () => {
    const wide = Texture.create({ width: 1, height: 1, format: 'r16', data: [0x8080] });
    const narrow = Texture.create({ width: 1, height: 1, format: 'rgba8', data: [0x80, 0x80, 0x80, 1] });
    colorOf(wide).data.forEach((part, i) => expect(part).to.be.closeTo(colorOf(narrow).data[i], 1e-6));
    expect(firstOf(wide).data[3]).to.be.closeTo(0x80 / 255, 1e-6);
  });
});

describe('gpuTexture', () => {
  it('counts the bytes of every slice and level, and gives them back', () =>
    freeing((gpu) => {
      const before = gpu.bytes;
      const images = [plain(8, 4, [0, 0, 0, 0]), plain(8, 4, [1, 1, 1, 1])];
      const made = createMapArray(gpu, { label: 'maps', images, kind: 'color' });
      expect(gpu.bytes - before).to.equal(2 * 4 * (8 * 4 + 4 * 2 + 2 * 1 + 1));
      gpu.free(made);
    }));
});
