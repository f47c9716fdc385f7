import { expect } from 'chai';
import type { MaterialFields } from '../../runtime/renderer/materialStore.js';
import { Renderer, type Picture } from '../../runtime/renderer/renderer.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { Texture } from '../../runtime/texture/texture.js';
import { sharedGpu } from '../support/gpu.js';
import { even, noisy } from '../support/layers.js';
import { inScene, largestDifference, luma, middle, pixel, Scene } from '../support/picture.js';

/** A byte of a map stands for a factor to 1/510; what that makes of a picture's bytes. */
const STEP = 2;

/** A plane of 2 m seen from straight above, and what it looks like in a material. */
function onPlane(
  work: (scene: Scene, wear: (fields: MaterialFields) => Promise<Picture>) => Promise<void>,
  options: { scale?: [number, number, number] } = {},
): Promise<void> {
  return inScene(async (scene) => {
    const { renderer, world } = scene;
    const plane = scene.model(renderer.meshes.plane({ width: 2, depth: 2 }), options);
    scene.look([0, 10, 0], [0, 0, 0], { orthographic: true, height: 2 });
    await work(scene, async (fields) => {
      const guid = renderer.materials.create(fields);
      world.getComponent(plane, 'Model')!.set('material', guid);
      const picture = await scene.picture(32, 32);
      renderer.materials.destroy(guid);
      return picture;
    });
  });
}

