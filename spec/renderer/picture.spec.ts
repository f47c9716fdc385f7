import { expect } from 'chai';
import { Renderer } from '../../runtime/renderer/renderer.js';
import { World } from '../../runtime/world/world.js';
import { cleanly, sharedGpu } from '../support/gpu.js';
import { crater, handGround } from '../support/groundMesh.js';
import { expectGolden, inScene, largestDifference, Scene } from '../support/picture.js';

describe('picture', () => {
  it('comes in any size, down to one pixel, and old sizes are freed', () =>
    inScene(async (scene) => {
      const gpu = await sharedGpu();
      scene.model(scene.renderer.meshes.box());
      await scene.picture(64, 64);
      const before = gpu.bytes;
      for (const [width, height] of [
        [1, 1],
        [1, 7],
        [63, 65],
        [65, 3],
        [129, 33],
      ]) {
        const { data, ...size } = await scene.picture(width, height);
        expect(size).to.deep.equal({ width, height });
        expect(data.length).to.equal(width * height * 4);
        for (let i = 3; i < data.length; i += 4) expect(data[i]).to.equal(255);
      }
      await scene.picture(64, 64);
      expect(gpu.bytes).to.equal(before);
    }));

  it('keeps its rows apart where a copy pads them', () =>
    inScene(async (scene) => {
      const wide = await scene.picture(65, 40);
      for (let y = 0; y < 40; y++) {
        const at = y * 65 * 4;
        // The sky of an empty world changes along a row by its glow only: a slipped row would step.
        for (let x = 1; x < 65; x++)
          expect(Math.abs(wide.data[at + x * 4] - wide.data[at + x * 4 - 4])).to.be.below(6);
      }
    }));

  it('refuses sides that are no whole number or past the adapter’s limit, by name', () =>
    inScene(async ({ renderer, world }) => {
      const max = (await sharedGpu()).limits.maxTextureDimension2D;
      expect(() => renderer.render(world, { width: 0, height: 8 })).to.throw(
        `renderer.render: width must be an integer in 1..${max}, got 0`,
      );
      expect(() => renderer.render(world, { width: 8, height: max + 1 })).to.throw(
        `renderer.render: height must be an integer in 1..${max}, got ${max + 1}`,
      );
      expect(() => renderer.render(world, { width: 8.5, height: 8 })).to.throw('width must be an integer');
    }));

  it('is refused before there is one', async () => {
    const renderer = new Renderer(await sharedGpu());
    expect(() => renderer.render(new World(), { width: 8, height: 8 })).to.throw('await renderer.ready()');
    let message = '';
    await renderer.readPixels().catch((error: Error) => (message = error.message));
    expect(message).to.contain('nothing has been rendered yet');
    renderer.destroy();
  });

  it('may be given up while its pipelines compile', () =>
    cleanly(async (gpu) => {
      const renderer = new Renderer(gpu);
      const compiling = renderer.ready();
      renderer.destroy();
      await compiling;
    }));

  it('is drawn for the sun alone until there are other lights, and the same with one that gives none', async () => {
    const renderer = new Renderer(await sharedGpu());
    const scene = new Scene(renderer);
    try {
      await renderer.ready(scene.world);
      scene.model(renderer.meshes.sphere({ radius: 1 }));
      const bySun = await scene.picture();
      const lamp = scene.world.createEntity('lamp', { position: [0, 1.5, 3] });
      scene.world.addComponent(lamp, 'Light', { kind: 'point', intensity: 0, range: 50 });
      expect(() => renderer.render(scene.world, { width: 8, height: 8 })).to.throw(
        'renderer.render: await renderer.ready(world) first, for its lights',
      );
      await renderer.ready(scene.world);
      expect(largestDifference(await scene.picture(), bySun)).to.be.at.most(1);
      scene.world.getComponent(lamp, 'Light')!.set('intensity', 20);
      expect(largestDifference(await scene.picture(), bySun)).to.be.above(30);
    } finally {
      renderer.destroy();
    }
  });

  it('of solids on a plane is as stored', () =>
    inScene(async (scene) => {
      const { meshes } = scene.renderer;
      scene.model(meshes.plane({ width: 8, depth: 6 }));
      scene.model(
        meshes.box({ size: [1.5, 1.5, 1.5] }),
        { position: [-1.3, 0.75, 0], rotation: [0, 30, 0] },
        { albedo: [0.75, 0.12, 0.06], roughness: 0.4 },
      );
      scene.model(
        meshes.sphere({ radius: 1, segments: 48, rings: 24 }),
        { position: [1.2, 1, 0.3] },
        { albedo: [1, 0.77, 0.34], roughness: 0.25, metallic: 1 },
      );
      expectGolden('solids', await scene.picture(192, 108));
    }));

  it('of a ground is as stored', async function () {
    // Stored with the software adapter: others have finer textures of ground.
    if (!(await sharedGpu()).software) this.skip();
    await inScene(async (scene) => {
      const hand = await handGround({ texels: 200, size: 400, step: 3, height: crater });
      scene.model(scene.renderer.meshes.createBounded(hand.fields));
      const picture = await scene.picture(192, 108);
      hand.destroy();
      expectGolden('ground', picture);
    });
  });
});
