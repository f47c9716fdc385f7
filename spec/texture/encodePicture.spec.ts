import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { encodePicture } from '../../runtime/texture/encodePicture.js';
import { decodePng } from '../../runtime/texture/png.js';

describe('encodePicture', () => {
  const packers = { 'its own packer': undefined, 'the host’s': (bytes: Uint8Array) => deflateSync(bytes) };
  for (const [name, deflate] of Object.entries(packers)) {
    it(`keeps every pixel, with ${name}`, () => {
      for (const [width, height] of [
        [1, 1],
        [1, 5],
        [7, 3],
        [64, 9],
      ]) {
        const data = Uint8Array.from(
          { length: width * height * 4 },
          (_, i) => (i * 151 + (i >> 3) * 97) & 255,
        );
        const back = decodePng(encodePicture({ width, height, data }, deflate), 'picture.png');
        expect([back.width, back.height, back.format]).to.deep.equal([width, height, 'rgba8']);
        expect(back.data).to.deep.equal(data);
      }
    });
  }
});
