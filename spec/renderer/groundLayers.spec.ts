import { expect } from 'chai';
import type { Gpu } from '../../runtime/gpu/gpu.js';
import { Renderer, type Picture } from '../../runtime/renderer/renderer.js';
import { FieldLayers } from '../../runtime/terrain/fieldLayers.js';
import type { Heightfield } from '../../runtime/terrain/heightfield.js';
import type { LayerOptions } from '../../runtime/terrain/layerList.js';
import { Texture } from '../../runtime/texture/texture.js';
import { sharedGpu } from '../support/gpu.js';
import {
  even,
  flatTexture,
  layerEngine,
  noisy,
  openLayered,
  slopeTexture,
  stand,
} from '../support/layers.js';
import { inScene, largestDifference, luma, middle, pixel, Scene, type Rgb } from '../support/picture.js';

/** Bytes of a picture: its own rounding, and the half precision of a scene's radiance. */
const ROUNDING = 1;
/** A weight between two texels is read in 256 steps by a sampler. */
const SAMPLED = 2;

const RED = [0.6, 0.1, 0.1];
const GREEN = [0.1, 0.5, 0.1];
const BLUE = [0.1, 0.1, 0.7];
const matte = (albedo: number[], more: object = {}) => ({ albedo, roughness: 1, ...more });

/** Flat ground of 64 m seen from straight above, a pixel a metre, and what changes its layers. */
function fromAbove(
  work: (tools: {
    scene: Scene;
    gpu: Gpu;
    hf: Heightfield;
    field: FieldLayers;
    look: (layers: LayerOptions[]) => Promise<Picture>;
  }) => Promise<void>,
  origin: [number, number] = [0, 0],
): Promise<void> {
  return inScene(async (scene) => {
    const gpu = await sharedGpu();
    const engine = layerEngine(gpu, scene.renderer.materials);
    const hf = await openLayered(engine, undefined, { origin });
    const away = await stand(scene, gpu, hf);
    scene.look([origin[0], 100, origin[1]], [origin[0], 0, origin[1]], { orthographic: true, height: 64 });
    const field = FieldLayers.of(hf)!;
    const look = async (layers: LayerOptions[]) => {
      await field.set(layers);
      return scene.picture(64, 64);
    };
    await work({ scene, gpu, hf, field, look });
    away();
  });
}

/** Where a pixel of fromAbove lies, metres. */
const metresOf = (x: number, y: number): [number, number] => [x + 0.5 - 32, y + 0.5 - 32];

const mixOf = (shares: readonly number[], colors: readonly number[][]) =>
  [0, 1, 2].map((part) => shares.reduce((sum, share, i) => sum + share * colors[i][part], 0));

const unlike = (a: Rgb, b: Rgb) => Math.max(...a.map((part, i) => Math.abs(part - b[i])));

