// Containers and textures that are cut, spoiled or point at the wrong thing: opening one ends in ground or in an error that
// names the file, and never leaves anything open.
import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Assets } from '../../runtime/assets/assets.js';
import { MoonscapeError } from '../../runtime/errors.js';
import { projectFiles } from '../../runtime/host/projectFiles.js';
import { openHeightfield, type OpenOptions } from '../../runtime/terrain/terrainHeightfield.js';
import { writeTerrainData } from '../../runtime/terrain/writeTerrainData.js';
import { Texture } from '../../runtime/texture/texture.js';
import { randomFrom, randomTexture } from '../support/fields.js';
import { freeing } from '../support/gpu.js';

const DUNES = '/zero/source/dunes.terrainData';
const GROUND = '/zero/source/ground.texture';
const MUTATIONS = 300;

let root = '';
let container: Record<string, unknown> = {};
let containerBytes: Uint8Array = new Uint8Array();
let groundBytes: Uint8Array = new Uint8Array();
let groundGuid = '';

const put = (path: string, content: string | Uint8Array) =>
  writeFileSync(join(root, 'source', path), content);
const putContainer = (parts: object) => put('dunes.terrainData', JSON.stringify({ ...container, ...parts }));

/** Opens with a device, as a scene does, and closes; the error's message, or null. What is left open fails the spec. */
const opening = (path = DUNES, options: OpenOptions = {}): Promise<string | null> =>
  freeing(async (gpu) => {
    try {
      const hf = await openHeightfield({ gpu, assets: new Assets(projectFiles(root)) }, path, options);
      expect(Number.isFinite(hf.heightAt(0, 0))).to.equal(true);
      hf.close();
      return null;
    } catch (error) {
      if (!(error instanceof MoonscapeError)) throw error;
      return error.message;
    }
  });

