import { expect } from 'chai';
import { Assets, isGuid } from '../../runtime/assets/assets.js';
import type { HostFiles } from '../../runtime/host/host.js';
import { Texture } from '../../runtime/texture/texture.js';
import { writeTexture } from '../../runtime/texture/ktx.js';
import { makePng } from './pngEncoder.js';

const GUID = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

/** Files in memory; `full` makes writing fail. */
function memoryFiles(content: Record<string, Uint8Array | string> = {}) {
  const stored = new Map(Object.entries(content).map(([path, data]) => [path, Buffer.from(data as string)]));
  const files: HostFiles & { stored: typeof stored; full: boolean } = {
    stored,
    full: false,
    read: async (path) => {
      const bytes = stored.get(path);
      if (!bytes) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
      return new Uint8Array(bytes);
    },
    write: async (path, bytes) => {
      if (files.full) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      stored.set(path, Buffer.from(bytes));
    },
  };
  return files;
}

/** The message that a promise rejects with. */
const rejection = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'it was fulfilled',
    (error: Error) => error.message,
  );

const makeTexture = () => Texture.create({ width: 2, height: 1, format: 'r16', data: [7, 70] });

describe('assets', () => {
  describe('resolve', () => {
    const resolve = (path: string) => new Assets(memoryFiles()).resolve('texture.load', path);

    it('maps mounts and relative paths to the project', () => {
      expect(resolve('/zero/source/a/b.png')).to.equal('source/a/b.png');
      expect(resolve('source/b.png')).to.equal('source/b.png');
      expect(resolve('./x//y/../b.png')).to.equal('x/b.png');
      expect(resolve('/zero/source/x/../b.png')).to.equal('source/b.png');
      expect(resolve('a..b/...png')).to.equal('a..b/...png');
      expect(resolve('100% rock/conifer.png')).to.equal('100% rock/conifer.png');
    });

    it('refuses whatever leaves a mount or names no file', () => {
      const bad = [
        '',
        '/',
        '.',
        '..',
        '../x',
        'a/../../x',
        '/zero/source/../x',
        '/zero/source',
        '/zero/source/',
      ];
      const worse = [
        '/etc/passwd',
        '/zero/sources/x',
        '/zero/x',
        'a\\..\\x',
        'a\0.png',
        'C:/x',
        'file:///x',
        'a/',
        'a/..',
        '//server/share/x',
        'c:x',
        'a/b.png:stream',
        '%2e%2e/x',
        'a/%2E%2E/%2e%2e/x',
        'a%2fb',
        'a%5Cb',
        'a%00b',
        'a\nb',
        '/ZERO/source/x',
        '/zero/Source/x',
        'a/b.png.',
        'a./b.png',
        '.. /x',
        'a/ ',
        'NUL',
        'con.png',
        'a/Aux.texture',
        'lpt1.txt/x',
      ];
      for (const path of [...bad, ...worse]) {
        expect(() => resolve(path), JSON.stringify(path)).to.throw(/^texture\.load: path must be /);
      }
      expect(() => resolve(5 as unknown as string)).to.throw('path must be the name of a file, got 5');
    });
  });

  describe('loadTexture', () => {
    it('tells PNG and .texture apart by their content', async () => {
      const files = memoryFiles();
      const assets = new Assets(files);
      await assets.saveTexture(makeTexture(), 'a.texture');
      files.stored.set('source/b.texture', files.stored.get('a.texture')!);
      files.stored.set(
        'source/c.png',
        Buffer.from(makePng({ width: 1, height: 1, depth: 16, colourType: 0, samples: [9] })),
      );
      expect((await assets.loadTexture('/zero/source/b.texture')).read(1, 0)).to.deep.equal([70]);
      const png = await assets.loadTexture('/zero/source/c.png');
      expect(png).to.include({ path: '/zero/source/c.png', guid: null });
      expect(png.read(0, 0)).to.deep.equal([9]);
    });

    it('names a missing file and where it was looked for', async () => {
      const assets = new Assets(memoryFiles());
      expect(await rejection(assets.loadTexture('/zero/source/x.png'))).to.equal(
        `texture.load: there is no file "/zero/source/x.png" (looked for source/x.png in the project's folder)`,
      );
    });

    it('names a format that is none of the two, and an empty file', async () => {
      const assets = new Assets(
        memoryFiles({ 'a.png': Uint8Array.of(0xff, 0xd8, 0xff, 0xe0), 'b.png': '', 'c.png': 'hello' }),
      );
      expect(await rejection(assets.loadTexture('a.png'))).to.contain(
        'a.png must be a PNG or a .texture (KTX 2.0), but this is a JPEG',
      );
      expect(await rejection(assets.loadTexture('b.png'))).to.contain(
        'b.png must be a PNG or a .texture (KTX 2.0), but it is empty',
      );
      expect(await rejection(assets.loadTexture('c.png'))).to.contain('and it starts like neither');
    });
  });

  describe('saveTexture', () => {
    it('gives a guid, by which the texture is found', async () => {
      const assets = new Assets(memoryFiles());
      const texture = makeTexture();
      expect(await assets.saveTexture(texture, '/zero/source/t.texture')).to.equal('/zero/source/t.texture');
      expect(isGuid(texture.guid!)).to.equal(true);
      expect(texture.path).to.equal('/zero/source/t.texture');
      expect(assets.findGuid(texture.guid!)).to.equal('/zero/source/t.texture');
      expect((await assets.loadTextureByGuid(texture.guid!)).read(0, 0)).to.deep.equal([7]);
    });

    it('keeps the guid of the file that it replaces', async () => {
      const files = memoryFiles();
      const first = makeTexture();
      await new Assets(files).saveTexture(first, 't.texture');
      const second = makeTexture();
      await new Assets(files).saveTexture(second, 't.texture');
      expect(second.guid).to.equal(first.guid);
    });

    it('gives a copy a guid of its own, and a texture whose file is gone the one that it had', async () => {
      const files = memoryFiles();
      const assets = new Assets(files);
      const texture = makeTexture();
      await assets.saveTexture(texture, 'a.texture');
      const first = texture.guid;
      await assets.saveTexture(texture, './a.texture');
      expect(texture.guid).to.equal(first);
      await assets.saveTexture(texture, 'b.texture');
      expect(texture.guid).to.not.equal(first);
      expect((await assets.loadTextureByGuid(first!)).path).to.equal('./a.texture');
      const moved = await assets.loadTexture('a.texture');
      files.stored.delete('a.texture');
      await assets.saveTexture(moved, 'c.texture');
      expect(moved.guid).to.equal(first);
      expect(await assets.locate('open', first!)).to.equal('c.texture');
    });

    it('leaves the texture as it was where the file cannot be written', async () => {
      const files = memoryFiles();
      files.full = true;
      const texture = makeTexture();
      expect(await rejection(new Assets(files).saveTexture(texture, 't.texture'))).to.contain(
        't.texture cannot be written',
      );
      expect(texture).to.include({ guid: null, path: null });
    });

    it('refuses another extension', async () => {
      const message = await rejection(new Assets(memoryFiles()).saveTexture(makeTexture(), 't.png'));
      expect(message).to.equal('texture.write: path must be a file with the extension .texture, got "t.png"');
    });
  });

  describe('guids', () => {
    it('are looked up in assets.json', async () => {
      const files = memoryFiles({
        'assets.json': JSON.stringify({ [GUID.toUpperCase()]: '/zero/source/t.texture' }),
        'source/t.texture': writeTexture(makeTexture(), GUID),
      });
      const assets = new Assets(files);
      expect(await assets.locate('open', GUID)).to.equal('/zero/source/t.texture');
      expect(await assets.locate('open', 'some/path.texture')).to.equal('some/path.texture');
    });

    it('that nobody knows, and a broken list, are errors', async () => {
      expect(await rejection(new Assets(memoryFiles()).loadTextureByGuid(GUID))).to.contain(
        `no asset with the guid ${GUID}`,
      );
      const broken = new Assets(memoryFiles({ 'assets.json': '{' }));
      expect(await rejection(broken.loadTextureByGuid(GUID))).to.contain('assets.json is not JSON');
      const wrong = new Assets(memoryFiles({ 'assets.json': '{"x": 1}' }));
      expect(await rejection(wrong.loadTextureByGuid(GUID))).to.contain(
        'assets.json: "x" must be a guid with a path, got 1',
      );
    });
  });

  it('readText refuses bytes that are no UTF-8', async () => {
    const assets = new Assets(
      memoryFiles({ 'a.lua': Uint8Array.of(0xef, 0xbb, 0xbf, 0x68), 'b.lua': Uint8Array.of(0xff) }),
    );
    expect(await assets.readText('require', 'a.lua')).to.equal('h');
    expect(await rejection(assets.readText('require', 'b.lua'))).to.equal('require: b.lua is not UTF-8 text');
  });
});
