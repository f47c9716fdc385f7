import { expect } from 'chai';
import fc from 'fast-check';
import { box, plane, sphere, type Geometry } from '../../runtime/renderer/primitives.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import type { BakeJob } from '../../runtime/tessellation/bakeJob.js';
import { tessellate } from '../../runtime/tessellation/displace.js';
import { displacedBounds } from '../../runtime/tessellation/reach.js';
import { unmatchedEdges } from '../../runtime/tessellation/watertight.js';
import { freeing } from '../support/gpu.js';
import { bakeOf, heightMap, jobOf, roughMap, sourceOf } from '../support/tessellation.js';
import { geometryOf, icosphere, mirroredQuads, seamedCylinder } from '../support/tessellationSources.js';

/** Points and micro-triangles of a patch, level by level, as the reference counts them. */
const COUNTS = [
  [3, 1],
  [6, 4],
  [15, 16],
  [45, 64],
  [153, 256],
  [561, 1024],
  [2145, 4096],
];
/** A GPU may contract a · b + c; the twin does not. Metres and parts of unit vectors of about 1. */
const ROUNDING = 2e-5;

const CLOSED: Record<string, Geometry> = {
  cube: box(),
  icosphere: icosphere(1),
  sphere: sphere({ segments: 8, rings: 5 }),
  'UV-seamed cylinder': seamedCylinder(6),
};

const triangle = geometryOf([
  { position: [0, 0, 0], normal: [0, 0, 1], uv: [0.1, 0.2] },
  { position: [1.5, 0.1, 0], normal: [0.6, 0, 0.8], uv: [0.9, 0.3] },
  { position: [0.2, 1.1, 0.3], normal: [0, 0.28, 0.96], uv: [0.2, 0.8] },
]);

/** The words of vertex attribute `name` of vertex `vertex`. */
const read = (vertices: Float32Array, vertex: number, name: keyof typeof VERTEX_OFFSET, words = 3) => {
  const at = vertex * VERTEX_WORDS + VERTEX_OFFSET[name];
  return [...vertices.subarray(at, at + words)];
};

const dot = (a: number[], b: number[]) => a.reduce((sum, value, k) => sum + value * b[k], 0);

