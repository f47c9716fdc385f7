// The mesh on a device: what its buffers hold, and what it does when the ground under it changes or goes.
import { expect } from 'chai';
import { ErrorMesh, type ErrorMeshEngine } from '../../runtime/errorMesh/errorMesh.js';
import { StopLattice } from '../../runtime/errorMesh/stopLattice.js';
import type { Gpu } from '../../runtime/gpu/gpu.js';
import { MeshStore } from '../../runtime/renderer/meshStore.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { FieldTexels } from '../../runtime/terrain/fieldTexels.js';
import { Heightfield, type RectOptions } from '../../runtime/terrain/heightfield.js';
import { noise } from '../../runtime/terrain/noise.js';
import { toTexture } from '../../runtime/terrain/toTexture.js';
import { Texture } from '../../runtime/texture/texture.js';
import { groundArea, judge } from '../support/errorMesh.js';
import { randomFrom } from '../support/fields.js';
import { cleanly, freeing } from '../support/gpu.js';

const CAMERA = {
  position: { x: 0, y: 60, z: 60 },
  forward: { x: 0, y: -0.6, z: -1 },
  up: { x: 0, y: 1, z: 0 },
  ...{ fovY: 70, aspect: 2, near: 0.1, height: 500 },
};

function engineOf(gpu: Gpu): ErrorMeshEngine & { guests: Set<{ destroy(): void }> } {
  return {
    gpu,
    renderer: { meshes: new MeshStore(gpu) },
    screen: () => ({ view: null as never, height: 720 }),
    now: () => performance.now(),
    guests: new Set(),
  };
}

function hills(gpu: Gpu, options: RectOptions = {}, width = 90, height = 61): Heightfield {
  const texture = toTexture(noise({ width, height, amplitude: 20, frequency: 3, seed: 1 }));
  const hf = Heightfield.fromTexture(texture, options);
  FieldTexels.attach(gpu, hf);
  return hf;
}

/** What its buffers hold: vertices as words, and all indices, those in view first. */
async function readBack(engine: ErrorMeshEngine, mesh: ErrorMesh) {
  const { indexCount, castCount, indexBuffer, vertexBuffer } = engine.renderer.meshes.get(mesh.mesh);
  expect([vertexBuffer, indexBuffer, indexCount]).to.deep.equal([
    mesh.vertexBuffer,
    mesh.indexBuffer,
    mesh.indexCount,
  ]);
  return {
    vertices: await mesh.vertexBuffer.read(),
    indices: await mesh.indexBuffer.read({ count: castCount, type: 'u32' }),
    indexCount,
  };
}

function expectSurface(hf: Heightfield, vertices: Float32Array): void {
  const { cols, rows, worldX, worldZ } = new StopLattice(hf);
  expect(vertices.length).to.equal(cols * rows * VERTEX_WORDS);
  for (let stop = 0; stop < cols * rows; stop++) {
    const at = stop * VERTEX_WORDS;
    const [x, z] = [worldX[stop % cols], worldZ[Math.floor(stop / cols)]];
    expect([...vertices.subarray(at, at + 3)]).to.deep.equal([x, hf.heightAt(x, z), z].map(Math.fround));
    hf.normalAt(x, z).forEach((part, axis) =>
      expect(vertices[at + VERTEX_OFFSET.normal + axis]).to.be.closeTo(part, 1e-6),
    );
  }
}

