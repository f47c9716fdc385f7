import { expect } from 'chai';
import { FORMAT_FACTS, Texture, TEXTURE_FORMATS } from '../../runtime/texture/texture.js';

describe('texture', () => {
  describe('create', () => {
    it('takes row-major lists and functions for every format', () => {
      for (const format of TEXTURE_FORMATS) {
        const { channels } = FORMAT_FACTS[format];
        const data = Array.from({ length: 6 * channels }, (_, i) => i * 7);
        const listed = Texture.create({ width: 3, height: 2, format, data });
        const asked = Texture.create({
          ...{ width: 3, height: 2, format },
          data: (col, row) => data.slice((row * 3 + col) * channels, (row * 3 + col + 1) * channels),
        });
        expect(Array.from(listed.data)).to.deep.equal(data);
        expect(Array.from(asked.data)).to.deep.equal(data);
        expect(listed.read(2, 1)).to.deep.equal(data.slice(-channels));
      }
    });

    it('takes a plain number of a function for one channel', () => {
      const texture = Texture.create({ width: 2, height: 2, format: 'r32f', data: (col, row) => col - row });
      expect(Array.from(texture.data)).to.deep.equal([0, 1, -1, 0]);
    });

    it('refuses wrong sides, formats, lengths and values by name, value and rule', () => {
      const make = (options: object) => () =>
        Texture.create({ width: 2, height: 1, format: 'r8', data: [1, 2], ...options });
      expect(make({ width: 0 })).to.throw('texture.create: width must be an integer in 1..65536, got 0');
      expect(make({ height: -3 })).to.throw('height must be an integer in 1..65536, got -3');
      expect(make({ width: NaN })).to.throw('width must be an integer in 1..65536, got NaN');
      expect(make({ width: 1.5 })).to.throw('got 1.5');
      expect(make({ width: 65536, height: 65536 })).to.throw(
        'width × height must be at most 134217728 texels',
      );
      expect(make({ format: 'rgb8' })).to.throw('format must be one of "r8", "rg8"');
      expect(make({ data: [1] })).to.throw('data must be 2 numbers (2×1 texels of r8), got 1');
      expect(make({ data: 'zz' })).to.throw('data must be a list of numbers or a function');
      expect(make({ data: [1, 256] })).to.throw(
        'column 1, row 0, channel 1 must be a whole number in 0..255, got 256',
      );
      expect(make({ data: [1, 0.5] })).to.throw('got 0.5');
      expect(make({ data: [1, NaN] })).to.throw('got NaN');
      expect(make({ data: [1, '2'] })).to.throw('got "2"');
      expect(make({ data: () => [1, 2] })).to.throw('data(0, 0) must be a number');
      expect(make({ format: 'rg8', data: () => 1 })).to.throw('data(0, 0) must be 2 numbers, got 1');
      expect(make({ widht: 3 })).to.throw('there is no field "widht" (did you mean "width"?)');
    });
  });

  describe('update', () => {
    const make = () => Texture.create({ width: 3, height: 3, format: 'r16', data: new Array(9).fill(0) });

    it('changes the rectangle alone and counts', () => {
      const texture = make();
      texture.update({ col: 1, row: 1, width: 2, height: 1, data: [5, 6] });
      expect(Array.from(texture.data)).to.deep.equal([0, 0, 0, 0, 5, 6, 0, 0, 0]);
      texture.update({ row: 2, data: (col) => col });
      expect(Array.from(texture.data)).to.deep.equal([0, 0, 0, 0, 5, 6, 0, 1, 2]);
      expect(texture.revision).to.equal(2);
    });

    it('changes nothing where a value or a place is refused', () => {
      const texture = make();
      expect(() => texture.update({ col: 3, data: [1] })).to.throw('col must be an integer in 0..2, got 3');
      expect(() => texture.update({ col: 2, width: 2, data: [1, 2] })).to.throw(
        'width must be an integer in 1..1',
      );
      expect(() => texture.update({ height: 1, data: [1, 2, 70000] })).to.throw('0..65535, got 70000');
      expect(Array.from(texture.data)).to.deep.equal(new Array(9).fill(0));
      expect(texture.revision).to.equal(0);
    });
  });

  describe('destroy', () => {
    it('makes any use an error that names the texture', () => {
      const texture = Texture.create({ width: 1, height: 2, format: 'r8', data: [1, 2] });
      texture.destroy();
      texture.destroy();
      expect(texture.destroyed).to.equal(true);
      expect(() => texture.read(0, 0)).to.throw('the 1×2 r8 texture is destroyed');
      expect(() => texture.update({ data: [1, 2] })).to.throw('is destroyed');
    });
  });
});
