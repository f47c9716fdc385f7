// The self-check finds nothing on ground that is right, whatever its shape, and finds each fault that is put into one of its
// witnesses, at its place.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Collider } from '@dimforge/rapier3d-compat';
import type { Gpu } from '../../runtime/gpu/gpu.js';
import { GroundTiles, TILE_CELLS } from '../../runtime/physics/groundCollider.js';
import { reportCheck } from '../../runtime/terrain/checkReport.js';
import type { Heightfield, RectOptions } from '../../runtime/terrain/heightfield.js';
import { checkGround, type CheckResult, type PairName } from '../../runtime/terrain/selfCheck.js';
import type { TerrainMesh, TerrainMeshOptions } from '../../runtime/terrain/terrainMesh.js';
import { Texture } from '../../runtime/texture/texture.js';
import { fieldFacts, randomFrom, randomTexture, TEXELS, type FieldFacts } from '../support/fields.js';
import { freeing } from '../support/gpu.js';
import { makeMesh, openField, PoolReading } from '../support/terrain.js';

const maskOf = (width: number, height: number, seed: number) => {
  const random = randomFrom(seed);
  return Texture.create({ width, height, format: 'r8', data: () => [random() < 0.25 ? 0 : 1] });
};

interface Stood {
  hf: Heightfield;
  mesh: TerrainMesh;
}

/** Stands random ground with a mesh whose camera is low over its middle, for `work`, and takes both away again. */
function standing<T>(
  { texels, texel, origin, seed }: FieldFacts,
  options: RectOptions & { mesh?: Partial<TerrainMeshOptions> },
  work: (stood: Stood, gpu: Gpu) => Promise<T>,
): Promise<T> {
  return freeing(async (gpu) => {
    const { mesh: meshOptions, ...rect } = options;
    const size: [number, number] = [texels[0] * texel[0], texels[1] * texel[1]];
    const hf = openField(gpu, randomTexture(...texels, seed), { size, origin, ...rect });
    const camera = { x: origin[0], y: hf.heightAt(...origin) + Math.min(...texel), z: origin[1] };
    const { mesh } = await makeMesh(gpu, hf, { camera, nodeVerts: 9, maxNodes: 160, ...meshOptions });
    try {
      return await work({ hf, mesh }, gpu);
    } finally {
      mesh.destroy();
      hf.close();
    }
  });
}

const pairOf = (result: CheckResult, name: PairName) => result.pairs.find(({ pair }) => pair === name)!;
const failed = ({ pairs }: CheckResult) => pairs.filter(({ ok }) => !ok).map(({ pair }) => pair);
const say = ({ hf }: Stood, result: CheckResult) => reportCheck(hf, result, true).join('\n');

/** 24 × 20 texels of a metre, all of which are asked about with 500 samples. */
const FIELD: FieldFacts = { texels: [24, 20], texel: [1, 1], origin: [3, -7], seed: 5 };

