import { expect } from 'chai';
import type { Gpu } from '../../runtime/gpu/gpu.js';
import { SLICES, type SliceName } from '../../runtime/renderer/groundRecipes.js';
import { GroundTextures } from '../../runtime/renderer/groundTextures.js';
import { freeing, sharedGpu } from '../support/gpu.js';
import { handGround } from '../support/groundMesh.js';
import { inScene, luma, pixel, type Scene } from '../support/picture.js';

const SIDE = 64;
/** Bytes by which the twin may differ: its sums are rounded in another order, and each level's from those of the one before. */
const ROUNDED = { finest: 1, coarser: 3 };
/** The part of all texels that may differ by more: those on the border of two cells, which fall to either. */
const ON_BORDERS = 0.001;
const NAMES = Object.keys(SLICES) as SliceName[];

/** The bytes of one level, by slice. */
async function levelOf(gpu: Gpu, texture: GPUTexture, mipLevel: number): Promise<Uint8Array[]> {
  const side = texture.width >> mipLevel;
  const bytesPerRow = Math.max(256, side * 4);
  const { COPY_SRC, COPY_DST } = GPUBufferUsage;
  const buffer = gpu.createBuffer(
    'level',
    bytesPerRow * side * texture.depthOrArrayLayers,
    COPY_SRC | COPY_DST,
  );
  const encoder = gpu.device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture, mipLevel }, { buffer, bytesPerRow, rowsPerImage: side }, [
    side,
    side,
    texture.depthOrArrayLayers,
  ]);
  gpu.device.queue.submit([encoder.finish()]);
  const bytes = new Uint8Array(await gpu.read(buffer));
  gpu.free(buffer);
  return NAMES.map((_, z) =>
    Uint8Array.from({ length: side * side * 4 }, (_, i) => {
      const row = Math.floor(i / (side * 4));
      return bytes[(z * side + row) * bytesPerRow + (i % (side * 4))];
    }),
  );
}

const meanOf = (bytes: Uint8Array, channel: number): number => {
  let sum = 0;
  for (let i = channel; i < bytes.length; i += 4) sum += bytes[i];
  return sum / (bytes.length / 4);
};