describe('errorMesh on a device', function () {
  this.timeout(20_000);

  it('holds all stops once, and the triangles of its cut', () =>
    freeing(async (gpu) => {
      const [engine, hf] = [engineOf(gpu), hills(gpu)];
      const mesh = ErrorMesh.create(engine, hf, { maxError: 1 });
      expect(mesh.indexCount).to.equal(0);
      const { triangles, casting, threshold, maxErrorPercent, culled } = mesh.update(CAMERA);
      const { vertices, indices, indexCount } = await readBack(engine, mesh);
      expectSurface(hf, vertices);
      expect([indexCount / 3, indices.length / 3]).to.deep.equal([triangles, triangles + casting]);
      expect(casting).to.be.above(0);
      expect(culled).to.be.above(0);
      expect(threshold).to.equal(1);
      expect(maxErrorPercent).to.be.within(0.3, 1);
      const judged = judge(new StopLattice(hf), indices);
      expect([judged.bad, judged.turned, judged.area]).to.deep.equal([0, 0, groundArea(new StopLattice(hf))]);
      mesh.destroy();
      mesh.destroy();
      hf.close();
      expect(engine.guests.size).to.equal(0);
    }));

  it('sends nothing from the same camera, and grows when it must', () =>
    freeing((gpu) => {
      const [engine, hf] = [engineOf(gpu), hills(gpu)];
      const mesh = ErrorMesh.create(engine, hf, { maxError: 1 });
      mesh.update(CAMERA);
      expect(mesh.update(CAMERA).rebuilt).to.equal(0);
      const whole = ErrorMesh.create(engine, hf, { maxError: 0, cull: false });
      const first = whole.indexBuffer;
      expect(whole.update(CAMERA).triangles).to.equal(2 * 91 * 62);
      expect(whole.indexBuffer).not.to.equal(first);
      expect(first.destroyed).to.equal(true);
      mesh.destroy();
      whole.destroy();
      hf.close();
    }));

  it('leaves out what is outside the view where no shadow is asked for, and nothing where culling is off', () =>
    freeing((gpu) => {
      const [engine, hf] = [engineOf(gpu), hills(gpu)];
      const bare = ErrorMesh.create(engine, hf, { maxError: 1, shadows: false });
      const all = ErrorMesh.create(engine, hf, { maxError: 1, cull: false });
      const [one, other] = [bare.update(CAMERA), all.update(CAMERA)];
      expect(one.casting).to.equal(0);
      expect([other.casting, other.culled]).to.deep.equal([0, 0]);
      expect(one.triangles).to.be.below(other.triangles);
      bare.destroy();
      all.destroy();
      hf.close();
    }));

  it('is the smallest field’s too', () =>
    freeing(async (gpu) => {
      const [engine, hf] = [engineOf(gpu), hills(gpu, {}, 1, 1)];
      const mesh = ErrorMesh.create(engine, hf, { quality: 'high' });
      expect(mesh.update(CAMERA).triangles).to.equal(4);
      expectSurface(hf, (await readBack(engine, mesh)).vertices);
      hf.setHeights(0, 0, 1, 1, [3]);
      expectSurface(hf, (await readBack(engine, mesh)).vertices);
      mesh.update({ ...CAMERA, position: { x: 0, y: 3, z: 0 } });
      mesh.destroy();
      hf.close();
    }));

  it('follows edits: the surface at once, the triangles at the next update', () =>
    freeing(async (gpu) => {
      const [engine, hf] = [engineOf(gpu), hills(gpu)];
      const mesh = ErrorMesh.create(engine, hf, { maxError: 0.5, cull: false });
      mesh.update(CAMERA);
      const random = randomFrom(4);
      for (const [col, row, cols, rows] of [
        [0, 0, 3, 4],
        [85, 57, 5, 4],
        [30, 20, 12, 1],
      ]) {
        hf.setHeights(
          col,
          row,
          cols,
          rows,
          Array.from({ length: cols * rows }, () => 90 * random()),
        );
        expectSurface(hf, (await readBack(engine, mesh)).vertices);
      }
      expect(engine.renderer.meshes.get(mesh.mesh).bounds.max.y).to.equal(hf.heightRange.high);
      const after = mesh.update(CAMERA);
      const { indices } = await readBack(engine, mesh);
      const fresh = ErrorMesh.create(engine, hf, { maxError: 0.5, cull: false });
      expect(fresh.update(CAMERA).triangles).to.equal(after.triangles);
      expect(indices).to.deep.equal((await readBack(engine, fresh)).indices);
      for (const made of [mesh, fresh]) made.destroy();
      hf.close();
    }));

  it('follows a refresh, holes and all, before its next update', () =>
    freeing(async (gpu) => {
      const engine = engineOf(gpu);
      const holes = Texture.create({ width: 90, height: 61, format: 'r8', data: () => [255] });
      const hf = hills(gpu, { holes });
      const mesh = ErrorMesh.create(engine, hf, { maxError: 1 });
      mesh.update(CAMERA);
      holes.update({ col: 30, row: 20, width: 11, height: 7, data: new Array(77).fill(0) as number[] });
      await hf.refresh();
      const lattice = new StopLattice(hf);
      const { indices } = await readBack(engine, mesh);
      const judged = judge(lattice, indices);
      expect([judged.bad, judged.area]).to.deep.equal([0, groundArea(lattice)]);
      expect(judged.area).to.equal(4 * 90 * 61 - 4 * 77);
      mesh.destroy();
      hf.close();
    }));

  it('stays drawn when its heightfield closes, and refuses to be updated', () =>
    freeing((gpu) => {
      const [engine, hf] = [engineOf(gpu), hills(gpu)];
      const mesh = ErrorMesh.create(engine, hf);
      mesh.update(CAMERA);
      hf.close();
      expect(engine.renderer.meshes.get(mesh.mesh).ground).to.equal(null);
      expect(engine.renderer.meshes.get(mesh.mesh).indexCount).to.be.above(0);
      expect(() => mesh.update(CAMERA)).to.throw(/^terrainErrorMesh\.update: this heightfield is closed/);
      mesh.destroy();
      expect(() => mesh.update(CAMERA)).to.throw(/^terrainErrorMesh\.update: this error mesh is destroyed/);
    }));

  it('leaves nothing behind where it is refused', () =>
    freeing(async (gpu) => {
      const [engine, hf] = [engineOf(gpu), hills(gpu)];
      const refused = (options: object, message: RegExp) =>
        expect(() => ErrorMesh.create(engine, hf, options)).to.throw(message);
      refused({ quality: 'ultra' }, /^terrainErrorMesh\.create: quality must be one of/);
      refused({ shadows: 1 }, /^terrainErrorMesh\.create: shadows must be true or false, got 1/);
      const large = { ...hf, width: 2 ** 17, height: 2 ** 17, assertOpen() {} } as unknown as Heightfield;
      expect(() => ErrorMesh.create(engine, large)).to.throw(
        /^terrainErrorMesh\.create: the heightfield must have at most 4294967295 stops/,
      );
      const wide = { ...hf, width: 60000, height: 30000, assertOpen() {} } as unknown as Heightfield;
      expect(() => ErrorMesh.create(engine, wide)).to.throw(
        /^terrainErrorMesh\.create: the vertices of 60000 × 30000 texels, 92 bytes each,/,
      );
      const bare = Heightfield.fromTexture(toTexture(noise({ width: 4, height: 4 })));
      expect(() => ErrorMesh.create(engine, bare)).to.throw(/made without a GPU/);
      expect(engine.renderer.meshes.count).to.equal(0);
      hf.close();
    }));

  it('asks for no more than the steered threshold', () =>
    cleanly((gpu) => {
      const [engine, hf] = [engineOf(gpu), hills(gpu)];
      const mesh = ErrorMesh.create(engine, hf, { quality: 'medium', targetMs: 10 });
      const first = mesh.update({ ...CAMERA, frameMs: 10 });
      let last = first;
      for (let k = 0; k < 40; k++) last = mesh.update({ ...CAMERA, frameMs: 30 });
      expect([first.threshold, last.threshold]).to.deep.equal([1, 3]);
      expect(last.triangles).to.be.below(first.triangles);
      for (let k = 0; k < 80; k++) last = mesh.update({ ...CAMERA, frameMs: 2 });
      expect([last.threshold, last.triangles]).to.deep.equal([1, first.triangles]);
      mesh.destroy();
      hf.close();
    }));
});