describe('ground layers', () => {
  it('lie as layersAt says: each pixel is the colour that the shares there make', () =>
    fromAbove(async ({ field, look }) => {
      const [a, b] = [noisy(5, 7, 'rgba8', 11), noisy(9, 4, 'r8', 4)];
      const colors = [RED, GREEN, BLUE];
      const layers = [
        { name: 'a', weights: a, channel: 2, material: matte(RED) },
        { name: 'b', weights: b, material: matte(GREEN) },
        { name: 'c', weights: a, channel: 4, material: matte(BLUE) },
      ];
      const picture = await look(layers);
      const seen = new Set<string>();
      for (const [x, y] of [
        [1, 1],
        [62, 2],
        [30, 31],
        [17, 50],
        [44, 9],
        [33, 61],
      ]) {
        await field.set(layers);
        const shares = Object.values(field.at(...metresOf(x, y)));
        // The judge: ground of one layer of just that colour.
        const alone = await look([{ name: 'one', material: matte(mixOf(shares, colors)) }]);
        expect(unlike(pixel(picture, x, y), pixel(alone, x, y)), `${x}, ${y}: ${shares}`).to.be.at.most(
          SAMPLED,
        );
        seen.add(pixel(picture, x, y).join());
      }
      expect(seen.size).to.equal(6);
    }));

  it('give the first layer what the others leave, or everything where there is no weight', () =>
    fromAbove(async ({ look }) => {
      const part = await look([
        { name: 'base', material: matte(RED) },
        { name: 'over', weights: even('r8', 51), material: matte(BLUE) },
      ]);
      const mixed = await look([{ name: 'one', material: matte(mixOf([0.8, 0.2], [RED, BLUE])) }]);
      expect(largestDifference(part, mixed)).to.be.at.most(ROUNDING);
      const none = await look([
        { name: 'base', weights: even('rg8', 0, 0), material: matte(RED) },
        { name: 'over', weights: even('r8', 0), material: matte(BLUE) },
      ]);
      const red = await look([{ name: 'one', material: matte(RED) }]);
      expect(largestDifference(none, red)).to.be.at.most(ROUNDING);
    }));

  it('blend by weight times 2^(contrast × (height − 1/2))', () =>
    fromAbove(async ({ look }) => {
      for (const [weights, heights, contrasts] of [
        [
          [128, 127],
          [200, 80],
          [6, 6],
        ],
        [
          [30, 225],
          [255, 0],
          [4, 9],
        ],
        [
          [100, 100],
          [10, 240],
          [0, 0],
        ],
        [
          [200, 20],
          [90, 250],
          [32, 32],
        ],
      ]) {
        const texture = even('rg8', ...weights);
        const colors = [RED, BLUE];
        const layers = colors.map((albedo, i) => ({
          name: `${i}`,
          weights: texture,
          channel: i + 1,
          material: matte(albedo, { displacementMap: even('r8', heights[i]), contrast: contrasts[i] }),
        }));
        // The twin of the shader's blend.
        const parts = weights.map((weight, i) => weight * 2 ** (contrasts[i] * (heights[i] / 255 - 0.5)));
        const shares = parts.map((part) => part / (parts[0] + parts[1]));
        const picture = await look(layers);
        const alone = await look([{ name: 'one', material: matte(mixOf(shares, colors)) }]);
        expect(largestDifference(picture, alone), `${weights} ${heights} ${contrasts}`).to.be.at.most(
          SAMPLED,
        );
      }
    }));

  it('are one draw, and painting shows after a refresh', () =>
    fromAbove(async ({ scene, hf, look }) => {
      const weights = even('r8', 0);
      const before = await look([
        { name: 'base', material: matte(RED) },
        { name: 'over', weights, material: matte(GREEN) },
      ]);
      expect(scene.renderer.stats().passes.forward.draws).to.equal(1);
      weights.update({ data: [255] });
      expect(largestDifference(await scene.picture(64, 64), before)).to.equal(0);
      await hf.refresh();
      const after = middle(await scene.picture(64, 64));
      expect(after[1]).to.be.above(after[0] + 40);
    }));

  it('come and go under a standing mesh: without them the ground is what it was', () =>
    fromAbove(async ({ scene, gpu, field, look }) => {
      const plain = await scene.picture(64, 64);
      const bytes = gpu.bytes;
      const layered = await look([
        { name: 'one', material: matte(BLUE, { albedoMap: noisy(16, 16, 'rgba8') }) },
      ]);
      expect(largestDifference(layered, plain)).to.be.above(40);
      await field.set([]);
      expect(largestDifference(await scene.picture(64, 64), plain)).to.equal(0);
      expect(gpu.bytes).to.equal(bytes);
    }));

  it('are read along the right axes: a map’s left is west and its top is north', () =>
    fromAbove(async ({ look }) => {
      // One repeat over some metres, seen once from above: which way its colours change is what counts.
      const across = Texture.create({
        width: 16,
        height: 1,
        format: 'rgba8',
        data: (i: number) => [i * 16, 0, 255 - i * 16, 255],
      });
      const down = Texture.create({
        width: 1,
        height: 16,
        format: 'rgba8',
        data: (_: number, j: number) => [j * 16, 0, 255 - j * 16, 255],
      });
      for (const [map, dx, dy] of [
        [across, 1, 0],
        [down, 0, 1],
      ] as const) {
        const picture = await look([{ name: 'one', material: { albedoMap: map, tile: 16, roughness: 1 } }]);
        let [along, aside] = [0, 0];
        for (let y = 1; y < 62; y++)
          for (let x = 1; x < 62; x++) {
            const here = pixel(picture, x, y)[0];
            const rises = [
              pixel(picture, x + dx, y + dy)[0] - here,
              pixel(picture, x + dy, y + dx)[0] - here,
            ];
            // Where a repeat ends it falls back at once.
            if (Math.abs(rises[0]) < 60) along += rises[0];
            if (Math.abs(rises[1]) < 60) aside += rises[1];
          }
        expect(along / 61 ** 2, `${dx}, ${dy}`).to.be.within(5, 25);
        expect(Math.abs(aside)).to.be.below(along / 5);
      }
    }));

  it('turn toward the light as their normal maps say: right is east, green is north', () =>
    fromAbove(async ({ scene, look }) => {
      const faced = async (x: number, y: number, sun: [number, number, number]) => {
        const light = scene.world.createEntity('sun', { position: sun });
        light.lookAt([0, 0, 0]);
        scene.world.addComponent(light, 'Light', { kind: 'sun' });
        const normal = even('rgba8', 128 + x * 90, 128 + y * 90, 218, 255);
        const shown = luma(
          middle(await look([{ name: 'one', material: matte([0.5, 0.5, 0.5], { normalMap: normal }) }])),
        );
        light.destroy();
        return shown;
      };
      expect(await faced(1, 0, [1, 1, 0])).to.be.above((await faced(-1, 0, [1, 1, 0])) + 30);
      expect(await faced(0, 1, [0, 1, -1])).to.be.above((await faced(0, -1, [0, 1, -1])) + 30);
      expect(await faced(0, 0, [1, 1, 0])).to.be.closeTo(await faced(0, 0, [-1, 1, 0]), 2);
    }));

  it('average to the light of their colours from afar, and do not shimmer', () =>
    fromAbove(async ({ scene, look }) => {
      const checks = Texture.create({
        width: 64,
        height: 64,
        format: 'r8',
        data: (i: number, j: number) => ((i ^ j) & 1) * 255,
      });
      const afar = await look([{ name: 'one', material: { albedoMap: checks, tile: 1.7, roughness: 1 } }]);
      const grey = await look([{ name: 'one', material: matte([0.5, 0.5, 0.5]) }]);
      const lumas = Array.from({ length: 64 * 64 }, (_, i) => luma(pixel(afar, i % 64, i >> 6)));
      const mean = lumas.reduce((sum, value) => sum + value) / lumas.length;
      // Places are tinted unlike each other, by about a tenth of their light.
      expect(mean).to.be.closeTo(luma(middle(grey)), 6);
      const steps = lumas.map((value, i) => (i % 64 === 63 ? 0 : Math.abs(lumas[i + 1] - value)));
      expect(steps.sort((a, b) => a - b)[Math.floor(steps.length * 0.95)]).to.be.below(4);
      scene.look([3, 8, 30], [0, 0, -20], { orthographic: false });
      const grazing = await scene.picture(64, 64);
      expect(Math.abs(luma(pixel(grazing, 32, 30)) - luma(pixel(grazing, 33, 30)))).to.be.below(6);
    }));

  it('do not show that their maps repeat', () =>
    fromAbove(async ({ look }) => {
      // Big spots, so that the same spot a repeat further would be seen: 12 repeats, each of 16 pixels at 1/3 m a pixel.
      const spots = noisy(4, 4, 'r8', 8);
      const picture = await look([{ name: 'one', material: { albedoMap: spots, tile: 8, roughness: 1 } }]);
      const at = (x: number, y: number) => luma(pixel(picture, x, y));
      const likeness = (shift: number) => {
        const pairs: [number, number][] = [];
        for (let y = 0; y < 64; y++)
          for (let x = 0; x + shift < 64; x++) pairs.push([at(x, y), at(x + shift, y)]);
        const mean = pairs.reduce((sum, [a, b]) => sum + a + b, 0) / (2 * pairs.length);
        const product = pairs.reduce((sum, [a, b]) => sum + (a - mean) * (b - mean), 0);
        return product / pairs.reduce((sum, [a, b]) => sum + ((a - mean) ** 2 + (b - mean) ** 2) / 2, 0);
      };
      expect(likeness(0)).to.be.closeTo(1, 1e-9);
      expect(likeness(8)).to.be.below(0.75);
      expect(likeness(32)).to.be.below(0.4);
    }));

  it('are not stretched on a cliff', () =>
    inScene(async (scene) => {
      const gpu = await sharedGpu();
      const TILE = 2;
      // A line across for each repeat; seen square on, there are as many to a metre however steep it is.
      const lines = Texture.create({
        width: 32,
        height: 32,
        format: 'r8',
        data: (_: number, j: number) => (j < 16 ? 20 : 235),
      });
      for (const axis of ['x', 'z'] as const)
        for (const degrees of [0, 20, 70, 82]) {
          const angle = (degrees * Math.PI) / 180;
          const slope = Math.tan(angle);
          // From above lines run along X, so that a slope along X would show none there.
          if (axis === 'x' && degrees < 60) continue;
          const texture = slopeTexture(32, 48, (x, z) => slope * (axis === 'x' ? x : z));
          const hf = await openLayered(
            layerEngine(gpu, scene.renderer.materials),
            [{ name: 'one', material: { albedoMap: lines, tile: TILE, roughness: 1 } }],
            {},
            texture,
          );
          const away = await stand(scene, gpu, hf);
          const [nx, ny] = [-Math.sin(angle), Math.cos(angle)];
          scene.look(axis === 'x' ? [nx * 60, ny * 60, 0] : [0, ny * 60, nx * 60], [0, 0, 0], {
            orthographic: true,
            height: 32,
          });
          const picture = await scene.picture(128, 256);
          away();
          let lineCount = 0;
          for (const x of [20, 52, 84, 116]) {
            const column = Array.from({ length: 256 }, (_, y) => luma(pixel(picture, x, y)));
            // Brighter than the repeat around it, or darker.
            const bright = column
              .slice(8, -8)
              .map((value, y) => 16 * value > column.slice(y, y + 16).reduce((a, b) => a + b));
            lineCount += bright.filter((value, y) => y > 0 && value !== bright[y - 1]).length / 2;
          }
          // Patches begin anywhere in the map, which adds or takes a line here and there.
          expect(lineCount / 4 / (30 / TILE), `${axis}, ${degrees} degrees`).to.be.within(0.75, 1.3);
        }
    }));

  it('look the same 100 km from the origin, whatever the camera’s place there', async () => {
    const layers = [{ name: 'one', material: { albedoMap: noisy(32, 32, 'rgba8'), tile: 4, roughness: 1 } }];
    const looks: Picture[] = [];
    // A multiple of 29 repeats, so that the maps lie alike; patches and tints go by the rect.
    for (const shift of [0, 29 * 4 * 1000])
      await fromAbove(async ({ look }) => void looks.push(await look(layers)), [shift, -shift]);
    expect(largestDifference(looks[0], looks[1])).to.be.at.most(4);
  });

  it('are compiled when the first ground with layers comes, and refused before', async () => {
    const gpu = await sharedGpu();
    const made: string[] = [];
    const original = gpu.renderPipeline.bind(gpu);
    gpu.renderPipeline = (label, descriptor) => (made.push(label), original(label, descriptor));
    const renderer = new Renderer(gpu);
    try {
      const scene = new Scene(renderer);
      await renderer.ready(scene.world);
      const hf = await openLayered(layerEngine(gpu), undefined, {}, flatTexture());
      const away = await stand(scene, gpu, hf);
      await renderer.ready(scene.world);
      expect(made.join()).to.not.include('layers');
      await FieldLayers.of(hf)!.set([{ name: 'one' }]);
      expect(() => renderer.render(scene.world, { width: 8, height: 8 })).to.throw(
        'renderer.render: await renderer.ready(world) first, for its layers of ground',
      );
      await renderer.ready(scene.world);
      expect(made.join()).to.include('ground_layers');
      renderer.render(scene.world, { width: 8, height: 8 });
      away();
    } finally {
      gpu.renderPipeline = original;
      renderer.destroy();
    }
  });
});
