// The water as it is drawn: its triangles against waterAt, what its cut keeps, what follows what, and what comes back.
import { expect } from 'chai';
import { Assets } from '../../runtime/assets/assets.js';
import type { Renderer } from '../../runtime/renderer/renderer.js';
import { FieldTexels } from '../../runtime/terrain/fieldTexels.js';
import { FieldWater, type WaterSource } from '../../runtime/terrain/fieldWater.js';
import { Heightfield, type RectOptions } from '../../runtime/terrain/heightfield.js';
import { setWater } from '../../runtime/terrain/terrainHeightfield.js';
import { TerrainWater, type TerrainWaterOptions } from '../../runtime/terrain/terrainWater.js';
import { Texture } from '../../runtime/texture/texture.js';
import { randomFrom } from '../support/fields.js';
import { sharedGpu } from '../support/gpu.js';
import { inScene } from '../support/picture.js';
import { drawnTriangles } from '../support/seams.js';
import { fieldTexture, GROUNDS, PoolReading } from '../support/terrain.js';

type Place = [number, number, number];

/** Every node as fine as it gets, no vertex on its way to a coarser place. */
const FINEST = { lodFactor: 1000, maxNodes: 4096, nodeVerts: 5 };
const CAMERA = { x: 0, y: 60, z: 0 };

async function wetField(ground: Texture, water: WaterSource | null, options: RectOptions = {}) {
  const gpu = await sharedGpu();
  const hf = Heightfield.fromTexture(ground, options);
  FieldTexels.attach(gpu, hf);
  FieldWater.attach(gpu, hf, water);
  return hf;
}

const draw = async (renderer: Renderer, hf: Heightfield, options: Partial<TerrainWaterOptions> = {}) =>
  TerrainWater.create({ gpu: await sharedGpu(), renderer }, hf, { camera: CAMERA, ...options });

/** A river that winds along X with a fall of a metre every twenty, its bed cut into hills. */
const river = (width: number, height: number) =>
  Texture.create({
    width,
    height,
    format: 'rgba32f',
    data: (i: number, j: number) => {
      const across = Math.abs(j / height - 0.5 - 0.25 * Math.sin((i / width) * 7));
      return across < 0.16 ? [4 - (3 * i) / width + Math.sin(i), 1.5, 0.2, 1] : [-500, 0, 0, 0];
    },
  });