describe('ground textures', () => {
  it('come out the same of the kernels and of their twin, at every level, and the same twice', () =>
    freeing(async (gpu) => {
      const made = [
        (await GroundTextures.maker(gpu, SIDE, 'kernels'))(),
        (await GroundTextures.maker(gpu, SIDE, 'twin'))(),
        (await GroundTextures.maker(gpu, SIDE, 'kernels'))(),
      ];
      for (const textures of made) textures.fill(NAMES);
      for (const of of ['colors', 'matters'] as const) {
        for (let level = 0; level <= 6; level++) {
          const [own, twin, again] = await Promise.all(
            made.map((textures) => levelOf(gpu, textures[of], level)),
          );
          expect(again, `${of}, level ${level}`).to.deep.equal(own);
          const rounded = level === 0 ? ROUNDED.finest : ROUNDED.coarser;
          own.forEach((bytes, z) => {
            const unlike = bytes.filter((byte, i) => Math.abs(byte - twin[z][i]) > rounded).length;
            expect(unlike, `${NAMES[z]}, ${of}, level ${level}`).to.be.at.most(bytes.length * ON_BORDERS);
          });
        }
      }
      for (const textures of made) textures.destroy();
    }));

  it('repeat without a seam: texels differ across the square’s edge as they do within it', () =>
    freeing(async (gpu) => {
      const textures = (await GroundTextures.maker(gpu, SIDE, 'twin'))();
      textures.fill(NAMES);
      const slices = await levelOf(gpu, textures.colors, 0);
      slices.forEach((bytes, z) => {
        const at = (x: number, y: number) => bytes[((y % SIDE) * SIDE + (x % SIDE)) * 4 + 3];
        for (const turned of [false, true]) {
          const steps = Array.from({ length: SIDE }, (_, x) => {
            let sum = 0;
            for (let y = 0; y < SIDE; y++)
              sum += Math.abs(turned ? at(y, x + 1) - at(y, x) : at(x + 1, y) - at(x, y));
            return sum;
          });
          const edge = steps.pop()!;
          // Beside the roughest of the 63 other columns it would stand out.
          expect(edge, NAMES[z]).to.be.at.most(Math.max(...steps) * 1.1);
        }
      });
      textures.destroy();
    }));

  it('keep their mean from level to level, and that of their colour is what a cover has', () =>
    freeing(async (gpu) => {
      const textures = (await GroundTextures.maker(gpu, SIDE, 'twin'))();
      textures.fill(NAMES);
      const levels = await Promise.all([0, 1, 2, 3, 4, 5, 6].map((i) => levelOf(gpu, textures.colors, i)));
      NAMES.forEach((name, z) => {
        for (let channel = 0; channel < 4; channel++) {
          const means = levels.map((slices) => meanOf(slices[z], channel));
          // Half a byte of rounding a level.
          for (const mean of means) expect(mean, `${name} ${channel}`).to.be.closeTo(means[0], 2);
          if (channel < 3) expect(means[0] / 255, `${name} ${channel}`).to.be.within(0.42, 0.66);
        }
      });
      textures.destroy();
    }));

  it('are there while bare ground is drawn, and no longer', () =>
    inScene(async (scene) => {
      const gpu = await sharedGpu();
      const hand = await handGround({ texels: 8, size: 40, height: () => 0 });
      scene.look([0, 20, 0], [0, 0, 0.01]);
      const entity = scene.model(scene.renderer.meshes.createBounded(hand.fields));
      const guid = entity.components.get('Model')!.get('mesh') as string;
      const { vertexBuffer, indexBuffer, bounds } = hand.fields;
      await scene.picture(16, 16);
      const bare = gpu.bytes;
      // The same mesh, no longer ground.
      scene.renderer.meshes.update(guid, { vertexBuffer, indexBuffer, bounds, ground: null });
      const freed = bare - gpu.bytes;
      expect(freed).to.be.above(2 * NAMES.length * SIDE * SIDE * 4);
      scene.renderer.meshes.update(guid, { ground: hand.fields.ground });
      await scene.picture(16, 16);
      expect(gpu.bytes).to.equal(bare);
      hand.destroy();
    }));
});

/** Level ground of 80 m at half of its declared heights, seen from straight above: `height` metres of it, `pixels` high. */
async function fromAbove(
  scene: Scene,
  height: number,
  pixels: number,
  at: readonly [number, number] = [0, 0],
) {
  scene.look([at[0], 100, at[1]], [at[0], 0, at[1]], { orthographic: true, height });
  const picture = await scene.picture(pixels, pixels);
  return Float64Array.from({ length: pixels * pixels }, (_, i) =>
    luma(pixel(picture, i % pixels, Math.floor(i / pixels))),
  );
}

const level = async (scene: Scene) => {
  const hand = await handGround({ texels: 16, size: 80, height: () => 0 });
  hand.fields.ground = { ...hand.fields.ground!, low: -10, high: 40 };
  scene.model(scene.renderer.meshes.createBounded(hand.fields));
  return hand;
};

const average = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** A picture less the mean of the 11 × 11 pixels around: what changes over metres would be like itself a little further. */
const withoutSlow = (values: Float64Array, side: number) =>
  values.map((value, i) => {
    let [sum, count] = [0, 0];
    const [x, y] = [i % side, Math.floor(i / side)];
    for (let v = Math.max(0, y - 5); v <= Math.min(side - 1, y + 5); v++)
      for (let u = Math.max(0, x - 5); u <= Math.min(side - 1, x + 5); u++, count++)
        sum += values[v * side + u];
    return value - sum / count;
  });

/** The correlation of a picture with itself moved by whole pixels, over where both are. */
function correlation(values: Float64Array, side: number, dx: number, dy: number): number {
  const mean = average(values);
  let [both, one, other] = [0, 0, 0];
  for (let y = Math.max(0, -dy); y < Math.min(side, side - dy); y++) {
    for (let x = Math.max(0, -dx); x < Math.min(side, side - dx); x++) {
      const [a, b] = [values[y * side + x] - mean, values[(y + dy) * side + x + dx] - mean];
      both += a * b;
      one += a * a;
      other += b * b;
    }
  }
  return both / Math.sqrt(one * other);
}

