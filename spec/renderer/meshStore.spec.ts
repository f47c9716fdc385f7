import { expect } from 'chai';
import { GpuBuffer } from '../../runtime/gpu/gpuBuffer.js';
import { MaterialStore } from '../../runtime/renderer/materialStore.js';
import { MeshStore } from '../../runtime/renderer/meshStore.js';
import { box, cylinder, plane, sphere, type Geometry } from '../../runtime/renderer/primitives.js';
import { VERTEX_LAYOUT, VERTEX_OFFSET, VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { vec3 } from '../../runtime/world/vector.js';
import { cleanly, freeing, sharedGpu } from '../support/gpu.js';
import { handGround } from '../support/groundMesh.js';
import { inScene } from '../support/picture.js';

/** Asserts that `work` rejects or throws with a message that holds all of `parts`. */
async function refused(work: () => unknown, ...parts: string[]): Promise<void> {
  let message: string | null = null;
  try {
    await work();
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message, 'an error').to.not.equal(null);
  for (const part of parts) expect(message).to.contain(part);
}

/** One triangle of places, in the engine's layout, plus whatever indices. */
function triangle(gpu: Parameters<typeof GpuBuffer.create>[0], indices = [0, 1, 2]) {
  const vertices = new Float32Array(3 * VERTEX_WORDS);
  vertices.set([-1, 2, 3], 0);
  vertices.set([4, 5, -6], VERTEX_WORDS);
  vertices.set([0, -7, 0], 2 * VERTEX_WORDS);
  return {
    vertexBuffer: GpuBuffer.create(gpu, { data: vertices }),
    indexBuffer: GpuBuffer.create(gpu, { data: Uint32Array.from(indices) }),
  };
}
const free = (buffers: Record<string, GpuBuffer>) =>
  Object.values(buffers).forEach((buffer) => buffer.destroy());

describe('meshStore', () => {
  it('measures bounds once where none are given, over the vertices that are drawn', () =>
    freeing(async (gpu) => {
      const meshes = new MeshStore(gpu);
      const buffers = triangle(gpu, [0, 1, 0, 0, 1, 2]);
      const part = await meshes.create({ ...buffers, indexCount: 3 });
      expect(meshes.boundsOf(part)).to.deep.equal({ min: { x: -1, y: 2, z: -6 }, max: { x: 4, y: 5, z: 3 } });
      const whole = await meshes.create(buffers);
      expect(meshes.boundsOf(whole)!.min.y).to.equal(-7);
      free(buffers);
    }));

  it('refuses what cannot be drawn, and keeps nothing of it', () =>
    freeing(async (gpu) => {
      const meshes = new MeshStore(gpu);
      const where = 'renderer.mesh.create: ';
      const buffers = triangle(gpu, [0, 1, 2, 0, 1, 3]);
      const create = (fields: object) => () => meshes.create({ ...buffers, ...fields } as never);
      await refused(create({ indexBuffer: 7 }), where, 'indexBuffer must be a buffer', 'got 7');
      await refused(create({ indexCount: 4 }), where, 'indexCount must be a multiple of 3, got 4');
      await refused(
        create({ firstIndex: 3, indexCount: 6 }),
        where,
        'indexCount must be an integer in 0..3, got 6',
      );
      await refused(create({ firstIndex: 7 }), where, 'firstIndex must be an integer in 0..6, got 7');
      await refused(create({ indices: 3 }), where, 'there is no field "indices"');
      await refused(create({}), where, 'index 5 names vertex 3, and there are 3 vertices');
      await refused(
        create({ bounds: { min: [1, 0, 0], max: [0, 0, 0] } }),
        where,
        'bounds.min.x must be at most 0',
      );
      const odd = GpuBuffer.create(gpu, { size: 96 });
      await refused(create({ vertexBuffer: odd }), where, 'vertexBuffer must be a whole number of vertices');
      odd.destroy();
      await refused(create({ vertexBuffer: odd }), where, 'is destroyed');
      expect(meshes.count).to.equal(0);
      await refused(() => meshes.update('no-such', {}), 'renderer.mesh.update: guid must be');
      free(buffers);
    }));

  it('gives back what a ground was drawn through when it is shaded otherwise', () =>
    inScene(async (scene) => {
      const gpu = await sharedGpu();
      const { meshes } = scene.renderer;
      const hand = await handGround({ texels: 5, size: 4, height: () => 0 });
      const guid = meshes.createBounded(hand.fields);
      scene.model(guid, { position: [0, -1, 0] });
      scene.look([0, 3, 3], [0, 0, 0]);
      await scene.picture();
      const ground = gpu.bytes;
      meshes.update(guid, { bounds: hand.fields.bounds });
      expect(gpu.bytes).to.equal(ground);
      meshes.update(guid, { ground: { ...hand.fields.ground! } });
      expect(gpu.bytes).to.be.below(ground);
      await scene.picture();
      expect(gpu.bytes).to.equal(ground);
      hand.destroy();
    }));

  it('swaps ranges, bounds and buffers under one guid', () =>
    inScene(async (scene) => {
      const { meshes } = scene.renderer;
      const guid = meshes.box({ size: [2, 2, 2] });
      const { vertexBuffer, indexBuffer } = meshes.get(guid);
      scene.model(guid);
      const count = async () => {
        await scene.picture(8, 8);
        return scene.renderer.stats().passes.forward;
      };
      expect(await count()).to.deep.equal({ draws: 1, triangles: 12 });
      meshes.update(guid, { firstIndex: 6, indexCount: 9 });
      expect(await count()).to.deep.equal({ draws: 1, triangles: 3 });
      meshes.update(guid, { indexCount: 0 });
      expect(await count()).to.deep.equal({ draws: 0, triangles: 0 });
      expect(() => meshes.update(guid, { firstIndex: 35, indexCount: 3 })).to.throw('indexCount must be');
      expect(meshes.get(guid).firstIndex).to.equal(6);
      const other = meshes.plane();
      meshes.update(guid, {
        vertexBuffer: meshes.get(other).vertexBuffer,
        indexBuffer: meshes.get(other).indexBuffer,
      });
      expect(vertexBuffer.destroyed && indexBuffer.destroyed).to.equal(true);
      expect(await count()).to.deep.equal({ draws: 1, triangles: 2 });
      scene.look([0, 0, 5], [0, 0, 0]);
      meshes.update(guid, { bounds: { min: vec3(100, 0, 0), max: vec3(101, 1, 1) } });
      expect(await count()).to.deep.equal({ draws: 0, triangles: 0 });
      meshes.destroy(guid);
      expect(await count()).to.deep.equal({ draws: 0, triangles: 0 });
    }));

  it('names the entity whose buffers were destroyed under it', () =>
    inScene(async (scene) => {
      const { meshes } = scene.renderer;
      const guid = meshes.box();
      scene.model(guid).name = 'crate';
      meshes.get(guid).indexBuffer.destroy();
      await refused(() => scene.picture(8, 8), 'renderer.render', '"crate"', 'is destroyed');
    }));

  it('does not grow over 1,000 meshes and materials made, drawn now and then, and destroyed', () =>
    inScene(async (scene) => {
      const { meshes, materials } = scene.renderer;
      const round = async (draw: boolean) => {
        const guid = meshes.sphere({ segments: 8, rings: 4 });
        const material = materials.create({ albedo: [1, 0, 0] });
        const entity = scene.world.createEntity();
        scene.world.addComponent(entity, 'Model', { mesh: guid, material });
        if (draw) await scene.picture(8, 8);
        entity.destroy();
        meshes.destroy(guid);
        materials.destroy(material);
      };
      await round(true);
      const before = scene.renderer.stats().bytes;
      for (let i = 0; i < 1000; i++) await round(i % 100 === 0);
      expect(scene.renderer.stats().bytes).to.equal(before);
      expect(meshes.count).to.equal(0);
    }));
});

describe('materialStore', () => {
  it('checks its factors and names the nearest field', () => {
    const materials = new MaterialStore();
    const where = 'renderer.material.create: ';
    expect(() => materials.create({ roughness: 1.5 })).to.throw(
      `${where}roughness must be a finite number in 0..1, got 1.5`,
    );
    expect(() => materials.create({ albedo: [1, 2, 0] })).to.throw(
      `${where}albedo.g must be a finite number in 0..1`,
    );
    expect(() => materials.create({ rougness: 1 } as never)).to.throw('did you mean "roughness"?');
    const guid = materials.create({ albedo: [0.5, 0.25, 0], metallic: 1 });
    materials.update(guid, { roughness: 0.1 });
    expect(materials.get(guid)).to.deep.include({
      albedo: { x: 0.5, y: 0.25, z: 0 },
      metallic: 1,
      roughness: 0.1,
    });
    materials.destroy(guid);
    expect(() => materials.get(guid)).to.throw('guid must be the guid of a material that exists');
  });
});

describe('primitives', () => {
  const shapes: Record<string, Geometry> = {
    plane: plane({ width: 3, depth: 2, columns: 4, rows: 3 }),
    box: box({ size: [1, 2, 3] }),
    sphere: sphere({ radius: 2, segments: 12, rings: 7 }),
    cylinder: cylinder({ radius: 2, height: 5, segments: 7 }),
    'cylinder, wider at the top': cylinder({ radius: 1, topRadius: 1.5, height: 0.5, segments: 4 }),
    cone: cylinder({ radius: 1.3, topRadius: 0, height: 4, segments: 9 }),
  };
  const at = ({ vertices }: Geometry, index: number, word: number, count: number) =>
    Array.from(vertices.subarray(index * VERTEX_WORDS + word, index * VERTEX_WORDS + word + count));

  for (const [name, shape] of Object.entries(shapes)) {
    it(`${name}: triangles face the way their normals do, tangents lie across them, bounds hold them`, () => {
      for (let i = 0; i < shape.indices.length; i += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => at(shape, shape.indices[i + k], VERTEX_OFFSET.position, 3));
        const [u, v] = [b, c].map((p) => p.map((value, k) => value - a[k]));
        const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        expect(Math.hypot(...normal)).to.be.above(1e-9);
        const uv = [0, 1, 2].map((k) => at(shape, shape.indices[i + k], VERTEX_OFFSET.uv0, 2));
        const [du1, dv1, du2, dv2] = [1, 2].flatMap((k) => uv[k].map((value, j) => value - uv[0][j]));
        const turn = du1 * dv2 - du2 * dv1;
        const along = {
          u: u.map((value, j) => (value * dv2 - v[j] * dv1) / turn),
          v: v.map((value, j) => (value * du1 - u[j] * du2) / turn),
        };
        for (let k = 0; k < 3; k++) {
          const own = at(shape, shape.indices[i + k], VERTEX_OFFSET.normal, 3);
          const tangent = at(shape, shape.indices[i + k], VERTEX_OFFSET.tangent, 4);
          const facing = normal.reduce((sum, part, j) => sum + part * own[j], 0);
          expect(facing).to.be.above(0);
          expect(Math.hypot(...own)).to.be.closeTo(1, 1e-6);
          expect(Math.hypot(...tangent.slice(0, 3))).to.be.closeTo(1, 1e-6);
          expect(own.reduce((sum, part, j) => sum + part * tangent[j], 0)).to.be.closeTo(0, 1e-6);
          expect(tangent[3]).to.equal(1);
          // As glTF has it: the tangent runs the way u grows, normal × tangent the way v falls.
          const bitangent = [1, 2, 0].map(
            (j, axis) => own[j] * tangent[(axis + 2) % 3] - own[(axis + 2) % 3] * tangent[j],
          );
          expect(along.u.reduce((sum, part, j) => sum + part * tangent[j], 0)).to.be.above(0);
          expect(along.v.reduce((sum, part, j) => sum + part * bitangent[j], 0)).to.be.below(0);
        }
        for (const [j, axis] of (['x', 'y', 'z'] as const).entries()) {
          expect(a[j]).to.be.at.least(shape.bounds.min[axis]);
          expect(a[j]).to.be.at.most(shape.bounds.max[axis]);
        }
      }
    });
  }

  it('all but the plane are closed: every edge is walked once each way', () => {
    for (const shape of Object.values(shapes).slice(1)) {
      const edges = new Map<string, number>();
      const key = (index: number) =>
        at(shape, index, VERTEX_OFFSET.position, 3)
          .map((v) => v + 0)
          .join();
      for (let i = 0; i < shape.indices.length; i += 3) {
        for (let k = 0; k < 3; k++) {
          const [from, to] = [key(shape.indices[i + k]), key(shape.indices[i + ((k + 1) % 3)])];
          edges.set(`${from}|${to}`, (edges.get(`${from}|${to}`) ?? 0) + 1);
          edges.set(`${to}|${from}`, (edges.get(`${to}|${from}`) ?? 0) - 1);
        }
      }
      expect([...edges.values()].every((count) => count === 0)).to.equal(true);
    }
  });

  it('a cylinder fills as much as its formula says, and a cone a third of it', () => {
    // The divergence theorem over its triangles, against the prism of as many sides.
    const volume = (shape: Geometry) => {
      let six = 0;
      for (let i = 0; i < shape.indices.length; i += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => at(shape, shape.indices[i + k], VERTEX_OFFSET.position, 3));
        six +=
          a[0] * (b[1] * c[2] - b[2] * c[1]) -
          a[1] * (b[0] * c[2] - b[2] * c[0]) +
          a[2] * (b[0] * c[1] - b[1] * c[0]);
      }
      return six / 6;
    };
    const sides = (n: number) => (n / 2) * Math.sin((2 * Math.PI) / n);
    expect(volume(shapes.cylinder)).to.be.closeTo(sides(7) * 4 * 5, 1e-4);
    expect(volume(shapes.cone)).to.be.closeTo((sides(9) * 1.69 * 4) / 3, 1e-4);
  });

  it('refuse sizes that are none', () => {
    expect(() => box({ size: [1, 0, 1] })).to.throw(
      'renderer.mesh.box: size.y must be a finite number above 0, got 0',
    );
    expect(() => sphere({ segments: 2 })).to.throw('segments must be an integer in 3..1024, got 2');
    expect(() => cylinder({ topRadius: -1 })).to.throw(
      'renderer.mesh.cylinder: topRadius must be a finite number of at least 0, got -1',
    );
    expect(() => cylinder({ height: 0 })).to.throw('height must be a finite number above 0, got 0');
    expect(() => cylinder({ segments: 2 })).to.throw('segments must be an integer in 3..1024, got 2');
    expect(() => plane({ widht: 2 } as never)).to.throw('did you mean "width"?');
  });

  it('the layout covers 23 words without gap or overlap', () => {
    const sizes: Record<string, number> = { float32x2: 8, float32x3: 12, float32x4: 16, uint8x4: 4 };
    let next = 0;
    for (const { offset, format } of VERTEX_LAYOUT.attributes) {
      expect(offset).to.equal(next);
      next += sizes[format];
    }
    expect(next).to.equal(VERTEX_WORDS * 4);
  });
});

