import { expect } from 'chai';
import { inScene, middle, type Rgb } from '../support/picture.js';

/** What a picture's exposure multiplies radiance by. */
const EXPOSURE = 1.15;
/** Half a step of noise, and rounding. */
const BYTES = 1;

/** Khronos PBR Neutral as its specification states it, from linear radiance to linear 0..1. */
function neutral(radiance: Rgb): number[] {
  const [startCompression, desaturation, f90] = [0.8, 0.15, 0.04];
  const x = Math.min(...radiance);
  const offset = x <= 2 * f90 ? x - (x * x) / (4 * f90) : f90;
  const shifted = radiance.map((part) => part - offset);
  const peak = Math.max(...shifted);
  const start = startCompression - f90;
  if (peak <= start) return shifted;
  const squeezed = 1 - (1 - start) ** 2 / (peak + 1 - 2 * start);
  const gain = 1 / (desaturation * (peak - squeezed) + 1);
  return shifted.map((part) => ((part * squeezed) / peak) * gain + squeezed * (1 - gain));
}

const srgb = (linear: number) =>
  255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055);

describe('tonemap', () => {
  it('is PBR Neutral and the sRGB curve, from the dark to far past white', () =>
    inScene(async (scene) => {
      const night = scene.world.createEntity('night');
      scene.world.addComponent(night, 'Light', { kind: 'sun', intensity: 0 });
      scene.renderer.background = [0, 0, 0];
      scene.look([0, 0, 3], [0, 0, 0]);
      const wall = scene.renderer.meshes.box({ size: [9, 9, 1] });
      const colors: Rgb[] = [
        [0, 0, 0],
        [0.001, 0.002, 0.0025],
        [0.05, 0.02, 0.06],
        [0.5, 0.1, 0.3],
        [0.18, 0.18, 0.18],
        [0.9, 0.7, 0.2],
        [0.1, 4, 0.5],
        [12, 3, 0.2],
        [40, 40, 40],
      ];
      for (const color of colors) {
        const thing = scene.model(wall, {}, { albedo: [0, 0, 0], roughness: 1, emissive: color });
        const shown = middle(await scene.picture(8, 8));
        thing.destroy();
        const expected = neutral(color.map((part) => part * EXPOSURE) as never).map(srgb);
        shown.forEach((byte, i) => expect(byte, `of ${color.join(', ')}`).to.be.closeTo(expected[i], BYTES));
      }
    }));
});
