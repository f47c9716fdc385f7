import { expect } from 'chai';
import { Assets } from '../../runtime/assets/assets.js';
import type { Gpu } from '../../runtime/gpu/gpu.js';
import type { HostFiles } from '../../runtime/host/host.js';
import { TerrainBindings } from '../../runtime/terrain/terrainBinding.js';
import { formatTerrainData } from '../../runtime/terrain/terrainData.js';
import { openHeightfield, type OpenOptions } from '../../runtime/terrain/terrainHeightfield.js';
import { TerrainMesh } from '../../runtime/terrain/terrainMesh.js';
import { writeTexture } from '../../runtime/texture/ktx.js';
import { Texture } from '../../runtime/texture/texture.js';
import { freeing } from '../support/gpu.js';
import { fieldTexture, GROUNDS, makeMesh, openField } from '../support/terrain.js';

const GUIDS = {
  land: '11111111-1111-4111-8111-111111111111',
  ground: '22222222-2222-4222-8222-222222222222',
};

/** Files in memory. */
function memoryFiles(files: Map<string, Uint8Array>): HostFiles {
  return {
    read: async (path) => {
      const bytes = files.get(path);
      if (!bytes) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
      return bytes;
    },
    write: async (path, bytes) => void files.set(path, bytes),
  };
}

const mask = (value: number) => Texture.create({ width: 8, height: 8, format: 'r8', data: () => [value] });

/** A project with a container over flat ground of `height` metres, whose holes cut everything. */
function project(height = 5) {
  const ground = fieldTexture(8, 8, () => height, [8, 8]);
  const files = new Map([
    ['source/ground.texture', writeTexture(ground, GUIDS.ground)],
    ['source/holes.texture', writeTexture(mask(0), '33333333-3333-4333-8333-333333333333')],
    [
      'source/land.terrainData',
      formatTerrainData({
        version: 1,
        guid: GUIDS.land,
        size: [80, 40],
        origin: [100, -50],
        heightRange: [0, 20],
        heightfield: '/zero/source/ground.texture',
        holes: '/zero/source/holes.texture',
      }),
    ],
  ]);
  const assets = new Assets(memoryFiles(files));
  const open = (gpu: Gpu, path: string, options?: OpenOptions) =>
    openHeightfield({ gpu, assets }, path, options);
  return { files, open };
}

const message = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  );

