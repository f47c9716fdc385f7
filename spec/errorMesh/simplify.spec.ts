// The mesh without a camera: judged triangle by triangle against every stop, on pure noise, on hills, with holes, at any sides.
import { expect } from 'chai';
import fc from 'fast-check';
import { simplify } from '../../runtime/errorMesh/simplify.js';
import { verticesOf } from '../../runtime/errorMesh/vertices.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { noise } from '../../runtime/terrain/noise.js';
import { toTexture } from '../../runtime/terrain/toTexture.js';
import { Texture } from '../../runtime/texture/texture.js';
import { endsGround, groundArea, judge } from '../support/errorMesh.js';
import { fieldFacts, fieldOf, randomFrom, randomTexture } from '../support/fields.js';

function mask(width: number, height: number, share: number, seed: number): Texture {
  const random = randomFrom(seed);
  return Texture.create({ width, height, format: 'r8', data: () => [random() < share ? 0 : 255] });
}

const hills = (width: number, height: number, seed = 5) =>
  Heightfield.fromTexture(toTexture(noise({ width, height, amplitude: 30, frequency: 3, seed })));

/** Its triangles as stops of the lattice. */
const stopsOf = ({ stops, indices }: ReturnType<typeof simplify>) =>
  Array.from(indices, (vertex) => stops[vertex]);

describe('terrainErrorMesh.simplify', () => {
  it('holds every texel within the bound by closed triangles over all ground and no hole', () => {
    fc.assert(
      fc.property(
        fieldFacts,
        fc.constantFrom(0, 0, 0.02, 0.3),
        fc.double({ min: 0.01, max: 25, noNaN: true }),
        (facts, share, bound) => {
          const holes = share > 0 ? mask(...facts.texels, share, facts.seed) : undefined;
          holes?.update({ col: 0, row: 0, width: 1, height: 1, data: [255] });
          const hf = fieldOf(facts, holes ? { holes } : {});
          const mesh = simplify(hf, bound);
          const { lattice } = mesh;
          const judged = judge(lattice, stopsOf(mesh));
          expect(judged.error).to.be.at.most(bound + 1e-9);
          expect(judged.error).to.be.closeTo(mesh.maxError, 1e-9);
          expect([judged.turned, judged.bad, judged.area]).to.deep.equal([0, 0, groundArea(lattice)]);
          for (const edge of judged.open) expect(endsGround(lattice, edge), `edge ${edge}`).to.equal(true);
          expect(new Set(mesh.stops).size, 'a vertex a stop').to.equal(mesh.stops.length);
          expect(new Set(mesh.indices).size, 'vertices used').to.equal(mesh.stops.length);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('is the whole surface at a bound of 0', () => {
    const mesh = simplify(hills(20, 31), 0);
    expect(mesh.indices.length / 3).to.equal(2 * 21 * 32);
    expect(mesh.stops.length).to.equal(22 * 33);
    expect(mesh.maxError).to.equal(0);
    expect(judge(mesh.lattice, stopsOf(mesh)).error).to.equal(0);
  });

  it('needs few triangles: level ground next to none, hills ever fewer as the bound rises', () => {
    const level = Heightfield.fromTexture(
      Texture.create({ width: 300, height: 200, format: 'rgba32f', data: () => [7, 0, 0, 1] }),
      { size: [300, 200] },
    );
    expect(simplify(level, 0.01).indices.length / 3).to.be.below(30);
    const hf = hills(257, 257);
    let before = Infinity;
    for (const bound of [0.05, 0.1, 0.3, 1, 3, 10]) {
      const triangles = simplify(hf, bound).indices.length / 3;
      expect(triangles).to.be.below(before);
      before = triangles;
    }
  });

  it('makes the same mesh twice', () => {
    const [one, other] = [simplify(hills(90, 64), 0.3), simplify(hills(90, 64), 0.3)];
    expect(one.stops).to.deep.equal(other.stops);
    expect(one.indices).to.deep.equal(other.indices);
  });

  it('is the smallest field’s too', () => {
    const hf = Heightfield.fromTexture(randomTexture(1, 1, 3), { size: [4, 6] });
    const mesh = simplify(hf, 0.5);
    expect(judge(mesh.lattice, stopsOf(mesh)).area).to.equal(4);
    expect(mesh.maxError).to.equal(0);
  });

  it('holds ground whose heights are huge, tiny and steep', () => {
    for (const [amplitude, bound] of [
      [1e7, 40],
      [1e-3, 1e-5],
      [4000, 0.02],
    ]) {
      const hf = Heightfield.fromTexture(randomTexture(40, 23, 9, amplitude), { size: [40, 23] });
      const mesh = simplify(hf, bound);
      const judged = judge(mesh.lattice, stopsOf(mesh));
      expect(judged.error).to.be.at.most(bound * (1 + 1e-6));
      expect(judged.area).to.equal(groundArea(mesh.lattice));
    }
  });

  it('stands on the surface with the surface’s own normals', () => {
    const hf = hills(64, 48);
    const { lattice, stops } = simplify(hf, 1);
    const words = verticesOf(lattice, stops);
    expect(words.length).to.equal(stops.length * VERTEX_WORDS);
    for (let k = 0; k < stops.length; k++) {
      const at = k * VERTEX_WORDS;
      const [x, y, z] = words.subarray(at + VERTEX_OFFSET.position);
      expect(y).to.be.closeTo(hf.heightAt(x, z), 1e-4);
      const normal = [...words.subarray(at + VERTEX_OFFSET.normal, at + VERTEX_OFFSET.normal + 3)];
      hf.normalAt(x, z).forEach((part, axis) => expect(normal[axis]).to.be.closeTo(part, 1e-5));
      expect(words[at + VERTEX_OFFSET.uv0]).to.be.closeTo((x - hf.minX) / 64, 1e-6);
      expect(words[at + VERTEX_OFFSET.uv0 + 1]).to.be.closeTo((z - hf.minZ) / 48, 1e-6);
    }
  });

  it('tells how far it is', () => {
    const told: [number, number][] = [];
    const hf = Heightfield.fromTexture(randomTexture(300, 300, 9), { size: [300, 300] });
    const mesh = simplify(hf, 0.5, { progress: (triangles, off) => told.push([triangles, off]) });
    expect(told.length).to.be.above(0);
    for (const [triangles, off] of told) {
      expect(triangles).to.be.within(1, mesh.indices.length / 3);
      expect(off).to.be.within(0.5, 200);
    }
  });

  it('refuses what it cannot hold, by name', () => {
    const hf = hills(8, 8);
    const refused = (bound: unknown, message: RegExp) =>
      expect(() => simplify(hf, bound as number)).to.throw(message);
    refused(-1, /^terrainErrorMesh\.simplify: maxErrorMetres must be a finite number of at least 0, got -1$/);
    refused(
      NaN,
      /^terrainErrorMesh\.simplify: maxErrorMetres must be a finite number of at least 0, got NaN$/,
    );
    refused(Infinity, /maxErrorMetres must be a finite number/);
    refused('1', /maxErrorMetres must be a finite number of at least 0, got "1"/);
    refused(undefined, /maxErrorMetres must be .*, got nothing/);
    const bare = Heightfield.fromTexture(randomTexture(3, 3, 1), { size: [3, 3], holes: mask(3, 3, 1, 1) });
    expect(() => simplify(bare, 1)).to.throw(
      /^terrainErrorMesh\.simplify: the heightfield has no ground, all of it is cut/,
    );
    hf.close();
    refused(1, /^terrainErrorMesh\.simplify: this heightfield is closed/);
  });
});