describe('the self-check', function () {
  this.timeout(120_000);

  it('finds all in agreement on any field, with holes and without', async () => {
    let [drawn, holes] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fieldFacts, fc.boolean(), async (facts, withHoles) => {
        const mask = withHoles ? maskOf(...facts.texels, facts.seed) : undefined;
        await standing(facts, { holes: mask }, async (stood) => {
          const result = await checkGround(stood.hf, { mesh: stood.mesh, samples: 60, seed: facts.seed });
          if (!result.ok) expect.fail(say(stood, result));
          drawn += pairOf(result, 'queried/drawn').compared;
          holes += result.places.hole;
        });
      }),
      { numRuns: 60 },
    );
    expect(drawn).to.be.greaterThan(2000);
    expect(holes).to.be.greaterThan(500);
  });

  for (const texels of [...TEXELS, [90, 21]] as [number, number][])
    it(`compares all four on ${texels.join(' × ')} texels, near and far away, with holes`, async () => {
      for (const [texel, origin] of [
        [1, [0, 0]],
        [2.5, [1e5, -1e5]],
      ] as [number, [number, number]][]) {
        const facts: FieldFacts = { texels, texel: [texel, texel], origin, seed: 11 };
        await standing(facts, { holes: maskOf(...texels, 4) }, async (stood) => {
          const result = await checkGround(stood.hf, { mesh: stood.mesh, samples: 300, views: 1 });
          if (!result.ok) expect.fail(say(stood, result));
          for (const { pair, compared, empty, worst } of result.pairs) {
            // A single texel may be all hole.
            if (texels[0] * texels[1] > 1) expect(compared, pair).to.be.greaterThan(15);
            expect(compared + empty, pair).to.be.greaterThan(100);
            if (worst) expect(worst.off).to.be.at.most(worst.bound);
          }
        });
      }
    });

  it('gives the same result for a seed, and asks elsewhere for another', () =>
    standing(FIELD, { holes: maskOf(24, 20, 3) }, async ({ hf, mesh }) => {
      const check = (seed: number) => checkGround(hf, { mesh, samples: 100, seed, views: 2 });
      const first = await check(7);
      expect(await check(7)).to.deep.equal(first);
      expect((await check(8)).worst).to.not.deep.equal(first.worst);
    }));

  it('leaves cut, viewpoint, device and ground as they were', () =>
    standing(FIELD, {}, async ({ hf, mesh }, gpu) => {
      const before = { nodes: mesh.nodes(), viewpoint: { ...mesh.viewpoint }, bytes: gpu.bytes };
      const pool = [...(await PoolReading.of(mesh)).bits];
      await checkGround(hf, { mesh, samples: 50, views: 3 });
      expect({ nodes: mesh.nodes(), viewpoint: { ...mesh.viewpoint }, bytes: gpu.bytes }).to.deep.equal(
        before,
      );
      // Slots may have changed hands; what is drawn of each node may not.
      const { nodes, bits } = await PoolReading.of(mesh);
      expect(nodes).to.have.length(before.nodes.length);
      expect(bits).to.have.length(pool.length);
      expect(mesh.updateCut(before.viewpoint)).to.include({ changed: false, remeshed: 0 });
    }));

  it('needs no mesh, and says that nothing is drawn', () =>
    standing(FIELD, {}, async ({ hf }) => {
      const result = await checkGround(hf, { samples: 50 });
      expect(result.ok).to.equal(true);
      expect(pairOf(result, 'queried/drawn')).to.include({ compared: 0, empty: 0 });
      expect(pairOf(result, 'queried/collided').compared).to.be.greaterThan(150);
      expect(reportCheck(hf, result, false)).to.include('queried/drawn     nothing is drawn of it');
    }));

  it('excuses what is coarse, morphing, kept out or past the mesh’s own rect, and counts it', async () => {
    const facts: FieldFacts = { texels: [80, 80], texel: [1, 1], origin: [0, 0], seed: 2 };
    await standing(facts, {}, async (stood) => {
      const result = await checkGround(stood.hf, { mesh: stood.mesh, samples: 400 });
      if (!result.ok) expect.fail(say(stood, result));
      expect(result.detail.places).to.be.greaterThan(200);
      expect(result.detail.worst!.off).to.be.greaterThan(1);
      expect(say(stood, result)).to.match(/level of detail {3}[\d,]+ places are drawn coarser .*: up to \d/);
    });
    for (const mesh of [
      { keep: ({ x }: { x: number }) => x < 0 },
      { rect: { size: [30.3, 21.7], origin: [4.1, -3.3] } as TerrainMeshOptions['rect'] },
    ])
      await standing(facts, { mesh }, async (stood) => {
        const result = await checkGround(stood.hf, { mesh: stood.mesh, samples: 400 });
        if (!result.ok) expect.fail(say(stood, result));
        expect(pairOf(result, 'queried/drawn').compared).to.be.greaterThan(40);
      });
  });

  it('refuses what it cannot check by name', () =>
    standing(FIELD, {}, async ({ hf, mesh }) => {
      const says = (options: object) =>
        checkGround(hf, options).then(
          () => 'it ran',
          (error: Error) => error.message,
        );
      expect(await says({ samples: 0 })).to.equal(
        'terrainHeightfield.check: samples must be an integer in 1..1000000, got 0',
      );
      expect(await says({ seed: -1 })).to.contain('seed must be an integer in 0..4294967295, got -1');
      expect(await says({ mesh, views: 0.5 })).to.contain('views must be an integer in 0..1000, got 0.5');
      mesh.destroy();
      expect(await says({ mesh })).to.contain('terrainHeightfield.check: this terrain mesh is destroyed');
      hf.close();
      expect(await says({})).to.contain('terrainHeightfield.check: this heightfield is closed');
    }));

  describe('catches', () => {
    const near = (result: CheckResult, pair: PairName, x: number, z: number, reach: number) => {
      const { worst } = pairOf(result, pair);
      expect(Math.abs(worst!.x - x), `${worst!.x} is far from ${x}`).to.be.at.most(reach);
      expect(Math.abs(worst!.z - z), `${worst!.z} is far from ${z}`).to.be.at.most(reach);
    };

    it('a drawn vertex that is moved up, and one that is moved aside', () =>
      standing(FIELD, {}, async (stood) => {
        const { hf, mesh } = stood;
        const reading = await PoolReading.of(mesh);
        // A vertex of a finest node right below the camera.
        const finest = Math.max(...reading.nodes.map(({ level }) => level));
        const [eyeX, eyeZ] = FIELD.origin;
        const node = reading.nodes.find(
          ({ level, x, z, size }) =>
            level === finest && x <= eyeX && x + size > eyeX && z <= eyeZ && z + size > eyeZ,
        )!;
        const word = reading.at(node.slot, 4, 4);
        const [x, y, z] = reading.position(node.slot, 4, 4);
        const options = { mesh, samples: 500 };
        expect((await checkGround(hf, options)).ok).to.equal(true);
        for (const moved of [
          [x, y + 0.01, z],
          [x + 0.2, y, z],
        ]) {
          mesh.vertexBuffer.write({ first: word, data: Float32Array.from(moved) });
          const result = await checkGround(hf, options);
          expect(failed(result)).to.include.members(['queried/drawn', 'drawn/collided']);
          near(result, 'queried/drawn', x, z, 1);
          expect(say(stood, result)).to.match(
            /queried\/drawn .*: DISAGREE at .*; worst queried .* m, drawn .* m at x/,
          );
          expect(say(stood, result)).to.contain('they DISAGREE');
        }
        mesh.vertexBuffer.write({ first: word, data: Float32Array.of(x, y, z) });
        expect((await checkGround(hf, options)).ok).to.equal(true);
      }));

    it('a vertex that stands in a coarse node, whose quads are excused', () =>
      standing({ texels: [80, 80], texel: [1, 1], origin: [0, 0], seed: 2 }, {}, async ({ hf, mesh }) => {
        const reading = await PoolReading.of(mesh);
        const options = { mesh, samples: reading.nodes.length * mesh.nodeVerts ** 2 };
        expect((await checkGround(hf, options)).ok).to.equal(true);
        const coarse = reading.nodes.filter(({ size }) => size / (mesh.nodeVerts - 1) > 0.5);
        for (const { slot } of coarse)
          mesh.vertexBuffer.write({
            first: reading.at(slot, 4, 4) + 1,
            data: Float32Array.of(reading.position(slot, 4, 4)[1] + 1),
          });
        const { over, worst } = pairOf(await checkGround(hf, options), 'queried/drawn');
        // Those that morph are excused.
        expect(over).to.be.within(2, coarse.length);
        expect(worst!.kind).to.equal('vertex');
        expect(worst!.off).to.be.closeTo(1, 1e-4);
      }));

    it('a drawn quad that is left out, and one that is drawn over a hole', () =>
      standing(FIELD, { holes: maskOf(24, 20, 9) }, async ({ hf, mesh }) => {
        const reading = await PoolReading.of(mesh);
        const side = mesh.nodeVerts - 1;
        const finest = Math.max(...reading.nodes.map(({ level }) => level));
        const options = { mesh, samples: 500 };
        const written = (entry: number, quad: number) => (entry * side ** 2 + quad) * 6;
        // Near the camera, where nothing morphs: quads with an area that are drawn, and that are cut.
        const quads = reading.nodes.flatMap((node, entry) =>
          node.level !== finest || node.coarseMask !== 0
            ? []
            : Array.from({ length: side ** 2 }, (_, quad) => {
                const [i, j] = [quad % side, Math.floor(quad / side)];
                const [a, b] = [reading.position(node.slot, i, j), reading.position(node.slot, i + 1, j + 1)];
                const at = written(entry, quad);
                const cut = reading.indices[at] === reading.indices[at + 1];
                const away = Math.hypot(a[0] - FIELD.origin[0], a[2] - FIELD.origin[1]);
                return {
                  node,
                  entry,
                  i,
                  j,
                  at,
                  cut,
                  area: (b[0] - a[0]) * (b[2] - a[2]),
                  x: (a[0] + b[0]) / 2,
                  z: (a[2] + b[2]) / 2,
                  away,
                };
              }).filter(({ area, away }) => area > 0.9 && away < 4),
        );
        expect((await checkGround(hf, options)).ok).to.equal(true);
        for (const cut of [false, true]) {
          const quad = quads.find((one) => one.cut === cut)!;
          const before = reading.indices.slice(quad.at, quad.at + 6);
          const v00 = quad.node.slot * mesh.nodeVerts ** 2 + quad.j * mesh.nodeVerts + quad.i;
          const v01 = v00 + mesh.nodeVerts;
          const data = cut ? [v00, v01, v00 + 1, v00 + 1, v01, v01 + 1] : [v00, v00, v00, v00, v00, v00];
          mesh.indexBuffer.write({ first: quad.at, data: Uint32Array.from(data) });
          const result = await checkGround(hf, options);
          expect(failed(result)).to.deep.equal(['queried/drawn', 'drawn/collided']);
          expect(pairOf(result, 'queried/drawn')).to.include({ over: 0 });
          expect(pairOf(result, 'queried/drawn').missing).to.be.greaterThan(0);
          near(result, 'queried/drawn', quad.x, quad.z, 1);
          mesh.indexBuffer.write({ first: quad.at, data: before });
        }
      }));

    it('a crack: a quad whose triangle is lost', () =>
      standing(FIELD, {}, async ({ hf, mesh }) => {
        const reading = await PoolReading.of(mesh);
        const finest = reading.nodes.findIndex(
          ({ level, x, z, size }) =>
            level === Math.max(...reading.nodes.map((node) => node.level)) &&
            Math.hypot(x + size / 2 - FIELD.origin[0], z + size / 2 - FIELD.origin[1]) < size,
        );
        const side = mesh.nodeVerts - 1;
        const node = reading.nodes[finest];
        const quad = Array.from({ length: side ** 2 }, (_, k) => k).find((k) => {
          const [i, j] = [k % side, Math.floor(k / side)];
          const [a, b] = [reading.position(node.slot, i, j), reading.position(node.slot, i + 1, j + 1)];
          return (b[0] - a[0]) * (b[2] - a[2]) > 0.9;
        })!;
        const at = (finest * side ** 2 + quad) * 6;
        const first = reading.indices[at];
        // Only the quad's second triangle becomes a point.
        mesh.indexBuffer.write({ first: at + 3, data: Uint32Array.of(first, first, first) });
        // Half a square metre of 480: enough places fall into it.
        const result = await checkGround(hf, { mesh, samples: 6000 });
        expect(failed(result)).to.include('queried/drawn');
        expect(pairOf(result, 'queried/drawn').missing).to.be.greaterThan(0);
      }));

    it('a texel that only the query has, and a cell of the mask that only it has', () =>
      standing(FIELD, { holes: maskOf(24, 20, 9) }, async ({ hf, mesh }) => {
        const [i, j] = [12, 10];
        const [x, z] = [hf.minX + i + 0.5, hf.minZ + j + 0.5];
        const at = (j * 24 + i) * 4;
        hf.cpu[at] += 0.001;
        const options = { mesh, samples: 500 };
        const raised = await checkGround(hf, options);
        // The collider and the rays are made from the same texels; what is drawn is on the GPU.
        expect(failed(raised)).to.include('queried/drawn').and.to.not.include('queried/collided');
        near(raised, 'queried/drawn', x, z, 1.01);
        hf.cpu[at] -= 0.001;
        hf.mask!.data[j * 24 + i] ^= 1;
        const cut = await checkGround(hf, options);
        expect(failed(cut)).to.include('queried/drawn').and.to.not.include('queried/collided');
        near(cut, 'queried/drawn', x + 0.5, z + 0.5, 1.01);
      }));

    it('a collider tile that is shifted, one that has a hole too many, and one that is not there', () =>
      standing({ ...FIELD, texels: [40, 40] }, { holes: maskOf(40, 40, 9) }, async ({ hf, mesh }) => {
        type Built = { collider: Collider | null };
        type Builder = { build(column: number, row: number): Built };
        const prototype = GroundTiles.prototype as unknown as Builder;
        const { build } = prototype;
        const [tileColumn, tileRow] = [2, 3];
        const middle = (tile: number, min: number) => min + (tile + 0.5) * TILE_CELLS - 0.5;
        const [x, z] = [middle(tileColumn, hf.minX), middle(tileRow, hf.minZ)];
        const spoil = async (fault: (collider: Collider) => Collider | null) => {
          prototype.build = function (column, row) {
            const built = build.call(this, column, row);
            if (!built.collider || column !== tileColumn || row !== tileRow) return built;
            return { ...built, collider: fault(built.collider) };
          };
          try {
            return await checkGround(hf, { mesh, samples: 900 });
          } finally {
            prototype.build = build;
          }
        };
        for (const [fault, missing] of [
          [(collider: Collider) => (collider.setTranslation({ x: 0, y: 0.01, z: 0 }), collider), false],
          [(collider: Collider) => (collider.setTranslation({ x: 0.3, y: 0, z: 0 }), collider), false],
          [(collider: Collider) => (collider.setEnabled(false), collider), true],
        ] as const) {
          const result = await spoil(fault);
          expect(failed(result)).to.include('queried/collided').and.to.not.include('queried/drawn');
          const pair = pairOf(result, 'queried/collided');
          expect(pair[missing ? 'missing' : 'over']).to.be.greaterThan(10);
          near(result, 'queried/collided', x, z, TILE_CELLS / 2 + 0.5);
        }
        expect((await checkGround(hf, { mesh, samples: 900 })).ok).to.equal(true);
      }));

    it('a query that is another than all the rest', () =>
      standing(FIELD, {}, async ({ hf, mesh }) => {
        const { heightAt } = hf;
        hf.heightAt = function (x, z) {
          return heightAt.call(this, x, z) + (x > FIELD.origin[0] + 2 ? 0.01 : 0);
        };
        const result = await checkGround(hf, { mesh, samples: 200 });
        expect(failed(result)).to.deep.equal(['queried/drawn', 'queried/collided', 'queried/ray']);
        expect(result.worst!.x).to.be.greaterThan(FIELD.origin[0] + 2);
      }));
  });
});
