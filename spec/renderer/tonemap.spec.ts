import { expect } from 'chai';
import { ShaderChunk } from 'three';
import { DAY_EXPOSURE } from '../../runtime/renderer/exposure.js';
import { Renderer } from '../../runtime/renderer/renderer.js';
import { sharedGpu } from '../support/gpu.js';
import { inScene, middle, Scene, type Rgb } from '../support/picture.js';

/** Half a step of noise, and rounding. */
const BYTES = 1;
/** Bytes by which the judge's polynomial strays from the curve that it was laid through (0.005 of it, sRGB on top). */
const POLYNOMIAL_BYTES = 3;

const COLORS: Rgb[] = [
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

/** AgX as three.js has it, its matrices and polynomial read out of its own shader: linear radiance to linear 0..1. */
function agxOfThree(): (radiance: Rgb) => number[] {
  const source = ShaderChunk.tonemapping_pars_fragment;
  const number = (text: string) => Number(text.replace(/\s+/g, ''));
  const matrix = (name: string) => {
    const [, inner] = new RegExp(`mat3 ${name} = mat3\\(([^;]*)\\);`).exec(source)!;
    const parts = [...inner.replaceAll('vec3', '').matchAll(/-?\s*\d+\.?\d*/g)].map(([text]) => number(text));
    expect(parts, name).to.have.length(9);
    return ([x, y, z]: readonly number[]) =>
      [0, 1, 2].map((row) => parts[row] * x + parts[3 + row] * y + parts[6 + row] * z);
  };
  const terms = /return ([^;]*x4 \* x2[^;]*);/.exec(source)![1].replace(/\s+/g, '');
  const powers: Record<string, number> = { 'x4*x2': 6, 'x4*x': 5, x4: 4, 'x2*x': 3, x2: 2, x: 1, '': 0 };
  const polynomial = [...terms.matchAll(/([+-]\d+\.?\d*)\*?([x0-9*]*)/g)].map(
    ([, factor, power]) => [Number(factor), powers[power]] as const,
  );
  expect(polynomial).to.have.length(7);
  const bound = (name: string) => number(new RegExp(`${name} = (-?\\s*[\\d.]+)`).exec(source)![1]);
  const [low, high] = [bound('AgxMinEv'), bound('AgxMaxEv')];
  const [to, inset, outset, from] = [
    ...['LINEAR_SRGB_TO_LINEAR_REC2020', 'AgXInsetMatrix'],
    ...['AgXOutsetMatrix', 'LINEAR_REC2020_TO_LINEAR_SRGB'],
  ].map(matrix);
  return (radiance) => {
    const log = inset(to(radiance)).map((part) =>
      Math.min(1, Math.max(0, (Math.log2(Math.max(part, 1e-10)) - low) / (high - low))),
    );
    const curve = log.map((x) => polynomial.reduce((sum, [factor, power]) => sum + factor * x ** power, 0));
    return from(outset(curve).map((part) => Math.max(part, 0) ** 2.2));
  };
}

const srgb = (linear: number) => {
  const c = Math.min(1, Math.max(0, linear));
  return 255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);
};

/** Shows walls that glow in each colour, by nothing but their own light. */
async function shown(scene: Scene, toneMapper: string): Promise<Rgb[]> {
  const night = scene.world.createEntity('night');
  scene.world.addComponent(night, 'Light', { kind: 'sun', intensity: 0 });
  scene.renderer.background = [0, 0, 0];
  scene.look([0, 0, 3], [0, 0, 0], { exposure: 'fixed', toneMapper });
  const wall = scene.renderer.meshes.box({ size: [9, 9, 1] });
  const bytes: Rgb[] = [];
  for (const emissive of COLORS) {
    const thing = scene.model(wall, {}, { albedo: [0, 0, 0], roughness: 1, emissive });
    bytes.push(middle(await scene.picture(8, 8)));
    thing.destroy();
  }
  return bytes;
}

function expectCurve(bytes: Rgb[], curve: (radiance: Rgb) => number[], within: number): void {
  COLORS.forEach((color, i) => {
    const expected = curve(color.map((part) => part * DAY_EXPOSURE) as never).map(srgb);
    bytes[i].forEach((byte, k) => expect(byte, `of ${color.join(', ')}`).to.be.closeTo(expected[k], within));
  });
}

describe('tonemap', () => {
  it('is PBR Neutral and the sRGB curve, from the dark to far past white', () =>
    inScene(async (scene) => expectCurve(await shown(scene, 'neutral'), neutral, BYTES)));

  it('is AgX where the camera asks for it, as three.js has that', () =>
    inScene(async (scene) => {
      const bytes = await shown(scene, 'agx');
      expectCurve(bytes, agxOfThree(), BYTES + POLYNOMIAL_BYTES);
      // Brightest greys end in white, and grey stays grey.
      expect(Math.min(...bytes.at(-1)!)).to.be.at.least(254);
      for (const [i, color] of COLORS.entries())
        if (new Set(color).size === 1)
          expect(Math.max(...bytes[i]) - Math.min(...bytes[i])).to.be.at.most(BYTES);
    }));

  it('is compiled once the camera asks for it, and refused before', async () => {
    const renderer = new Renderer(await sharedGpu());
    const scene = new Scene(renderer);
    try {
      await renderer.ready(scene.world);
      scene.look([0, 0, 3], [0, 0, 0], { toneMapper: 'agx' });
      expect(() => renderer.render(scene.world, { width: 8, height: 8 })).to.throw(
        'renderer.render: await renderer.ready(world) first, for its tone mapper',
      );
      await renderer.ready(scene.world);
      await scene.picture(8, 8);
    } finally {
      renderer.destroy();
    }
  });

  it('is one of two', () =>
    inScene((scene) => {
      expect(() => scene.look([0, 0, 3], [0, 0, 0], { toneMapper: 'aces' })).to.throw(
        'Camera: toneMapper must be one of "neutral", "agx", got "aces"',
      );
    }));
});
