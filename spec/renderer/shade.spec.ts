// What shades keep of light: under light from everywhere a white thing sends on what it gets, and what shines does not glitter.
import { expect } from 'chai';
import frameSource from '../../shaders/include/frame.wgsl';
import shadeSource from '../../shaders/include/shade.wgsl';
import modelSource from '../../shaders/model.wgsl';
import { Gpu } from '../../runtime/gpu/gpu.js';
import { createNodeHost } from '../../runtime/host/node.js';
import { Renderer } from '../../runtime/renderer/renderer.js';
import { cleanly, SOFTWARE } from '../support/gpu.js';
import { inScene, middle, pixel, Scene } from '../support/picture.js';

/** What a shader's singles leave of 1. */
const SINGLES = 1e-4;
/** How far the polynomial of what one bounce sends on is from its integral, seen above 6 degrees from the surface ... */
const FIT = 0.1;
/** ... and on the average of all views and roughnesses. */
const MEAN_FIT = 0.02;

const ROUGHNESSES = [0.25, 0.4, 0.55, 0.7, 0.85, 1];
const COSINES = [0.1, 0.25, 0.5, 0.75, 1];

interface Case {
  roughness: number;
  metallic: number;
  albedo: number;
  cosine: number;
}

const casesOf = (metallic: number, albedo: number): Case[] =>
  ROUGHNESSES.flatMap((roughness) => COSINES.map((cosine) => ({ roughness, metallic, albedo, cosine })));

/** For each case what is sent toward the eye of light from everywhere: by `ambient`, and by `direct` over all directions. */
function sent(cases: readonly Case[]): Promise<{ ambient: number; direct: number }[]> {
  const code = `${frameSource}
    ${shadeSource}
    @group(0) @binding(0) var<storage, read> cases: array<vec4f>;
    @group(0) @binding(1) var<storage, read_write> sent: array<vec2f>;
    @compute @workgroup_size(32) fn furnace(@builtin(global_invocation_id) id: vec3u) {
      if (id.x >= arrayLength(&cases)) { return; }
      let one = cases[id.x];
      let normal = vec3f(0.0, 1.0, 0.0);
      let matter = Matter(vec3f(one.z), one.x, vec3f(0.0), one.y, 1.0, normal, 0.0);
      let eye = vec3f(sqrt(1.0 - one.w * one.w), one.w, 0.0);
      let around = ambient(gloss_of(matter, normal, eye), 1.0, vec3f(PI), vec3f(1.0)).x;
      var sum = 0.0;
      for (var i = 0; i < 400; i++) {
        for (var j = 0; j < 400; j++) {
          let y = (f32(i) + 0.5) / 400.0;
          let turn = 2.0 * PI * (f32(j) + 0.5) / 400.0;
          let flat_ = sqrt(1.0 - y * y);
          sum += direct(matter, normal, eye, vec3f(flat_ * cos(turn), y, flat_ * sin(turn)), vec3f(1.0)).x;
        }
      }
      sent[id.x] = vec2f(around, sum * 2.0 * PI / 160000.0);
    }`;
  return cleanly(async (gpu) => {
    const { STORAGE, COPY_SRC } = GPUBufferUsage;
    const values = cases.flatMap(({ roughness, metallic, albedo, cosine }) => [
      ...[roughness, metallic, albedo, cosine],
    ]);
    const input = gpu.createBufferWith('cases', Float32Array.from(values), STORAGE);
    const output = gpu.createBuffer('sent', cases.length * 8, STORAGE | COPY_SRC);
    const module = gpu.device.createShaderModule({ label: 'furnace', code });
    const pipeline = await gpu.device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
    const group = gpu.device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [input, output].map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    const encoder = gpu.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.ceil(cases.length / 32));
    pass.end();
    gpu.device.queue.submit([encoder.finish()]);
    const found = new Float32Array(await gpu.read(output));
    gpu.free(input);
    gpu.free(output);
    return cases.map((_, i) => ({ ambient: found[2 * i], direct: found[2 * i + 1] }));
  });
}

/** Runs `work` with a renderer whose models are drawn by another shader, on a device of their own. */
async function withModels<T>(code: string, work: (scene: Scene) => Promise<T>): Promise<T> {
  const host = createNodeHost({ project: '.' });
  const gpu = await Gpu.open(await host.requestAdapter({ software: SOFTWARE }));
  // The first one of a name is kept.
  gpu.shader('shaders/model.wgsl', code);
  const renderer = new Renderer(gpu);
  try {
    const scene = new Scene(renderer);
    scene.renderer.background = [0, 0, 0];
    await renderer.ready(scene.world);
    return await work(scene);
  } finally {
    renderer.destroy();
    await gpu.destroy();
    host.close();
  }
}

/** A shader whose function `name` has another body. */
function replaced(code: string, name: string, body: string): string {
  const found = new RegExp(`fn ${name}\\([^{]*\\{`).exec(code);
  expect(found, name).to.not.equal(null);
  return code.replace(found![0], `${found![0]} ${body}\n}\nfn unused_${name}() {`);
}