describe('tessellation kernels', () => {
  it('emit (n + 1)(n + 2) / 2 vertices and n² triangles a patch at every level, which the indices name each', () =>
    freeing(async (gpu) => {
      const source = sourceOf(triangle);
      for (const [level, [points, micro]] of COUNTS.entries()) {
        const { vertices, indices } = await bakeOf(gpu, jobOf(source, { level }), 'direct');
        // The buffer holds a multiple of four.
        expect(vertices.length / VERTEX_WORDS).to.equal(Math.ceil(points / 4) * 4);
        expect(indices.length).to.equal(micro * 3);
        expect(new Set(indices).size, `level ${level}`).to.equal(points);
        expect(Math.max(...indices)).to.equal(points - 1);
      }
    }));

  it('write the same bits by either epilogue, and the twin’s vertices and indices', () =>
    freeing(async (gpu) => {
      const sources = {
        triangle,
        ...CLOSED,
        plane: plane({ columns: 3, rows: 2 }),
        mirrored: mirroredQuads(),
      };
      const stretch = Float32Array.from([4, 0.25, 1, 0.1, 0, 0.05]);
      for (const [name, geometry] of Object.entries(sources)) {
        const source = sourceOf(geometry);
        const jobs: BakeJob[] = [0, 1, 3].map((level) => jobOf(source, { level }));
        jobs.push(jobOf(source, { level: 2, heights: { ...roughMap(3), clamp: true }, scale: -0.7 }));
        jobs.push(jobOf(source, { level: 2, stretch }), jobOf(source, { level: 2, heights: null }));
        for (const job of jobs) {
          const [direct, staged] = [await bakeOf(gpu, job, 'direct'), await bakeOf(gpu, job, 'staged')];
          expect(bits(direct.vertices), name).to.deep.equal(bits(staged.vertices));
          expect(direct.indices).to.deep.equal(staged.indices);
          const twin = tessellate(job);
          expect(direct.indices).to.deep.equal(twin.indices);
          expect(worstOf(direct.vertices, twin.vertices), `${name}, level ${job.level}`).to.be.below(
            ROUNDING,
          );
        }
      }
    }));

  it('close a cube, an icosphere, a sphere and a UV-seamed cylinder at every level, whatever the heights', () =>
    freeing(async (gpu) => {
      for (const [name, geometry] of Object.entries(CLOSED)) {
        const source = sourceOf(geometry);
        for (let level = 0; level <= (source.patchCount > 30 ? 3 : 4); level++) {
          const job = jobOf(source, { level, heights: roughMap(level + 5), scale: 0.4 });
          const { vertices, indices } = await bakeOf(gpu, job, gpu.software ? 'direct' : 'staged');
          expect(unmatchedEdges(vertices, indices), `${name}, level ${level}`).to.equal(0);
        }
      }
    }));

  it('leave an open mesh its outline and nothing more: mirrored UVs do not tear', () =>
    freeing(async (gpu) => {
      const source = sourceOf(mirroredQuads());
      for (let level = 0; level <= 4; level++) {
        const { vertices, indices } = await bakeOf(gpu, jobOf(source, { level, scale: 0.4 }), 'direct');
        expect(unmatchedEdges(vertices, indices)).to.equal(source.outline.length * 2 ** level);
      }
    }));

  it('would be told by the count of unmatched edges if one point were moved', () =>
    freeing(async (gpu) => {
      const { vertices, indices } = await bakeOf(gpu, jobOf(sourceOf(box()), { level: 2 }), 'direct');
      vertices[indices[0] * VERTEX_WORDS] += 1e-6;
      expect(unmatchedEdges(vertices, indices)).to.be.above(0);
    }));

  it('move points by the height along their normals, in metres of the world', () =>
    freeing(async (gpu) => {
      const heights = heightMap(4, 4, () => 0.5);
      const source = sourceOf(icosphere(0));
      for (const [scale, stretch] of [
        [0.3, 1],
        [-0.2, 1],
        [0.3, 4],
      ]) {
        const parts =
          stretch === 1 ? null : Float32Array.from([stretch ** 2, stretch ** 2, stretch ** 2, 0, 0, 0]);
        const job = jobOf(source, { level: 0, heights, scale, stretch: parts });
        const { vertices } = await bakeOf(gpu, job, 'direct');
        for (let vertex = 0; vertex < source.patchCount * 3; vertex++)
          expect(Math.hypot(...read(vertices, vertex, 'position')) * stretch).to.be.closeTo(
            stretch + scale * 0.5,
            ROUNDING,
          );
      }
    }));

  it('shade the displaced surface: normals stand on it, tangents lie in it along u', () =>
    freeing(async (gpu) => {
      // Between texels of a fine map a smooth surface is all but itself.
      const wave = (u: number, v: number) => Math.sin(2 * Math.PI * u) * Math.cos(2 * Math.PI * v);
      const heights = heightMap(256, 256, wave);
      const [width, depth, scale] = [2, 3, 0.15];
      const source = sourceOf(plane({ width, depth, columns: 2, rows: 2 }));
      const { vertices } = await bakeOf(gpu, jobOf(source, { level: 4, heights, scale }), 'direct');
      let worst = 0;
      for (let vertex = 0; vertex < source.patchCount * 153; vertex++) {
        const [u, v] = read(vertices, vertex, 'uv0', 2);
        const [normal, tangent] = [read(vertices, vertex, 'normal'), read(vertices, vertex, 'tangent', 4)];
        const tau = 2 * Math.PI;
        const dx = (scale * tau * Math.cos(tau * u) * Math.cos(tau * v)) / width;
        const dz = (-scale * tau * Math.sin(tau * u) * Math.sin(tau * v)) / depth;
        const length = Math.hypot(dx, 1, dz);
        worst = Math.max(
          worst,
          ...normal.map((part, k) => Math.abs(part - [-dx, 1, -dz][k] / length)),
          ...tangent.slice(0, 3).map((part, k) => Math.abs(part - [1, dx, 0][k] / Math.hypot(1, dx))),
        );
        expect(tangent[3]).to.equal(1);
      }
      // The slope is taken over two steps of the lattice, 1/16 of the wave: sin(x) / x there is 0.974.
      expect(worst).to.be.below(0.03);
    }));

  it('are seamless where the source is: one normal a place on an icosphere and around a seam, unit, across tangents', () =>
    freeing(async (gpu) => {
      for (const geometry of [icosphere(1), sphere({ segments: 8, rings: 5 })]) {
        const source = sourceOf(geometry);
        const { vertices } = await bakeOf(gpu, jobOf(source, { level: 3, scale: 0.3 }), 'direct');
        const normals = new Map<string, number[]>();
        for (let vertex = 0; vertex < source.patchCount * 45; vertex++) {
          const place = read(vertices, vertex, 'position').join();
          const normal = read(vertices, vertex, 'normal');
          const known = normals.get(place) ?? normal;
          normals.set(place, known);
          expect(Math.max(...normal.map((part, k) => Math.abs(part - known[k])))).to.be.below(ROUNDING);
          expect(Math.hypot(...normal)).to.be.closeTo(1, ROUNDING);
          const tangent = read(vertices, vertex, 'tangent');
          expect(Math.hypot(...tangent)).to.be.closeTo(1, ROUNDING);
          expect(dot(normal, tangent)).to.be.closeTo(0, ROUNDING * 10);
        }
        expect(normals.size).to.be.above(100);
      }
    }));

  it('blend uvs and colours, and leave the source’s vertices what they were where nothing is displaced', () =>
    freeing(async (gpu) => {
      const geometry = box();
      const source = sourceOf(geometry);
      const { vertices, indices } = await bakeOf(gpu, jobOf(source, { level: 0, heights: null }), 'direct');
      expect(indices).to.deep.equal(Uint32Array.from({ length: 36 }, (_, k) => k));
      geometry.indices.forEach((index, k) => {
        const from = geometry.vertices.subarray(index * VERTEX_WORDS, (index + 1) * VERTEX_WORDS);
        const to = vertices.subarray(k * VERTEX_WORDS, (k + 1) * VERTEX_WORDS);
        expect([...to].map((value) => value + 0)).to.deep.equal([...from].map((value) => value + 0));
      });
    }));

  it('keep joints whole, with the weights of the nearest vertex', () =>
    freeing(async (gpu) => {
      const geometry = geometryOf([
        { position: [0, 0, 0], normal: [0, 0, 1], uv: [0, 0] },
        { position: [1, 0, 0], normal: [0, 0, 1], uv: [1, 0] },
        { position: [0, 1, 0], normal: [0, 0, 1], uv: [0, 1] },
      ]);
      const words = new Uint32Array(geometry.vertices.buffer);
      // As floats these are a NaN, a denormal and a negative zero.
      const joints = [0x7fc12345, 0x00000102, 0x80000000];
      joints.forEach((bytes, k) => {
        words[k * VERTEX_WORDS + VERTEX_OFFSET.joints] = bytes;
        geometry.vertices[k * VERTEX_WORDS + VERTEX_OFFSET.weights] = (k + 1) / 4;
      });
      const { vertices } = await bakeOf(gpu, jobOf(sourceOf(geometry), { level: 2 }), 'staged');
      const out = new Uint32Array(vertices.buffer);
      for (let vertex = 0; vertex < 15; vertex++) {
        const at = joints.indexOf(out[vertex * VERTEX_WORDS + VERTEX_OFFSET.joints]);
        expect(at).to.be.at.least(0);
        expect(vertices[vertex * VERTEX_WORDS + VERTEX_OFFSET.weights]).to.equal((at + 1) / 4);
      }
    }));

  it('take meshes that lack something: degenerate and doubled triangles, no normals, no UVs, a map of one texel', () =>
    freeing(async (gpu) => {
      const cube = box();
      // Three collapsed triangles, one of no area, and a doubled one.
      const broken = {
        ...cube,
        indices: Uint32Array.from([
          ...cube.indices,
          0,
          0,
          1,
          1,
          1,
          1,
          2,
          0,
          2,
          ...cube.indices.subarray(0, 3),
        ]),
      };
      const bare = box();
      for (let at = 0; at < bare.vertices.length; at += VERTEX_WORDS)
        bare.vertices.fill(0, at + VERTEX_OFFSET.normal, at + VERTEX_OFFSET.color);
      for (const [geometry, heights] of [
        [broken, roughMap()],
        [bare, roughMap()],
        [cube, heightMap(1, 1, () => 0.5)],
      ] as const) {
        const source = sourceOf(geometry);
        expect(source.patchCount).to.equal(geometry.indices.length / 3);
        for (let level = 0; level <= 3; level++) {
          const { vertices, indices } = await bakeOf(gpu, jobOf(source, { level, heights }), 'direct');
          expect(vertices.every(Number.isFinite)).to.equal(true);
          expect(unmatchedEdges(vertices, indices)).to.equal(0);
        }
      }
      // Without UVs all is moved alike, by the height at (0, 0), along the normals that the triangles give.
      const { vertices } = await bakeOf(
        gpu,
        jobOf(sourceOf(bare), { level: 0, heights: heightMap(1, 1, () => 1) }),
        'direct',
      );
      expect(Math.hypot(...read(vertices, 0, 'normal'))).to.be.closeTo(1, ROUNDING);
    }));

  it('bake nothing of a mesh without triangles', () =>
    freeing(async (gpu) => {
      const source = sourceOf({ ...box(), indices: new Uint32Array(0) });
      const { indices } = await bakeOf(gpu, jobOf(source, { level: 6 }), 'direct');
      expect(indices.length).to.equal(0);
    }));

  it('stay in the box that is said of them, for any mesh, heights and scale', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(CLOSED), mirroredQuads(), triangle),
        fc.nat(1000),
        fc.double({ min: -2, max: 2, noNaN: true }),
        (geometry, seed, scale) => {
          const source = sourceOf(geometry);
          const heights = roughMap(seed);
          const { vertices } = tessellate(jobOf(source, { level: 2, heights, scale }));
          const ends = [0, heights.low * scale, heights.high * scale];
          const { min, max } = displacedBounds(source, { low: Math.min(...ends), high: Math.max(...ends) });
          for (let at = 0; at < vertices.length; at += VERTEX_WORDS) {
            const [x, y, z] = vertices.subarray(at, at + 3);
            expect(x >= min.x && y >= min.y && z >= min.z && x <= max.x && y <= max.y && z <= max.z).to.equal(
              true,
            );
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});

const bits = (vertices: Float32Array) => new Uint32Array(vertices.buffer);

/** The greatest difference of any word; one of the two may be longer. */
function worstOf(a: Float32Array, b: Float32Array): number {
  let worst = 0;
  for (let k = 0; k < b.length; k++) {
    const off = Math.abs(a[k] - b[k]);
    if (!(off <= worst)) worst = off;
  }
  return worst;
}
