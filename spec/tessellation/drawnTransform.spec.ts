import { expect } from 'chai';
import fc from 'fast-check';
import { DrawnTransform, settle, ulp32, type Direction } from '../../runtime/tessellation/drawnTransform.js';
import { evenly, placed, type Place } from '../support/boundaries.js';

const three = (reach: number) =>
  fc.tuple(evenly(-reach, reach), evenly(-reach, reach), evenly(-reach, reach));
const factor = fc.oneof(evenly(0.1, 9), evenly(-9, -0.1));
const matrix = fc
  .tuple(three(100), three(180), fc.tuple(factor, factor, factor))
  .map((parts) => placed(...parts));
const direction = three(1)
  .filter((v) => Math.hypot(...v) > 0.1)
  .map((v) => v.map((part) => part / Math.hypot(...v)) as unknown as Direction);

/** How far off its aim a place of the mesh is as it is drawn: by a matrix rounded to f32 but for its offset. */
function errorOf(m: Float64Array, local: Float32Array, aim: ArrayLike<number>): Place {
  const row = (k: number) =>
    Math.fround(m[k]) * local[0] +
    Math.fround(m[4 + k]) * local[1] +
    Math.fround(m[8 + k]) * local[2] +
    m[12 + k] -
    aim[k];
  return [row(0), row(1), row(2)];
}

describe('drawn transforms', () => {
  it('know a unit in the last place', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true, min: 2 ** -120 }), (value) => {
        const next = new Float32Array([value]);
        new Uint32Array(next.buffer)[0]++;
        fc.pre(Number.isFinite(next[0]));
        expect(ulp32(value)).to.equal(next[0] - value);
        expect(ulp32(-value)).to.equal(ulp32(value));
      }),
    );
    expect(ulp32(0)).to.equal(2 ** -149);
  });

  it('err outward where they cannot meet a place, as far as beside it, by little', () => {
    let [all, outward, overlapping] = [0, 0, 0];
    fc.assert(
      fc.property(matrix, three(100), direction, (m, world, out) => {
        const transform = new DrawnTransform(m);
        const local = new Float32Array(3);
        transform.toMesh(Float64Array.from(world), local, 0, out);
        const error = errorOf(m, local, world);
        const over = error.reduce((sum, part, k) => sum + part * out[k], 0);
        const beside = Math.sqrt(Math.max(0, Math.hypot(...error) ** 2 - over ** 2));
        const reach = [0, 1, 2].map((k) =>
          [0, 4, 8].reduce((sum, at) => sum + Math.abs(m[at + k] * local[at / 4]), Math.abs(world[k])),
        );
        expect(Math.max(...error.map(Math.abs))).to.be.at.most(2 * ulp32(Math.max(...reach)));
        if (Math.hypot(...error) < ulp32(Math.max(...reach)) / 1000) return;
        all++;
        if (over > 0) outward++;
        if (over >= beside) overlapping++;
      }),
      { numRuns: 2000 },
    );
    // Rounding to nearest has a half and a sixth.
    expect(outward / all).to.be.greaterThan(0.97);
    expect(overlapping / all).to.be.greaterThan(0.7);
  });

  it('bring a place of their mesh back to the bit', () =>
    fc.assert(
      fc.property(matrix, three(50), direction, (m, place, out) => {
        const local = Float32Array.from(place);
        const transform = new DrawnTransform(m);
        const world = new Float64Array(3);
        transform.toWorld(local[0], local[1], local[2], world);
        const back = new Float32Array(3);
        transform.toMesh(world, back, 0, out);
        // But for where a coordinate is so near to zero that the doubles on the way are coarser than its own steps.
        for (let k = 0; k < 3; k++) if (Math.abs(local[k]) > 1e-3) expect(back[k]).to.equal(local[k]);
      }),
      { numRuns: 1000 },
    ));

  it('settle on one place in any order, not more than some steps off', () => {
    const offset = fc.oneof(fc.float({ min: -40, max: 40, noNaN: true }), fc.integer({ min: -40, max: 40 }));
    const translation = fc.tuple(offset, offset, offset).map((position) => placed(position));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(translation, matrix), { minLength: 1, maxLength: 5 }),
        three(40),
        fc.nat(100),
        (matrices, world, turn) => {
          const transforms = matrices.map((m) => new DrawnTransform(m));
          const [a, b] = [Float64Array.from(world), Float64Array.from(world)];
          settle(a, 0, transforms);
          const turned = transforms.map((_, k) => transforms[(k + turn) % transforms.length]).reverse();
          settle(b, 0, turned);
          expect(a).to.deep.equal(b);
          // Meshes reach 80 m here: steps of 2^-17 m at most.
          for (let k = 0; k < 3; k++) expect(Math.abs(a[k] - world[k])).to.be.at.most(5 * 2 ** -17);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('have no way back from what is flattened or nowhere', () => {
    for (const [m, way] of [
      [placed([1, 2, 3], [10, 20, 30], [1, -2, 3]), true],
      [placed([0, 0, 0], [0, 0, 0], [1, 0, 1]), false],
      [placed([NaN, 0, 0]), false],
      [placed([0, 0, 0], [0, 0, 0], [1e-30, 1, 1]), true],
    ] as const)
      expect(new DrawnTransform(m).invertible).to.equal(way);
  });
});