describe('terrainHeightfield', () => {
  describe('open', () => {
    it('takes the rect, the range and the holes that a container states', () =>
      freeing(async (gpu) => {
        const hf = await project().open(gpu, '/zero/source/land.terrainData');
        expect([hf.minX, hf.maxX, hf.minZ, hf.maxZ]).to.deep.equal([60, 140, -70, -30]);
        expect(hf.heightRange).to.deep.equal({ low: 0, high: 20 });
        expect(hf.groundState(100, -50)).to.equal('hole');
        expect(hf.heightAt(100, -50)).to.equal(5);
        hf.close();
      }));

    it('lets each explicit option outrank the container', () =>
      freeing(async (gpu) => {
        const { open } = project();
        const path = '/zero/source/land.terrainData';
        const sized = await open(gpu, path, { size: [16, 24] });
        expect([sized.size, sized.origin]).to.deep.equal([
          { width: 16, depth: 24 },
          { x: 100, z: -50 },
        ]);
        const moved = await open(gpu, path, { origin: [1, 2] });
        expect([moved.size, moved.origin]).to.deep.equal([
          { width: 80, depth: 40 },
          { x: 1, z: 2 },
        ]);
        const ranged = await open(gpu, path, { heightRange: [4, 6] });
        expect(ranged.heightRange).to.deep.equal({ low: 4, high: 6 });
        const whole = await open(gpu, path, { holes: mask(255) });
        expect(whole.groundState(100, -50)).to.equal('ground');
        for (const hf of [sized, moved, ranged, whole]) hf.close();
      }));

    it('reads what lies there again at refresh, and keeps the rect', () =>
      freeing(async (gpu) => {
        const { files, open } = project();
        const hf = await open(gpu, '/zero/source/land.terrainData');
        files.set(
          'source/ground.texture',
          writeTexture(
            fieldTexture(8, 8, () => 9, [8, 8]),
            GUIDS.ground,
          ),
        );
        files.set('source/holes.texture', writeTexture(mask(255), crypto.randomUUID()));
        await hf.refresh();
        expect([hf.heightAt(100, -50), hf.groundState(100, -50), hf.minX]).to.deep.equal([9, 'ground', 60]);
        hf.close();
      }));

    it('finds by guid what was opened by path before', () =>
      freeing(async (gpu) => {
        const { open } = project();
        (await open(gpu, '/zero/source/land.terrainData')).close();
        const land = await open(gpu, GUIDS.land);
        const ground = await open(gpu, GUIDS.ground);
        expect([land.origin.x, ground.origin.x, ground.size.width]).to.deep.equal([100, 0, 8]);
        land.close();
        ground.close();
      }));

    it('refuses what it cannot open by name, leaving nothing', () =>
      freeing(async (gpu) => {
        const { files, open } = project();
        const path = '/zero/source/land.terrainData';
        expect(await message(open(gpu, path, { heightRange: [6, 7] }))).to.match(
          /heightRange .* must hold every height/,
        );
        expect(await message(open(gpu, path, { holes: 'none.png' }))).to.match(/no file "none\.png"/);
        files.delete('source/ground.texture');
        expect(await message(open(gpu, path))).to.match(/no file "\/zero\/source\/ground\.texture"/);
        files.set('source/land.terrainData', files.get('source/holes.texture')!.subarray(0, 40));
        expect(await message(open(gpu, path))).to.match(/land\.terrainData/);
      }));
  });
});

describe('terrainMesh', () => {
  it('closed under its kernels, is refused and frees them', () =>
    freeing(async (gpu) => {
      const hf = openField(gpu, fieldTexture(16, 16, GROUNDS.flat, [16, 16]));
      const making = makeMesh(gpu, hf, { camera: { x: 0, y: 20, z: 0 }, maxNodes: 16, nodeVerts: 5 });
      hf.close();
      expect(await message(making)).to.match(/terrainMesh\.create: this heightfield is closed/);
    }));

  describe('bind', () => {
    it('gives back what an entity that no longer lives was bound to, and nothing else', () =>
      freeing(async (gpu) => {
        const bindings = new TerrainBindings();
        const made: TerrainMesh[] = [];
        for (const id of [3, 4]) {
          const hf = openField(gpu, fieldTexture(16, 16, GROUNDS.flat, [16, 16]));
          const { mesh } = await makeMesh(gpu, hf, {
            camera: { x: 0, y: 20, z: 0 },
            maxNodes: 16,
            nodeVerts: 5,
          });
          bindings.bind(id, hf, mesh);
          made.push(mesh);
        }
        expect(() => bindings.bind(3, made[1].hf, made[1])).to.throw(
          /entity 3 is bound to other ground already/,
        );
        expect(() => bindings.bind(5, made[0].hf, made[0])).to.throw(/bound to entity 3 already/);
        expect(() => bindings.bind(5, made[0].hf, made[1])).to.throw(/made of another heightfield/);
        bindings.sweep((id) => id !== 3);
        expect([bindings.isBound(3), bindings.isBound(4)]).to.deep.equal([false, true]);
        expect([made[0].destroyed, made[0].hf.closed, made[1].destroyed]).to.deep.equal([true, true, false]);
        expect(() => bindings.follow(3, { x: 0, y: 0, z: 0 })).to.throw(/entity 3 is not bound/);
        expect(bindings.follow(4, { x: 0, y: 20, z: 0 })).to.include({ changed: false, remeshed: 0 });
        bindings.clear();
        expect(made[1].destroyed && made[1].hf.closed).to.equal(true);
      }));
  });
});
