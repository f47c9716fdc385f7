import { expect } from 'chai';
import fc from 'fast-check';
import { FieldWater } from '../../runtime/terrain/fieldWater.js';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { WetBlocks } from '../../runtime/terrain/wetBlocks.js';
import { Texture } from '../../runtime/texture/texture.js';
import { fieldFacts, fieldOf, randomFrom } from '../support/fields.js';
import { fieldTexture } from '../support/terrain.js';

/** Puddles: covered here and there, their surfaces about as high as the ground. */
function puddles(width: number, height: number, seed: number): Texture {
  const random = randomFrom(seed ^ 0x9ad);
  const data = () => [12 * (2 * random() - 1), 0, 0, random() < 0.15 ? 1 : 0];
  return Texture.create({ width, height, format: 'rgba32f', data });
}

const sides = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }));

describe('wetBlocks', () => {
  it('calls no rect dry that has a wet place in it, before and after edits', () => {
    let wet = 0;
    fc.assert(
      fc.property(fieldFacts, sides, (facts, [width, height]) => {
        const hf = fieldOf(facts);
        FieldWater.attach(null, hf, puddles(width, height, facts.seed));
        const { surface } = hf.water!;
        if (!surface) return;
        const blocks = new WetBlocks(hf, surface);
        const random = randomFrom(facts.seed);
        for (let round = 0; round < 3; round++) {
          for (let k = 0; k < 60; k++) {
            const x = hf.minX + random() * hf.size.width;
            const z = hf.minZ + random() * hf.size.depth;
            if (!hf.waterAt(x, z)) continue;
            wet++;
            const [w, e, n, s] = Array.from({ length: 4 }, () => random() ** 6 * hf.size.width);
            expect(blocks.mayBeWet(x - w, z - n, x + e, z + s), `${x}, ${z}`).to.equal(true);
            expect(blocks.mayBeWet(x, z, x, z)).to.equal(true);
          }
          const cols = 1 + Math.floor(random() * Math.min(hf.width, 4));
          const rows = 1 + Math.floor(random() * Math.min(hf.height, 4));
          const area = {
            col: Math.floor(random() * (hf.width - cols + 1)),
            row: Math.floor(random() * (hf.height - rows + 1)),
            cols,
            rows,
          };
          hf.setHeights(area.col, area.row, cols, rows, new Float32Array(cols * rows).fill(-30));
          blocks.edited(area);
        }
      }),
      { numRuns: 200 },
    );
    expect(wet).to.be.above(2000);
  });

  it('is as wet after an edit as if it had been made then', () => {
    fc.assert(
      fc.property(fieldFacts, fc.nat(1e6), (facts, seed) => {
        const hf = fieldOf(facts);
        FieldWater.attach(null, hf, { level: 2 });
        const surface = hf.water!.surface!;
        const blocks = new WetBlocks(hf, surface);
        const random = randomFrom(seed);
        const cols = 1 + Math.floor(random() * hf.width);
        const rows = 1 + Math.floor(random() * hf.height);
        const area = {
          col: Math.floor(random() * (hf.width - cols + 1)),
          row: Math.floor(random() * (hf.height - rows + 1)),
          cols,
          rows,
        };
        hf.setHeights(
          area.col,
          area.row,
          cols,
          rows,
          Float32Array.from({ length: cols * rows }, () => 10 * random() - 5),
        );
        blocks.edited(area);
        const fresh = new WetBlocks(hf, surface);
        for (let k = 0; k < 40; k++) {
          const x = hf.minX + random() * hf.size.width;
          const z = hf.minZ + random() * hf.size.depth;
          const side = random() ** 4 * hf.size.width;
          expect(blocks.mayBeWet(x, z, x + side, z + side)).to.equal(
            fresh.mayBeWet(x, z, x + side, z + side),
          );
        }
      }),
    );
  });

  it('leaves out what is dry: all but the hollow and a block around it', () => {
    const ground = fieldTexture(256, 256, (i, j) => Math.hypot(i - 200, j - 60), [512, 512]);
    const hf = Heightfield.fromTexture(ground);
    FieldWater.attach(null, hf, { level: 10 });
    const blocks = new WetBlocks(hf, hf.water!.surface!);
    const [x, z] = [401 - 256, 121 - 256];
    expect(blocks.mayBeWet(x - 1, z - 1, x + 1, z + 1)).to.equal(true);
    expect(blocks.mayBeWet(-256, -256, x - 26, 256)).to.equal(false);
    expect(blocks.mayBeWet(x + 26, -256, 256, 256)).to.equal(false);
    expect(blocks.mayBeWet(-256, z + 26, 256, 256)).to.equal(false);
    hf.close();
  });
});
