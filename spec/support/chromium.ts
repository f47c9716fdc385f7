// A real browser for specs: the headless Chromium of the npm package @sparticuz/chromium, unpacked once a user and version beside the
// software Vulkan driver that it draws with, driven through playwright-core. Nothing comes from outside the lock file.
import { chromium, type Browser } from 'playwright-core';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { isOwn, tarEntries } from '../../runtime/host/software.js';

/** WebGPU on a canvas needs the last three; without them a context fails with "external Instance reference". */
const FLAGS = [
  ...['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--hide-scrollbars', '--force-color-profile=srgb'],
  ...['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'],
  ...['--enable-features=Vulkan', '--use-vulkan=swiftshader', '--use-angle=swiftshader'],
];

let opening: Promise<Browser> | null = null;

/** The browser of all specs, started when the first asks for it. */
export function sharedBrowser(): Promise<Browser> {
  opening ??= launch();
  return opening;
}

if (typeof after === 'function')
  after(async () => {
    await (await opening)?.close();
    opening = null;
  });

async function launch(): Promise<Browser> {
  const folder = unpack();
  const { LD_LIBRARY_PATH: others } = process.env;
  const libraries = [folder, join(folder, 'lib'), others].filter(Boolean).join(':');
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: FLAGS,
    chromiumSandbox: false,
    env: {
      ...(process.env as Record<string, string>),
      LD_LIBRARY_PATH: libraries,
      VK_ICD_FILENAMES: join(folder, 'vk_swiftshader_icd.json'),
      FONTCONFIG_FILE: fontsOf(folder),
    },
  });
}

/** Where the browser finds letters: the font that came with it, and the machine's. Without any it crashes at a list of choices. */
function fontsOf(folder: string): string {
  const file = join(folder, 'moonscape-fonts.conf');
  const dirs = [join(folder, 'fonts'), '/usr/share/fonts'].map((dir) => `<dir>${dir}</dir>`).join('');
  writeFileSync(
    file,
    `<?xml version="1.0"?><fontconfig>${dirs}<cachedir>${folder}/font-cache</cachedir></fontconfig>`,
  );
  return file;
}

/** The folder of the unpacked browser. */
function unpack(): string {
  const root = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', '..');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const { uid } = userInfo();
  const place = join(tmpdir(), `moonscape-${uid}-chromium-${version}`);
  // Code is loaded from there: a folder that somebody else may write to is passed over.
  if (isOwn(place, uid) && existsSync(place)) return place;
  const part = mkdtempSync(`${place}-`);
  const archive = (name: string) => brotliDecompressSync(readFileSync(join(root, 'bin', name)));
  for (const name of ['al2023.tar.br', 'swiftshader.tar.br', 'fonts.tar.br'])
    for (const [path, bytes] of tarEntries(archive(name))) {
      mkdirSync(dirname(join(part, path)), { recursive: true });
      writeFileSync(join(part, path), bytes, { mode: 0o755 });
    }
  writeFileSync(join(part, 'chromium'), archive('chromium.br'), { mode: 0o755 });
  // Whole at once: of two processes that start together the second keeps its own.
  try {
    renameSync(part, place);
    return place;
  } catch {
    return part;
  }
}