describe('bare ground', () => {
  it('shows no repeat: from above it is like itself a square further nowhere', () =>
    inScene(async (scene) => {
      const hand = await level(scene);
      const side = 160;
      const values = withoutSlow(await fromAbove(scene, 26, side), side);
      hand.destroy();
      let most = -1;
      // Lags of about a square of 2.6 m (16 pixels) and of two, whichever way it is turned.
      for (let dy = -34; dy <= 34; dy++) {
        for (let dx = 0; dx <= 34; dx++) {
          if (Math.hypot(dx, dy) < 12) continue;
          most = Math.max(most, correlation(values, side, dx, dy));
        }
      }
      expect(most).to.be.below(0.5);
      // The judge sees a repeat where there is one: the same picture with its left half twice.
      const twice = values.map((_, i) => values[i - (i % side) + ((i % side) % 16)]);
      expect(correlation(twice, side, 16, 0)).to.be.above(0.95);
    }));

  it('does not shimmer: a quarter of a pixel changes a picture by less than half of what a pixel does', () =>
    inScene(async (scene) => {
      const hand = await level(scene);
      // Pixels from 4 cm to 1.2 m.
      for (const height of [4, 16, 70]) {
        const step = height / 64;
        const shots: Float64Array[] = [];
        for (const part of [0, 0.25, 1]) shots.push(await fromAbove(scene, height, 64, [part * step, 0]));
        const change = (i: number) => average(shots[i].map((value, k) => Math.abs(value - shots[0][k])));
        expect(change(1), `${height} m`).to.be.below(0.5 * change(2) + 0.05);
      }
      hand.destroy();
    }));

  it('has one colour however far it is seen from: the mean of many pixels is that of a few', () =>
    inScene(async (scene) => {
      const hand = await level(scene);
      const means: number[] = [];
      for (const pixels of [256, 64, 16, 4]) means.push(average(await fromAbove(scene, 48, pixels)));
      hand.destroy();
      // Bytes: a picture's curve is not straight, and tilted ground is a little darker than level. A GPU reads three octaves of tilt.
      const most = (await sharedGpu()).software ? 6 : 16;
      for (const mean of means) expect(mean).to.be.closeTo(means[0], most);
    }));

  it('has no seam where it is laid on from above and from the sides', () =>
    inScene(async (scene) => {
      // A bowl whose slope grows with the distance from its middle: rings of one slope.
      const hand = await handGround({ texels: 256, size: 64, height: (x, z) => (x * x + z * z) / 36 });
      scene.model(scene.renderer.meshes.createBounded(hand.fields));
      const side = 256;
      const values = await fromAbove(scene, 60, side);
      hand.destroy();
      /** How unlike neighbours along the radius are, between two slopes in degrees. */
      const rough = (from: number, to: number) => {
        let [sum, count] = [0, 0];
        for (let y = 1; y < side - 1; y++) {
          for (let x = 1; x < side - 1; x++) {
            const [mx, mz] = [((x + 0.5) / side - 0.5) * 60, ((y + 0.5) / side - 0.5) * 60];
            const slope = (Math.atan(Math.hypot(mx, mz) / 18) * 180) / Math.PI;
            if (slope < from || slope >= to) continue;
            const inward = Math.abs(mx) > Math.abs(mz) ? -Math.sign(mx) : -Math.sign(mz) * side;
            sum += Math.abs(values[y * side + x] - values[y * side + x + inward]);
            count++;
          }
        }
        return sum / count;
      };
      // A border is crossed at 37 and at 53 degrees; a step there would show beside what lies before and behind it.
      for (const border of [37, 45, 53]) {
        const beside = 0.5 * (rough(border - 3, border - 1) + rough(border + 1, border + 3));
        expect(rough(border - 0.5, border + 0.5), `${border} degrees`).to.be.below(1.35 * beside);
      }
    }));
});