describe('shade', () => {
  describe('in a white furnace', () => {
    for (const [what, metallic] of [
      ['metal', 1],
      ['what is no metal', 0],
    ] as const)
      it(`sends on all that ${what} of albedo 1 gets, rough or smooth, from any side`, async () => {
        const cases = casesOf(metallic, 1);
        const all = await sent(cases);
        let sum = 0;
        all.forEach(({ ambient, direct }, i) => {
          const at = JSON.stringify(cases[i]);
          expect(ambient, `of the sky, ${at}`).to.be.closeTo(1, SINGLES);
          expect(direct, `of lights, ${at}`).to.be.closeTo(1, FIT);
          sum += direct - 1;
        });
        expect(sum / all.length).to.be.within(-MEAN_FIT, MEAN_FIT);
      });

    it('never sends on more than it gets, and of lights as much as of the sky', async () => {
      for (const metallic of [0, 0.3, 0.6, 1])
        for (const albedo of [0, 0.3, 1])
          for (const { ambient, direct } of await sent(casesOf(metallic, albedo))) {
            expect(ambient).to.be.within(0, 1 + SINGLES);
            expect(direct).to.be.closeTo(ambient, FIT);
          }
    });

    it('keeps a part of what anything darker gets, the more the darker', async () => {
      for (const metallic of [0, 1]) {
        const [light, dark] = await Promise.all([sent(casesOf(metallic, 0.8)), sent(casesOf(metallic, 0.2))]);
        light.forEach(({ ambient, direct }, i) => {
          for (const part of [ambient, direct]) expect(part).to.be.below(0.97);
          expect(dark[i].ambient).to.be.below(ambient);
          expect(dark[i].direct).to.be.below(direct);
        });
      }
    });

    it('shows a ball of it as bright as what is around it, to its rim', async () => {
      // Radiance 0.5 from all around, and no air.
      let code = replaced(modelSource, 'hemisphere', 'return vec3f(0.5 * PI);');
      code = replaced(code, 'mirrored_around', 'return vec3f(0.5);');
      code = replaced(code, 'with_fog', 'return radiance;');
      code = code.replace(/fn unused_(hemisphere|mirrored_around|with_fog)\(\) \{[^]*?\n\}\n/g, '');
      await withModels(code, async (scene) => {
        const night = scene.world.createEntity('night');
        scene.world.addComponent(night, 'Light', { intensity: 0 });
        scene.look([0, 0, 5], [0, 0, 0], { orthographic: true, height: 2.2, exposure: 'fixed' });
        const wall = scene.model(
          scene.renderer.meshes.box({ size: [9, 9, 1] }),
          {},
          { albedo: [0, 0, 0], metallic: 1, emissive: [0.5, 0.5, 0.5] },
        );
        const [expected] = middle(await scene.picture(8, 8));
        wall.destroy();
        const ball = scene.renderer.meshes.sphere({ radius: 1, segments: 64, rings: 32 });
        for (const roughness of [0, 0.3, 0.6, 1])
          for (const metallic of [0, 1]) {
            const thing = scene.model(ball, {}, { albedo: [1, 1, 1], roughness, metallic });
            const picture = await scene.picture(64, 64);
            for (const part of [0, 0.5, 0.8, 0.95])
              for (const byte of pixel(picture, 32 + part * 29, 32))
                expect(byte, `${roughness}, ${metallic}, ${part}`).to.be.closeTo(expected, 1);
            thing.destroy();
          }
      });
    });
  });

  it('widens what shines by how much it bends within a pixel: small glossy balls flicker a twentieth as much', async () => {
    /** How much the light of small balls in the sun varies as they move by parts of a pixel, against its mean. */
    const flicker = (code: string) =>
      withModels(code, async (scene) => {
        const ball = scene.renderer.meshes.sphere({ radius: 0.5, segments: 48, rings: 24 });
        const material = { albedo: [0.9, 0.9, 0.9], roughness: 0.2, metallic: 1 } as const;
        scene.model(ball, {}, material);
        // Dark enough that nothing is past the straight part of the tone curve.
        const camera = { orthographic: true, height: 8, exposure: 'fixed', ev: -5 };
        const sums: number[] = [];
        for (let i = 0; i < 40; i++) {
          // A ball of 6 pixels, moved by parts of one.
          const [x, y] = [(i * 0.618034) % 1, (i * 0.7548777) % 1].map((part) => part / 6);
          scene.look([x, y, 5], [x, y, 0], camera);
          await scene.picture(48, 48);
          const shot = await scene.renderer.capture(scene.world, {
            ...{ width: 48, height: 48, channel: 'color', bits: 16, step: 1 },
          });
          let sum = 0;
          for (let k = 0; k < shot.data.length; k += 4) sum += decoded(shot.data[k] / 65535);
          sums.push(sum);
        }
        const mean = sums.reduce((a, b) => a + b) / sums.length;
        return Math.sqrt(sums.reduce((a, b) => a + (b - mean) ** 2, 0) / sums.length) / mean;
      });
    const with_ = await flicker(modelSource);
    const without = await flicker(modelSource.replace(/WIDEST_SPREAD = [\d.]+/, 'WIDEST_SPREAD = 0.0'));
    expect(without).to.be.above(0.5);
    expect(with_).to.be.below(without / 20);
  });

  it('shows as white what is brighter than the picture’s halves hold: the sun in a mirror, and what glows more than it', () =>
    inScene(async (scene) => {
      const { world, renderer } = scene;
      const sun = world.createEntity('sun');
      world.addComponent(sun, 'Light', {});
      sun.lookAt([-1, -1, 0]);
      const mirror = { albedo: [1, 1, 1], roughness: 0, metallic: 1 } as const;
      scene.model(renderer.meshes.plane({ width: 100, depth: 100 }), {}, mirror);
      scene.look([-10, 10, 0], [0, 0, 0], { fov: 4 });
      expect(middle(await scene.picture(33, 33))).to.deep.equal([255, 255, 255]);
      const glowing = { albedo: [0, 0, 0], emissive: [1e5, 1e5, 1e5] } as const;
      scene.model(renderer.meshes.sphere(), { position: [-1, 1, 0] }, glowing);
      for (const toneMapper of ['neutral', 'agx']) {
        scene.look([-10, 10, 0], [0, 0, 0], { toneMapper });
        expect(middle(await scene.picture(33, 33)), toneMapper).to.deep.equal([255, 255, 255]);
      }
    }));
});

const decoded = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