describe('gpuBuffer', () => {
  it('reads back what was written, by words and type', () =>
    freeing(async (gpu) => {
      const buffer = GpuBuffer.create(gpu, { data: [1, 2.5, -3, 0] });
      expect(Array.from(await buffer.read({ first: 1, count: 2 }))).to.deep.equal([2.5, -3]);
      buffer.write({ first: 3, data: [7], type: 'u32' });
      expect(Array.from(await buffer.read({ first: 3, type: 'u32' }))).to.deep.equal([7]);
      expect(Array.from(await buffer.read({ first: 4 }))).to.deep.equal([]);
      buffer.destroy();
      buffer.destroy();
    }));

  it('refuses ranges past its end, wrong words and itself once destroyed', () =>
    cleanly(async (gpu) => {
      const buffer = GpuBuffer.create(gpu, { size: 16, label: 'mine' });
      await refused(
        () => buffer.read({ first: 2, count: 3 }),
        'renderer.buffer.read: count must be an integer in 0..2, got 3',
      );
      await refused(() => buffer.read({ type: 'i32' as never }), 'type must be one of "f32", "u32"');
      await refused(
        () => buffer.write({ first: 3, data: [1, 2] }),
        'data must be at most 1 words from word 3 on, got 2',
      );
      await refused(
        () => buffer.write({ data: [1.5], type: 'u32' }),
        'number 1 of data must be an integer in 0..4294967295, got 1.5',
      );
      await refused(() => GpuBuffer.create(gpu, { size: 6 }), 'size must be a multiple of 4 bytes, got 6');
      await refused(() => GpuBuffer.create(gpu, {}), 'give either size (bytes) or data');
      await refused(
        () => GpuBuffer.create(gpu, { size: 2 ** 44 }),
        'renderer.buffer.create',
        String(2 ** 44),
      );
      buffer.destroy();
      await refused(() => buffer.read(), 'renderer.buffer.read: the buffer "mine" is destroyed');
    }));
});