/** The heights of drawn triangles over a place. A place on an edge may be over two, or, with rounding, over a sliver. */
function heightsOver(triangles: Place[][], x: number, z: number, slack: number): number[] {
  const found = [];
  for (const [a, b, c] of triangles) {
    if (x < Math.min(a[0], b[0], c[0]) - slack || x > Math.max(a[0], b[0], c[0]) + slack) continue;
    if (z < Math.min(a[2], b[2], c[2]) - slack || z > Math.max(a[2], b[2], c[2]) + slack) continue;
    const area = (b[0] - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (b[2] - a[2]);
    if (area === 0) continue;
    const v = ((x - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (z - a[2])) / area;
    const w = ((b[0] - a[0]) * (z - a[2]) - (x - a[0]) * (b[2] - a[2])) / area;
    if (v < -slack || w < -slack || v + w > 1 + slack) continue;
    found.push(a[1] + v * (b[1] - a[1]) + w * (c[1] - a[1]));
  }
  return found;
}

const message = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  );

const assets = new Assets({
  read: () => Promise.reject(Object.assign(new Error('no file'), { code: 'ENOENT' })),
  write: () => Promise.resolve(),
});

/** A field, its ground, its water and where it stands. */
const FIELDS: [what: string, ground: Texture, water: WaterSource, options: RectOptions][] = [
  ['a lake among hills', fieldTexture(48, 36, GROUNDS.hilly, [96, 72]), { level: 2 }, {}],
  ['a river over coarser texels', fieldTexture(40, 40, GROUNDS.hilly, [80, 80]), river(23, 17), {}],
  [
    'a river over finer texels, far away',
    fieldTexture(12, 9, GROUNDS.hilly, [60, 45]),
    river(61, 50),
    { origin: [4096, -8192] },
  ],
  ['water one texel wide', fieldTexture(30, 1, GROUNDS.hilly, [60, 2]), river(1, 9), {}],
  ['a flood', fieldTexture(10, 10, () => -5, [20, 20]), { level: 0 }, { origin: [7, 3] }],
];

describe('terrainWater', function () {
  this.timeout(60_000);

  for (const [what, ground, water, options] of FIELDS) {
    it(`draws what waterAt says, and every wet place: ${what}`, () =>
      inScene(async ({ renderer }) => {
        const hf = await wetField(ground, water, options);
        const camera = { x: hf.origin.x, y: 40, z: hf.origin.z };
        // Finest: the surface itself. As it comes and coarse: no wet place is left out.
        for (const [cut, exact] of [
          [FINEST, true],
          [{}, false],
          [{ lodFactor: 0.3, nodeVerts: 3 }, false],
        ] as const) {
          const state = await draw(renderer, hf, { ...cut, camera });
          const triangles = state.surfaceMesh
            ? [...drawnTriangles(await PoolReading.of(state.surfaceMesh))]
            : [];
          const random = randomFrom(5);
          const far = Math.max(Math.abs(hf.minX), Math.abs(hf.maxX), Math.abs(hf.minZ), Math.abs(hf.maxZ));
          // Vertices are f32: a place is off by an ulp of the largest coordinate, a height by that times the slope.
          const slack = far * 2 ** -20;
          let wet = 0;
          for (let k = 0; k < 400; k++) {
            const x = hf.minX + random() * hf.size.width;
            const z = hf.minZ + random() * hf.size.depth;
            const said = hf.waterAt(x, z);
            if (!said) continue;
            wet++;
            const heights = heightsOver(triangles, x, z, slack);
            expect(heights, `no triangle over ${x}, ${z}`).to.not.be.empty;
            if (exact)
              expect(Math.min(...heights.map((y) => Math.abs(y - said.surface)))).to.be.below(
                1e-4 + 40 * slack,
              );
          }
          expect(wet).to.be.above(20);
          state.destroy();
        }
        hf.close();
      }));
  }

  it('roots the rect that its coverage reaches and draws nothing past it', () =>
    inScene(async ({ renderer }) => {
      const pond = Texture.create({
        width: 40,
        height: 40,
        format: 'rgba32f',
        data: (i: number, j: number) => [3, 0, 0, i >= 10 && i < 14 && j >= 30 && j < 32 ? 1 : 0],
      });
      const hf = await wetField(
        fieldTexture(20, 20, () => 0, [80, 80]),
        pond,
      );
      const state = await draw(renderer, hf);
      const { minX, minZ, maxX, maxZ } = state.surfaceMesh!.cut.rect;
      // Texels of two metres from -40: the covered ones and one around them.
      expect([minX, maxX, minZ, maxZ]).to.deep.equal([-22, -10, 18, 26]);
      expect(hf.water!.reach).to.deep.equal({ minX, minZ, maxX, maxZ });
      for (const corners of drawnTriangles(await PoolReading.of(state.surfaceMesh!)))
        for (const [x, , z] of corners) {
          expect(x).to.be.within(minX, maxX);
          expect(z).to.be.within(minZ, maxZ);
        }
      state.destroy();
      hf.close();
    }));

  it('meshes only where water is to be seen, and follows a channel that is dug and filled', () =>
    inScene(async ({ renderer }) => {
      const hf = await wetField(
        fieldTexture(128, 128, () => 10, [256, 256]),
        { level: 4 },
      );
      const state = await draw(renderer, hf, { nodeVerts: 5 });
      expect(state.nodes()).to.deep.equal([]);
      expect(renderer.meshes.get(state.surfaceMesh!.mesh).indexCount).to.equal(0);
      const row = new Float32Array(100).fill(0);
      hf.setHeights(10, 60, 100, 1, row);
      const dug = state.nodes();
      expect(dug).to.not.be.empty;
      const slack = hf.water!.surface!.texelZ + hf.texelZ;
      for (const { z, size } of dug) {
        expect(z).to.be.below(-7 + slack + size);
        expect(z + size).to.be.above(-7 - slack - size);
      }
      const covered = dug.reduce((sum, { size }) => sum + size * size, 0);
      expect(covered).to.be.below((256 * 256) / 4);
      hf.setHeights(10, 60, 100, 1, row.fill(10));
      expect(state.nodes()).to.deep.equal([]);
      state.destroy();
      hf.close();
    }));

  it('re-meshes nothing from the same viewpoint, and looks again after refresh', () =>
    inScene(async ({ renderer }) => {
      const ground = fieldTexture(32, 32, () => 10, [64, 64]);
      const hf = await wetField(ground, { level: 4 });
      const state = await draw(renderer, hf);
      expect(state.updateCut({ x: 5, y: 8, z: 5 }).nodes).to.equal(0);
      ground.update({ data: fieldTexture(32, 32, () => 0, [64, 64]).data });
      await hf.refresh();
      expect(state.updateCut({ x: 5, y: 8, z: 5 })).to.include({ changed: false, remeshed: 0 });
      expect(state.nodes()).to.not.be.empty;
      expect(state.updateCut({ x: 9, y: 8, z: 5 }).remeshed).to.be.above(0);
      state.destroy();
      hf.close();
    }));

  it('follows setWater to none and back, and the last of several wins', () =>
    inScene(async ({ renderer }) => {
      const gpu = await sharedGpu();
      const hf = await wetField(
        fieldTexture(16, 16, () => 0, [32, 32]),
        null,
      );
      const before = gpu.bytes;
      const state = await draw(renderer, hf);
      expect([state.surfaceMesh, state.bytes, gpu.bytes]).to.deep.equal([null, 0, before]);
      expect(state.updateCut(CAMERA)).to.deep.equal({ changed: false, nodes: 0, remeshed: 0, lodFactor: 0 });
      await setWater({ assets }, hf, { level: 2 });
      expect(state.nodes()).to.not.be.empty;
      expect(state.bytes).to.be.above(0);
      await Promise.all([3, 5, 7].map((level) => setWater({ assets }, hf, { level })));
      expect(hf.waterAt(0, 0)!.surface).to.equal(7);
      expect(state.surfaceMesh!.hf).to.equal(hf.water!.surface);
      await setWater({ assets }, hf, null);
      expect([state.surfaceMesh, gpu.bytes]).to.deep.equal([null, before]);
      // Gone while its pipelines are awaited: nothing comes of it.
      const late = setWater({ assets }, hf, { level: 2 });
      state.destroy();
      await late;
      expect(TerrainWater.of(hf)).to.equal(undefined);
      await setWater({ assets }, hf, null);
      expect(gpu.bytes).to.equal(before);
      hf.close();
    }));

  it('goes with its heightfield, and refuses what it cannot draw by name', () =>
    inScene(async ({ renderer }) => {
      const gpu = await sharedGpu();
      const hf = await wetField(
        fieldTexture(16, 16, () => 0, [32, 32]),
        { level: 1 },
      );
      for (const [options, said] of [
        [{ maxNodes: 3 }, 'terrainWater.create: maxNodes must be an integer in 4..4096, got 3'],
        [{ nodeVerts: 4 }, 'terrainWater.create: nodeVerts must be one of 3, 5, 9, 17, 33, 65, 129, got 4'],
        [
          { camera: { x: 0, y: NaN, z: 0 } },
          'terrainWater.create: camera.y must be a finite number, got NaN',
        ],
        [{ clarity: 0 }, 'terrainWater.create: clarity must be a finite number above 0, got 0'],
        [{ color: [1, 2, 0] }, 'terrainWater.create: color.g must be a finite number in 0..1, got 2'],
        [{ wavs: 1 }, /terrainWater\.create: there is no field "wavs" \(did you mean "waves"\?\)/],
      ] as [object, string | RegExp][]) {
        const bytes = gpu.bytes;
        const got = await message(draw(renderer, hf, options));
        if (typeof said === 'string') expect(got).to.equal(said);
        else expect(got).to.match(said);
        expect([gpu.bytes, TerrainWater.of(hf)]).to.deep.equal([bytes, undefined]);
      }
      const state = await draw(renderer, hf);
      expect(TerrainWater.of(hf)).to.equal(state);
      expect(await message(draw(renderer, hf))).to.match(
        /^terrainWater\.create: the water of this heightfield is drawn already/,
      );
      state.setLook({ waves: 2 });
      expect(() => state.setLook({ foam: 5 })).to.throw(
        'terrainWater.setLook: foam must be a finite number in 0..4, got 5',
      );
      expect(state.look).to.include({ waves: 2, foam: 1 });
      hf.close();
      expect(state.destroyed).to.equal(true);
      expect(() => state.updateCut(CAMERA)).to.throw('terrainWater.updateCut: this heightfield is closed');
      expect(await message(draw(renderer, hf))).to.match(/^terrainWater\.create: this heightfield is closed/);
      const bare = Heightfield.fromTexture(fieldTexture(4, 4, () => 0, [4, 4]));
      expect(await message(draw(renderer, bare))).to.match(
        /^terrainWater\.create: this heightfield was made without water/,
      );
    }));
});