describe('material maps', () => {
  it('of one value are the factor of that value', () =>
    onPlane(async (_scene, wear) => {
      const pairs: [MaterialFields, MaterialFields][] = [
        // 188 of sRGB is half the light.
        [{ albedoMap: even('rgba8', 188, 188, 188, 255) }, { albedo: [0.503, 0.503, 0.503] }],
        [{ albedoMap: even('r8', 188), albedo: [1, 0.5, 0] }, { albedo: [0.503, 0.2515, 0] }],
        [{ roughnessMap: even('r8', 51) }, { roughness: 0.2 }],
        [{ roughnessMap: even('r8', 128), roughness: 0.5 }, { roughness: 0.251 }],
        [
          { metallicMap: even('rg8', 255, 0), albedo: [0.9, 0.6, 0.3] },
          { metallic: 1, albedo: [0.9, 0.6, 0.3] },
        ],
        [{ metallicRoughnessMap: even('rgba8', 9, 51, 0, 255) }, { roughness: 0.2 }],
        [
          { metallicRoughnessMap: even('rgba8', 9, 128, 255, 255), albedo: [0.9, 0.6, 0.3], roughness: 0.5 },
          { roughness: 0.251, metallic: 1, albedo: [0.9, 0.6, 0.3] },
        ],
        [{ emissiveMap: even('rgba8', 188, 0, 0, 255), emissive: [2, 2, 2] }, { emissive: [1.006, 0, 0] }],
        [{ normalMap: even('rgba8', 128, 128, 255, 255) }, {}],
        [{ occlusionMap: even('r16', 65535) }, {}],
      ];
      for (const [mapped, factors] of pairs)
        expect(
          largestDifference(await wear(mapped), await wear(factors)),
          Object.keys(mapped).join(),
        ).to.be.at.most(STEP);
    }));

  it('lie as uv0 says: the left is u 0, the top v 0', () =>
    onPlane(async (_scene, wear) => {
      const corners = Texture.create({
        width: 2,
        height: 2,
        format: 'rgba8',
        data: [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255],
      });
      const picture = await wear({ albedoMap: corners, roughness: 1 });
      const [red, green, blue] = [pixel(picture, 8, 8), pixel(picture, 24, 8), pixel(picture, 8, 24)];
      expect(red[0]).to.be.above(2 * red[2]);
      expect(green[1]).to.be.above(2 * green[0]);
      expect(blue[2]).to.be.above(2 * blue[0]);
      expect(Math.min(...pixel(picture, 24, 24))).to.be.above(120);
    }));

  for (const [what, scale] of [
    ['', [1, 1, 1]],
    [', also mirrored', [-1, 1, 1]],
  ] as const)
    it(`tilt toward the light as a normal map says${what}: right is the way u grows, green the way v falls`, () =>
      onPlane(
        async (scene, wear) => {
          const lit = async (x: number, y: number, sun: [number, number, number]) => {
            const light = scene.world.createEntity('sun', { position: sun });
            light.lookAt([0, 0, 0]);
            scene.world.addComponent(light, 'Light', { kind: 'sun' });
            const picture = await wear({
              normalMap: even('rgba8', 128 + 90 * x, 128 + 90 * y, 218, 255),
              roughness: 1,
            });
            light.destroy();
            return luma(middle(picture));
          };
          const east = scale[0];
          expect(await lit(1, 0, [east, 1, 0])).to.be.above((await lit(-1, 0, [east, 1, 0])) + 30);
          expect(await lit(0, 1, [0, 1, -1])).to.be.above((await lit(0, -1, [0, 1, -1])) + 30);
        },
        { scale: [...scale] },
      ));

  it('take the sky’s light away where occlusion says', () =>
    onPlane(async (scene, wear) => {
      const night = scene.world.createEntity('sun', { position: [0, 0, 1] });
      scene.world.addComponent(night, 'Light', { kind: 'sun', intensity: 0.2 });
      expect(luma(middle(await wear({ occlusionMap: even('r8', 0) })))).to.be.below(
        luma(middle(await wear({}))) * 0.6,
      );
    }));

  it('go on again outside 0..1, or as their edge where the material says clamp', () =>
    inScene(async (scene) => {
      const { meshes, materials } = scene.renderer;
      const plane = meshes.plane({ width: 2, depth: 2 });
      const { vertexBuffer } = meshes.get(plane);
      // uvs 0..2: the picture in the top left quarter, and what follows it.
      for (const [vertex, u, v] of [
        [1, 2, 0],
        [2, 0, 2],
        [3, 2, 2],
      ])
        vertexBuffer.write({ first: vertex * VERTEX_WORDS + VERTEX_OFFSET.uv0, data: [u, v] });
      const entity = scene.model(plane);
      scene.look([0, 10, 0], [0, 0, 0], { orthographic: true, height: 2 });
      const stripes = Texture.create({
        ...{ width: 2, height: 1, format: 'rgba8' },
        data: [255, 0, 0, 255, 0, 0, 255, 255],
      });
      const at = async (fields: MaterialFields, x: number) => {
        const guid = materials.create({ albedoMap: stripes, ...fields });
        scene.world.getComponent(entity, 'Model')!.set('material', guid);
        const [r, , b] = pixel(await scene.picture(32, 32), x, 20);
        materials.destroy(guid);
        return r > 2 * b ? 'red' : b > 2 * r ? 'blue' : 'neither';
      };
      expect(await at({}, 4)).to.equal('red');
      expect(await at({}, 20)).to.equal('red');
      expect(await at({ wrap: 'repeat' }, 28)).to.equal('blue');
      expect(await at({ wrap: 'clamp' }, 4)).to.equal('red');
      expect(await at({ wrap: 'clamp' }, 20)).to.equal('blue');
      // A second map that is larger brings the first to its size, within its edges as well.
      const fine = { emissiveMap: noisy(8, 8, 'rgba8'), emissive: [0, 0, 0] as [number, number, number] };
      expect(await at({ wrap: 'clamp', ...fine }, 31)).to.equal('blue');
      expect(() => materials.create({ wrap: 'mirror' as never })).to.throw(
        'wrap must be one of "repeat", "clamp", got "mirror"',
      );
    }));

  it('stay when the texture is destroyed, are read again by an update, and come off by false', () =>
    inScene(async (scene) => {
      const { renderer } = scene;
      const texture = even('rgba8', 255, 0, 0, 255);
      const entity = scene.model(renderer.meshes.box());
      const guid = renderer.materials.create({ albedoMap: texture });
      scene.world.getComponent(entity, 'Model')!.set('material', guid);
      scene.look([0, 0, 3], [0, 0, 0]);
      const colour = async () => {
        const [r, g, b] = middle(await scene.picture(16, 16));
        return r > 2 * b ? 'red' : b > 2 * r ? 'blue' : g > 40 ? 'grey' : 'black';
      };
      expect(await colour()).to.equal('red');
      texture.update({ data: [0, 0, 255, 255] });
      expect(await colour()).to.equal('red');
      renderer.materials.update(guid, { roughness: 0.9 });
      expect(await colour()).to.equal('blue');
      texture.destroy();
      renderer.materials.update(guid, { roughness: 0.8 });
      expect(await colour()).to.equal('blue');
      renderer.materials.update(guid, { albedoMap: false });
      expect(await colour()).to.equal('grey');
      expect(renderer.materials.get(guid).roughness).to.equal(0.8);
    }));

  it('are refused by name where they cannot be read, and leave the material as it was', () =>
    inScene(async ({ renderer: { materials } }) => {
      const gone = even('r8', 1);
      gone.destroy();
      const guid = materials.create({ albedo: [1, 0, 0] });
      const update = (fields: object) => () => materials.update(guid, fields);
      expect(update({ albedoMap: 'x' })).to.throw(
        'renderer.material.update: albedoMap must be a texture, got "x"',
      );
      expect(update({ albedoMap: gone })).to.throw('the texture given as albedoMap is destroyed');
      expect(update({ roughnessMap: even('r32f', 1) })).to.throw(
        'roughnessMap must be of 8 or 16 bits a channel',
      );
      expect(update({ normalMap: even('r8', 1) })).to.throw('normalMap must have x, y and z');
      expect(update({ metallicRoughnessMap: even('rg8', 1, 1) })).to.throw(
        'metallicRoughnessMap must have roughness in green and metal in blue',
      );
      const pair = { metallicRoughnessMap: even('rgba8', 1, 1, 1, 1) };
      expect(update({ ...pair, metallicMap: even('r8', 1) })).to.throw(
        'metallicMap must be left out where there is a metallicRoughnessMap',
      );
      expect(update({ albedoMpa: gone })).to.throw('did you mean "albedoMap"?');
      expect(materials.get(guid).maps).to.deep.equal({});
    }));

  it('are uploaded for what is drawn with them alone, and given back', () =>
    inScene(async (scene) => {
      const gpu = await sharedGpu();
      const { renderer } = scene;
      // What the first model brings is there already: the sun's shadow maps.
      const first = scene.model(renderer.meshes.box());
      await scene.picture(16, 16);
      first.destroy();
      await scene.picture(16, 16);
      const before = gpu.bytes;
      const guid = renderer.materials.create({
        albedoMap: noisy(16, 8, 'rgba8'),
        displacementMap: noisy(64, 64, 'r8'),
      });
      await scene.picture(16, 16);
      expect(gpu.bytes).to.equal(before);
      const entity = scene.model(renderer.meshes.box());
      const worn = gpu.bytes;
      scene.world.getComponent(entity, 'Model')!.set('material', guid);
      await scene.picture(16, 16);
      // 16 × 8 with its levels, and a texel for each of the other two pictures; the rest are blocks and objects.
      const maps = 4 * (128 + 32 + 8 + 2 + 1 + 2);
      expect(gpu.bytes - worn).to.be.within(maps, maps + 8192);
      renderer.materials.destroy(guid);
      expect(gpu.bytes).to.be.below(worn + 8192 - maps);
    }));

  it('are compiled when the first material with maps is worn, and refused before', async () => {
    const gpu = await sharedGpu();
    const renderer = new Renderer(gpu);
    try {
      const scene = new Scene(renderer);
      scene.model(renderer.meshes.box(), {}, { displacementMap: even('r8', 1) });
      await renderer.ready(scene.world);
      renderer.render(scene.world, { width: 8, height: 8 });
      scene.model(renderer.meshes.box(), {}, { albedoMap: even('r8', 1) });
      expect(() => renderer.render(scene.world, { width: 8, height: 8 })).to.throw(
        'renderer.render: await renderer.ready(world) first, for its materials with maps',
      );
      await renderer.ready(scene.world);
      renderer.render(scene.world, { width: 8, height: 8 });
    } finally {
      renderer.destroy();
    }
  });
});
