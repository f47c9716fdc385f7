// The software adapter: SwiftShader and a Vulkan loader, both out of the npm package @sparticuz/chromium, so that a
// machine with no GPU and no system Vulkan still has real WebGPU. Called by host/node.ts only.
//
// Dawn opens `libvulkan.so.1` by that name. glibc answers such a request with a library of the same soname that is
// already in the process, so the loader is opened here first and told never to leave (RTLD_NODELETE): no
// LD_LIBRARY_PATH, and so no second process.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { constants, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { NoAdapterError } from '../errors.js';

const PACKAGE = '@sparticuz/chromium';
/** What npm is to install: the version whose driver is known to work. */
export const SOFTWARE_PACKAGE = `${PACKAGE}@143.0.4`;
/** Whether the package's driver, which is built for one platform, runs here. */
export const hasSoftware = process.platform === 'linux' && process.arch === 'x64';
const FILES = ['libvulkan.so.1', 'libvk_swiftshader.so', 'vk_swiftshader_icd.json'];
/** glibc's RTLD_NODELETE: the library stays when Node closes it for not being an addon. */
const RTLD_NODELETE = 0x1000;

/** Unpacks the driver once a user and version and points this process at it. Throws NoAdapterError where it cannot. */
export function useSoftwareDriver(): void {
  const folder = unpackDriver();
  process.env.VK_ICD_FILENAMES = join(folder, 'vk_swiftshader_icd.json');
  process.env.VK_DRIVER_FILES = process.env.VK_ICD_FILENAMES;
  keepLibrary(join(folder, 'libvulkan.so.1'));
}

/** Opens a shared library for the life of the process. */
function keepLibrary(path: string): void {
  const { RTLD_NOW, RTLD_GLOBAL } = constants.dlopen;
  try {
    process.dlopen({ exports: {} }, path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  } catch (error) {
    // It is no addon, and Node says so; by then it is loaded. Any other failure is one.
    if (!/did not self-register/.test(String(error)))
      throw new NoAdapterError(`the software adapter's Vulkan loader does not open: ${String(error)}`, {
        cause: error,
      });
  }
}

/** The folder of the loader, the driver and its manifest; unpacked there if it is not yet. Throws NoAdapterError where it cannot. */
export function unpackDriver(): string {
  const require = createRequire(import.meta.url);
  let archive: string;
  let version: string;
  try {
    // The package exports only its entry, build/cjs/index.cjs; its archives lie in bin/ beside build/.
    const root = join(dirname(require.resolve(PACKAGE)), '..', '..');
    archive = join(root, 'bin', 'swiftshader.tar.br');
    version = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
  } catch (cause) {
    throw new NoAdapterError(
      `no GPU was found, and the software adapter's package ${PACKAGE} is not installed: npm install ${SOFTWARE_PACKAGE}`,
      { cause },
    );
  }
  const { uid } = userInfo();
  const shared = join(tmpdir(), `moonscape-${uid}-swiftshader-${version}`);
  // Code is loaded from there: a folder of that name that somebody else made, or may write to, is passed over.
  const folder = isOwn(shared, uid) ? shared : mkdtempSync(`${shared}-`);
  if (FILES.every((name) => existsSync(join(folder, name)))) return folder;
  // Unpack beside the place and move there whole, so that two processes starting at once both find it complete.
  const part = mkdtempSync(`${folder}-`);
  for (const [name, bytes] of tarEntries(brotliDecompressSync(readFileSync(archive)))) {
    if (FILES.includes(name)) writeFileSync(join(part, name), bytes, { mode: 0o755 });
  }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of FILES) renameSync(join(part, name), join(folder, name));
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return folder;
}

/** True where nothing stands at `path` yet, or a folder that is this user's alone to write. */
export function isOwn(path: string, uid: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return !found || (found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0);
}

/** Plain files of a ustar archive: 512-byte headers, name in bytes 0..99, octal size in 124..135, type in 156. */
export function* tarEntries(tar: Uint8Array): Generator<[name: string, bytes: Uint8Array]> {
  const text = (from: number, length: number) =>
    Buffer.from(tar.subarray(from, from + length))
      .toString('latin1')
      .replace(/\0.*$/s, '')
      .trim();
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0;) {
    const size = parseInt(text(at + 124, 12), 8);
    const type = text(at + 156, 1);
    if (type === '' || type === '0')
      yield [text(at, 100).replace(/^\.\//, ''), tar.subarray(at + 512, at + 512 + size)];
    at += 512 + Math.ceil(size / 512) * 512;
  }
}
