// A project's folder on the real disk: what leads out of it, what letters mean, and what a crash leaves.
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileRefusal } from '../../runtime/host/host.js';
import { projectFiles } from '../../runtime/host/projectFiles.js';

const WRITER = fileURLToPath(new URL('writer.ts', import.meta.url));
const REGISTER = new URL('../../scripts/register.mjs', import.meta.url).href;

let outside = '';
let root = '';
const at = (...path: string[]) => join(root, ...path);
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (found: Uint8Array) => new TextDecoder().decode(found);

const rejection = async (promise: Promise<unknown>): Promise<Error & { code?: string; actual?: string }> =>
  promise.then(
    () => {
      throw new Error('it was fulfilled');
    },
    (error: Error) => error,
  );

describe("a project's files", () => {
  beforeEach(() => {
    outside = mkdtempSync(join(tmpdir(), 'moonscape-files-'));
    root = join(outside, 'project');
    mkdirSync(at('source/deep'), { recursive: true });
    writeFileSync(at('source/Dunes.texture'), 'dunes');
    writeFileSync(at('source/deep/a.png'), 'a');
    writeFileSync(join(outside, 'secret.txt'), 'secret');
  });
  afterEach(() => rmSync(outside, { recursive: true, force: true }));

  it('are read, written with their folders, and listed in order', async () => {
    const files = projectFiles(root);
    expect(text(await files.read('source/deep/a.png'))).to.equal('a');
    expect(text(await files.read('source/Dunes.texture', 2))).to.equal('du');
    expect(text(await files.read('source/Dunes.texture', 99))).to.equal('dunes');
    await files.write('source/new/er/b.bin', bytes('b'));
    await files.write('source/Dunes.texture', bytes('other'));
    expect(readFileSync(at('source/new/er/b.bin'), 'utf8')).to.equal('b');
    expect(await files.list!('source')).to.deep.equal([
      'source/Dunes.texture',
      'source/deep/a.png',
      'source/new/er/b.bin',
    ]);
    expect(await files.list!('nowhere')).to.deep.equal([]);
    for (const path of ['source/none', 'none/x.png'])
      expect((await rejection(files.read(path))).code).to.equal('ENOENT');
    expect((await rejection(files.read('source/deep'))).message).to.equal(
      'source/deep is a folder, not a file',
    );
    expect((await rejection(files.write('source/deep', bytes('x')))).message).to.contain('is a folder');
    expect((await rejection(files.write('source/Dunes.texture/x', bytes('x')))).message).to.contain(
      'ENOTDIR',
    );
  });

  it('are made where the folder itself is not there yet, and through a link to it', async () => {
    await projectFiles(join(outside, 'later/on')).write('a/b', bytes('x'));
    expect(readFileSync(join(outside, 'later/on/a/b'), 'utf8')).to.equal('x');
    symlinkSync(root, join(outside, 'alias'));
    expect(text(await projectFiles(join(outside, 'alias')).read('source/deep/a.png'))).to.equal('a');
  });

  describe('behind links', () => {
    beforeEach(() => {
      mkdirSync(join(outside, 'project-too'));
      writeFileSync(join(outside, 'project-too/x'), 'beside');
      symlinkSync(join(outside, 'secret.txt'), at('source/file-out'));
      symlinkSync(outside, at('source/folder-out'));
      symlinkSync(join(outside, 'project-too'), at('source/beside')); // begins as the project's own path does
      symlinkSync('../../secret.txt', at('source/relative-out'));
      symlinkSync('file-out', at('source/chain'));
      symlinkSync(at('source/nothing'), at('source/dangling'));
      symlinkSync('deep', at('source/inside'));
      symlinkSync('..', at('source/deep/circle'));
      symlinkSync('Dunes.texture', at('source/same.texture'));
    });

    it('out of the project are refused, to read, to write and to list', async () => {
      const files = projectFiles(root);
      for (const path of [
        'source/file-out',
        'source/folder-out/secret.txt',
        'source/folder-out/project/source/Dunes.texture',
        'source/beside/x',
        'source/relative-out',
        'source/chain',
      ])
        for (const [what, does] of [
          ['read', files.read(path)],
          ['write', files.write(path, bytes('stolen'))],
        ] as const) {
          const error = await rejection(does);
          expect(error, `${what} ${path}`).to.be.instanceOf(FileRefusal);
          expect(error.message).to.match(/^source\/[\w-]+ is a link that leads out of the project$/);
        }
      await rejection(files.write('source/folder-out/new/file', bytes('x')));
      expect((await rejection(files.write('source/dangling', bytes('x')))).message).to.contain(
        'leads nowhere',
      );
      expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).to.equal('secret');
      expect(readdirSync(outside).sort()).to.deep.equal(['project', 'project-too', 'secret.txt']);
      expect(readdirSync(join(outside, 'project-too'))).to.deep.equal(['x']);
      expect(existsSync(at('source/nothing'))).to.equal(false);
      expect(
        (await files.list!('source')).filter((path) => /out|beside|chain|dangling/.test(path)),
      ).to.deep.equal([]);
    });

    it('within it are followed, and stay links when they are written through', async () => {
      const files = projectFiles(root);
      expect(text(await files.read('source/inside/a.png'))).to.equal('a');
      expect(text(await files.read('source/deep/circle/deep/circle/deep/a.png'))).to.equal('a');
      await files.write('source/same.texture', bytes('through'));
      expect(readFileSync(at('source/Dunes.texture'), 'utf8')).to.equal('through');
      await files.write('source/inside/b.png', bytes('b'));
      expect(readFileSync(at('source/deep/b.png'), 'utf8')).to.equal('b');
      const listed = await files.list!('source');
      expect(listed).to.include.members(['source/deep/a.png', 'source/inside/a.png', 'source/same.texture']);
      expect(listed.length).to.be.lessThan(12);
    });
  });

  it('refuse letters of another case than on disk, in files and folders, and say how it is written', async () => {
    const files = projectFiles(root);
    for (const [path, actual] of [
      ['source/dunes.texture', 'source/Dunes.texture'],
      ['Source/Dunes.texture', 'source/Dunes.texture'],
      ['SOURCE/DEEP/A.PNG', 'source/deep/a.png'],
    ])
      for (const does of [files.read(path), files.write(path, bytes('x'))]) {
        const error = await rejection(does);
        expect(error).to.be.instanceOf(FileRefusal);
        expect(error.actual).to.equal(actual);
        expect(error.message).to.contain(`on disk it is written ${actual}`);
      }
    const error = await rejection(files.write('source/DEEP/new.png', bytes('x')));
    expect(error.actual).to.equal('source/deep/new.png');
    expect(readdirSync(at('source')).sort()).to.deep.equal(['Dunes.texture', 'deep']);
    // How an accent is composed is a matter of the file system too.
    writeFileSync(at('source/e\u0301.png'), 'e');
    expect((await rejection(files.read('source/\u00e9.png'))).actual).to.equal('source/e\u0301.png');
  });

  it('may differ by case alone where the file system holds both', async function () {
    writeFileSync(at('source/dunes.texture'), 'small');
    if (readdirSync(at('source')).length === 2) return this.skip(); // it holds only one
    expect(text(await projectFiles(root).read('source/dunes.texture'))).to.equal('small');
    expect(text(await projectFiles(root).read('source/Dunes.texture'))).to.equal('dunes');
  });

  describe('written', () => {
    const parts = () => readdirSync(at('source')).filter((name) => name.endsWith('.part'));

    it('at once by two keep one whole, and leave no part', async () => {
      const files = projectFiles(root);
      const [a, b] = ['a', 'b'].map((letter) => bytes(letter.repeat(300_000)));
      await Promise.all([a, b, a, b].map((content) => files.write('source/big', content)));
      const found = new Uint8Array(readFileSync(at('source/big')));
      expect([a, b].some((content) => Buffer.compare(content, found) === 0)).to.equal(true);
      expect(parts()).to.deep.equal([]);
    });

    it('leave the old bytes and no part where a write fails on its way', async () => {
      const files = projectFiles(root);
      // Opened, and then refused by the writer itself: no bytes at all.
      await rejection(files.write('source/Dunes.texture', { length: 3 } as never));
      expect(readFileSync(at('source/Dunes.texture'), 'utf8')).to.equal('dunes');
      expect(parts()).to.deep.equal([]);
    });

    it('break off another name of the old file, and step over the part of a dead process', async () => {
      linkSync(at('source/Dunes.texture'), at('source/twin.texture'));
      writeFileSync(at(`source/Dunes.texture.${process.pid}-1.part`), 'a longer rest of a dead process');
      const files = projectFiles(root);
      for (let i = 0; i < 4; i++) await files.write('source/Dunes.texture', bytes(`new ${i}`));
      expect(readFileSync(at('source/Dunes.texture'), 'utf8')).to.equal('new 3');
      expect(readFileSync(at('source/twin.texture'), 'utf8')).to.equal('dunes');
    });

    /** Runs spec/host/writer.ts, which writes `megabytes` of 0x62 to source/big again and again. */
    const writer = (megabytes: number, shell = '') => {
      const command = `${shell} exec "$0" --import "$1" "$2" "$3" ${megabytes}`;
      return spawn('sh', ['-c', command, process.execPath, REGISTER, WRITER, root], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    };

    it('by a process that is killed in the middle are the old ones, whole, and its part is not picked up', async function () {
      this.timeout(60_000);
      if (process.platform === 'win32') return this.skip();
      const old = Buffer.alloc(2 ** 20, 'a');
      writeFileSync(at('source/big'), old);
      const child = writer(256);
      const ended = new Promise((resolve) => child.on('close', resolve));
      try {
        for (const start = Date.now(); parts().length === 0 && Date.now() - start < 30_000;)
          await new Promise((resolve) => setTimeout(resolve, 1));
      } finally {
        child.kill('SIGKILL');
        await ended;
      }
      expect(parts()).to.have.length(1);
      expect(Buffer.compare(readFileSync(at('source/big')), old)).to.equal(0);
      const files = projectFiles(root);
      expect((await files.read('source/big')).length).to.equal(old.length);
      await files.write('source/big', bytes('next'));
      expect(readFileSync(at('source/big'), 'utf8')).to.equal('next');
    });

    it('past what the disk takes are refused by name, with no part left', async function () {
      this.timeout(60_000);
      if (process.platform === 'win32') return this.skip();
      writeFileSync(at('source/big'), 'old');
      // A limit on the size of a file stands in for a full disk: the write begins, and fails on its way.
      const child = writer(64, "trap '' XFSZ; ulimit -f 2048;");
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
      await new Promise((resolve) => child.on('close', resolve));
      expect(said).to.match(/^failed: EFBIG/m);
      expect(readFileSync(at('source/big'), 'utf8')).to.equal('old');
      expect(parts()).to.deep.equal([]);
    });
  });
});
