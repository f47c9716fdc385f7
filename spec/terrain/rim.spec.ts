// The drawn ground ends on its rect's edges, whatever its level of detail: nothing is left out along the rim or drawn twice.
import { expect } from 'chai';
import fc from 'fast-check';
import { randomTexture } from '../support/fields.js';
import { freeing } from '../support/gpu.js';
import { drawnTriangles } from '../support/seams.js';
import { makeMesh, openField, PoolReading } from '../support/terrain.js';

/** Of the rect's area: float32 coordinates of some units in the last place along its edges. */
const AREA_SLACK = 1e-4;

describe('the rim', function () {
  this.timeout(120_000);

  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const facts = fc.record({
    texels: fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 })),
    texel: fc.tuple(fc.constantFrom(1, 0.7, 5, 40), fc.constantFrom(1, 0.7, 3)),
    eye: fc.tuple(share, share),
    nodeVerts: fc.constantFrom(3, 5, 9),
    maxNodes: fc.integer({ min: 8, max: 200 }),
    lodFactor: fc.constantFrom(0.3, 0.5, 1, 2),
    seed: fc.nat(1e6),
  });

  it('is reached by nodes that morph over several levels, where the roots reach past it', async () => {
    let morphing = 0;
    await fc.assert(
      fc.asyncProperty(facts, ({ texels, texel, eye, seed, ...options }) =>
        freeing(async (gpu) => {
          const size: [number, number] = [texels[0] * texel[0], texels[1] * texel[1]];
          const hf = openField(gpu, randomTexture(...texels, seed, 0.1), { size });
          const camera = { x: hf.minX + eye[0] * size[0], y: 0, z: hf.minZ + eye[1] * size[1] };
          const { mesh } = await makeMesh(gpu, hf, { camera, ...options });
          let area = 0;
          for (const [a, b, c] of drawnTriangles(await PoolReading.of(mesh)))
            area += ((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2])) / 2;
          if (mesh.cut.lodFactor < 1.4 && mesh.cut.maxLevel > 1) morphing++;
          mesh.destroy();
          hf.close();
          expect(area / (size[0] * size[1])).to.be.closeTo(1, AREA_SLACK);
        }),
      ),
      { numRuns: 400 },
    );
    expect(morphing).to.be.greaterThan(20);
  });
});
