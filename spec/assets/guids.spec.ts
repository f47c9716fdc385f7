// Guids on a host that lists folders (the real disk) and on one that cannot (a page's), with lists that are right and stale.
import { expect } from 'chai';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { listAssets, writeAssetList } from '../../runtime/assets/assetList.js';
import { Assets } from '../../runtime/assets/assets.js';
import type { HostFiles } from '../../runtime/host/host.js';
import { projectFiles } from '../../runtime/host/projectFiles.js';
import { formatTerrainData } from '../../runtime/terrain/terrainData.js';
import { writeTexture } from '../../runtime/texture/ktx.js';
import { Texture } from '../../runtime/texture/texture.js';

const A = 'aaaaaaaa-8b86-4d01-b42d-00cf4fc964ff';
const B = 'bbbbbbbb-8b86-4d01-b42d-00cf4fc964ff';
const C = 'cccccccc-8b86-4d01-b42d-00cf4fc964ff';

let root = '';
const put = (path: string, content: string | Uint8Array) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
/** A texture of random bits, which do not pack: its pixels are a good part of a megabyte. */
const texture = (guid: string, side = 1) => {
  const pixels = new Uint16Array(side * side).map((_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 7);
  return writeTexture(new Texture(side, side, 'r16', pixels), guid);
};
const container = (guid: string, heightfield: string) =>
  formatTerrainData({
    version: 1,
    guid,
    size: [1, 1],
    origin: [0, 0],
    heightRange: [0, 1],
    heightfield,
  });
/** What a page has: the same files, and no way to list them. */
const blind = (): HostFiles => {
  const { read, write } = projectFiles(root);
  return { read, write };
};
const rejection = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'it was fulfilled',
    (error: Error) => error.message,
  );

describe('guids', () => {
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'moonscape-guids-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('are found in the files themselves where there is no list', async () => {
    put('source/deep/a.texture', texture(A, 700));
    put('source/b.terrainData', container(B, A));
    put('source/cut.texture', texture(C, 700).subarray(0, 500));
    put('source/other.texture', 'no texture');
    const assets = new Assets(projectFiles(root));
    expect(await assets.locate('open', A.toUpperCase())).to.equal('/zero/source/deep/a.texture');
    expect(await assets.locate('open', B)).to.equal('/zero/source/b.terrainData');
    // Moved while the project is open, it is found again; an old place is not believed.
    renameSync(join(root, 'source/deep/a.texture'), join(root, 'source/moved.texture'));
    put('source/deep/a.texture', texture(C));
    expect(await assets.locate('open', A)).to.equal('/zero/source/moved.texture');
    expect(await rejection(assets.locate('open', '12345678-8b86-4d01-b42d-00cf4fc964ff'))).to.equal(
      'open: there is no asset with the guid 12345678-8b86-4d01-b42d-00cf4fc964ff: none was read or written yet; ' +
        'assets.json lists none; no .texture and no .terrainData under /zero/source has it',
    );
  });

  it('of two files are an error that names both, in a search and in the list', async () => {
    put('source/a.texture', texture(A));
    put('source/b/copy.texture', texture(A.toUpperCase()));
    const both =
      /must be that of one file, got \/zero\/source\/a\.texture and \/zero\/source\/b\/copy\.texture/;
    expect(await rejection(new Assets(projectFiles(root)).locate('open', A))).to.match(both);
    expect(await rejection(listAssets(projectFiles(root)))).to.match(both);
  });

  it('are listed by path, written whole, and then found by a page', async () => {
    put('source/b.terrainData', container(B, A));
    put('source/a.texture', texture(A));
    put('source/A/c.texture', texture(C));
    put('source/a.texture.77.part', texture(C));
    put('source/notes.txt', 'x');
    put('elsewhere/d.texture', texture(C));
    const files = projectFiles(root);
    await writeAssetList(files, await listAssets(files));
    const written = readFileSync(join(root, 'assets.json'), 'utf8');
    expect(written).to.equal(
      `{\n  "${C}": "/zero/source/A/c.texture",\n  "${A}": "/zero/source/a.texture",\n  "${B}": "/zero/source/b.terrainData"\n}\n`,
    );
    await writeAssetList(files, await listAssets(files));
    expect(readFileSync(join(root, 'assets.json'), 'utf8')).to.equal(written);
    expect(await new Assets(blind()).locate('open', B)).to.equal('/zero/source/b.terrainData');
  });

  it('are not listed while a file cannot be read: each is named, and what is wrong with it', async () => {
    put('source/a.texture', texture(A, 9).subarray(0, 200));
    put('source/b.terrainData', '{ "version": 1,');
    put('source/c.terrainData', JSON.stringify({ version: 2 }));
    put('source/d.texture', '');
    const foreign = JSON.parse(new TextDecoder().decode(container(B, A))) as object;
    put('source/e.terrainData', JSON.stringify({ ...foreign, guid: 'dunes' }));
    const lines = (await rejection(listAssets(projectFiles(root)))).split('\n');
    expect(lines).to.have.length(5);
    expect(lines[0]).to.match(/^moonscape assets: \/zero\/source\/a\.texture is cut short/);
    expect(lines[1]).to.match(
      /^moonscape assets: \/zero\/source\/b\.terrainData must be a \.terrainData in JSON/,
    );
    expect(lines[2]).to.contain(
      'c.terrainData: version must be 1, the latest that this Moonscape reads, got 2',
    );
    expect(lines[3]).to.contain('d.texture is empty');
    expect(lines[4]).to.contain('e.terrainData: guid must be a guid as 6f96');
  });

  describe('of a stale list', () => {
    beforeEach(() => {
      put('assets.json', JSON.stringify({ [A]: '/zero/source/a.texture', [B]: '/zero/source/gone.texture' }));
      put('source/a.texture', texture(C));
    });

    it('are found where the file now is', async () => {
      put('source/new/a.texture', texture(A));
      put('source/b.texture', texture(B));
      const assets = new Assets(projectFiles(root));
      expect(await assets.locate('open', A)).to.equal('/zero/source/new/a.texture');
      expect(await assets.locate('open', B)).to.equal('/zero/source/b.texture');
      expect(await assets.locate('open', C)).to.equal('/zero/source/a.texture');
    });

    it('are an error that names the path, both guids and the remedy, never another asset', async () => {
      for (const files of [projectFiles(root), blind()]) {
        const assets = new Assets(files);
        expect(await rejection(assets.loadTextureByGuid(A))).to.contain(
          `texture.load: there is no asset with the guid ${A}: none was read or written yet; assets.json says that it is ` +
            `/zero/source/a.texture, which has the guid ${C} (moonscape assets makes the list anew)`,
        );
        expect(await rejection(assets.loadTextureByGuid(B))).to.contain(
          'assets.json says that it is /zero/source/gone.texture, which is not there or has none',
        );
      }
    });

    it('that leads out of the project is refused as any path is', async () => {
      put('assets.json', JSON.stringify({ [A]: '/zero/source/../../x.texture' }));
      expect(await rejection(new Assets(blind()).locate('open', A))).to.contain(
        'path must be inside /zero/source',
      );
    });
  });

  it('are read from a part of the file where the host gives one', async () => {
    put('source/a.texture', texture(A, 700));
    const disk = projectFiles(root);
    let most = 0;
    const assets = new Assets({
      ...disk,
      read: async (path, length) => {
        const bytes = await disk.read(path, length);
        most = Math.max(most, bytes.length);
        return bytes;
      },
    });
    expect(await assets.locate('open', A)).to.equal('/zero/source/a.texture');
    expect(most).to.be.within(1, 65536);
  });
});