describe('.terrainData that is wrong', () => {
  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'moonscape-faults-'));
    mkdirSync(join(root, 'source'));
    const assets = new Assets(projectFiles(root));
    const ground = randomTexture(6, 5, 3);
    ground.size = [60, 50];
    await assets.saveTexture(ground, GROUND);
    groundGuid = ground.guid!;
    const holes = Texture.create({ width: 6, height: 5, format: 'r8', data: (i) => i % 3 });
    await assets.saveTexture(holes, '/zero/source/holes.texture');
    await writeTerrainData(assets, DUNES, { heightfield: GROUND, holes: '/zero/source/holes.texture' });
    containerBytes = await assets.read('spec', DUNES);
    groundBytes = await assets.read('spec', GROUND);
    container = JSON.parse(new TextDecoder().decode(containerBytes)) as typeof container;
  });
  after(() => rmSync(root, { recursive: true, force: true }));
  afterEach(() => {
    put('dunes.terrainData', containerBytes);
    put('ground.texture', groundBytes);
  });

  const faults: [what: string, parts: object, says: RegExp][] = [
    [
      'a missing heightfield',
      { heightfield: '/zero/source/none.texture' },
      /: heightfield of \/zero\/source\/dunes\.terrainData: there is no file "\/zero\/source\/none\.texture"/,
    ],
    [
      'a heightfield of another format',
      { heightfield: '/zero/source/holes.texture' },
      /: \/zero\/source\/dunes\.terrainData: the texture's format must be rgba32f .*, got r8 \(\/zero\/source\/holes\.texture\)/,
    ],
    [
      'itself',
      { heightfield: DUNES },
      /heightfield of .*dunes\.terrainData must be a texture, not a \.terrainData, got ".*dunes\.terrainData"/,
    ],
    [
      'another container',
      { holes: '/zero/source/other.terrainData' },
      /holes of .*dunes\.terrainData must be a texture, not a \.terrainData, got ".*other\.terrainData"/,
    ],
    [
      'a container by another name',
      { heightfield: '/zero/source/chain.texture' },
      /chain\.texture must be a PNG or a \.texture .*this is a JSON file/,
    ],
    [
      'a path out of the project',
      { holes: '../../x.texture' },
      /holes of .*dunes\.terrainData: path must be inside the project's folder, got "\.\.\/\.\.\/x\.texture"/,
    ],
    [
      'an unknown guid',
      { heightfield: '12345678-8b86-4d01-b42d-00cf4fc964ff' },
      /heightfield of .*dunes\.terrainData: there is no asset with the guid 12345678-/,
    ],
    [
      'a misspelt part',
      { hole: 'x' },
      /dunes\.terrainData: there is no field "hole" \(did you mean "holes"\?\); the fields are version, guid,/,
    ],
    [
      'a part of no kind',
      { flavour: 'salt' },
      /dunes\.terrainData: there is no field "flavour"; the fields are version,/,
    ],
    [
      'heights outside its range',
      { heightRange: [0, 1] },
      /dunes\.terrainData: heightRange \{ 0, 1 \} must hold every height, got \d+ outside it/,
    ],
    [
      'a side past any landscape',
      { size: [1e10, 1] },
      /dunes\.terrainData: size\.width must be a finite number of at most 1000000000, got 10000000000/,
    ],
    [
      'texels that numbers cannot tell apart',
      { origin: [1e18, 0] },
      /dunes\.terrainData: size\.width must make texels that numbers can tell apart/,
    ],
    [
      'a size of words',
      { size: ['wide', 1] },
      /dunes\.terrainData: size width must be a finite number above 0, got "wide"/,
    ],
    [
      'a list for a name',
      { heightfield: [[[[[[[['deep']]]]]]]] },
      /heightfield must be the path or guid of a texture, got \{ \{ \{ \{ a list of 1 \} \} \} \}/,
    ],
  ];
  for (const [what, parts, says] of faults)
    it(`names the file, the part and the value of ${what}`, async () => {
      put('other.terrainData', containerBytes);
      put('chain.texture', containerBytes);
      putContainer(parts);
      const message = await opening();
      expect(message)
        .to.match(says)
        .and.match(/^terrainHeightfield\.open: /);
    });

  it('refuses the guid of its own texture', async () => {
    putContainer({ guid: groundGuid });
    expect(await opening()).to.match(
      new RegExp(
        `dunes\\.terrainData: guid must be one of its own, not that of .*ground\\.texture.*, got "${groundGuid}"`,
      ),
    );
  });

  it('shows no more of a value than a line holds, however deep it is', async () => {
    put('dunes.terrainData', `{"version":1,"guid":"x","size":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    expect(await opening()).to.match(
      /size must be a list of two numbers of metres, got \{ \{ \{ \{ a list of 1/,
    );
  });

  it('refuses a texture whose header claims gigabytes, before it asks for them', async () => {
    const bytes = groundBytes.slice();
    const view = new DataView(bytes.buffer);
    view.setUint32(20, 16384, true);
    view.setUint32(24, 8192, true);
    put('ground.texture', bytes);
    expect(await opening()).to.match(
      /ground\.texture: 16384×8192 texels of rgba32f (must be|cannot come out of)/,
    );
  });

  it('opens or is refused by name, cut at any byte', async function () {
    this.timeout(120_000);
    for (let length = 0; length < containerBytes.length; length++) {
      put('dunes.terrainData', containerBytes.subarray(0, length));
      const message = await opening();
      // All but its last line break is needed.
      if (length < containerBytes.length - 1) expect(message, `${length}`).to.contain('dunes.terrainData');
      else expect(message).to.equal(null);
    }
    put('dunes.terrainData', containerBytes);
    for (let length = 0; length < groundBytes.length; length++) {
      put('ground.texture', groundBytes.subarray(0, length));
      expect(await opening(), `${length}`).to.contain('ground.texture');
    }
  });

  it('opens or is refused by name, whatever bytes are changed, lost or doubled', async function () {
    this.timeout(120_000);
    const random = randomFrom(20);
    const below = (count: number) => Math.floor(random() * count);
    const spoil = (bytes: Uint8Array): Uint8Array => {
      let list = [...bytes];
      for (let edits = 1 + below(3); edits > 0; edits--) {
        const at = below(list.length);
        const kind = below(4);
        if (kind === 0) list[at] = below(256);
        else if (kind === 1) list[at] ^= 1 << below(8);
        else if (kind === 2) list.splice(at, 1 + below(8));
        else list = [...list.slice(0, at), ...list.slice(Math.max(0, at - below(12)))];
      }
      return Uint8Array.from(list);
    };
    let opened = 0;
    for (const [file, bytes, path] of [
      ['dunes.terrainData', containerBytes, DUNES],
      ['ground.texture', groundBytes, DUNES],
      ['ground.texture', groundBytes, GROUND],
    ] as const) {
      for (let k = 0; k < MUTATIONS; k++) {
        put(file, spoil(bytes));
        const message = await opening(path);
        if (message === null) opened++;
        else expect(message, `${file}, mutation ${k}`).to.match(/dunes\.terrainData|ground\.texture/);
      }
      put(file, bytes);
    }
    expect(opened).to.be.within(10, 2 * MUTATIONS);
  });
});
