// Pages in a real browser for specs: a server on this machine with the files that a spec asks for, our sources bundled as they are
// now under /moonscape/, and a page that has errors of its own fail the spec.
import { build, type Plugin } from 'esbuild';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { decode } from 'fast-png';
import type { Picture } from '../../runtime/renderer/renderer.js';
import { isText, textModule } from '../../scripts/text.mjs';
import { sharedBrowser } from './chromium.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A file's content, or what answers for it. */
export type Answer = string | Uint8Array | ((request: IncomingMessage, response: ServerResponse) => void);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.lua': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.css': 'text/css',
};

/** What pages of specs are made of unless a spec says otherwise. */
const BLANK = '<!doctype html><title>spec</title><style>body{margin:0}</style>';

let bundling: Promise<Map<string, Uint8Array>> | null = null;

/** The sources, bundled as a page loads them: `moonscape.js` and its chunks. */
function bundle(): Promise<Map<string, Uint8Array>> {
  const text: Plugin = {
    name: 'text',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.(wgsl|lua)$/ }, ({ path }) =>
        isText(path)
          ? { contents: textModule(path, { specifier: String }), loader: 'js', resolveDir: ROOT }
          : undefined,
      ),
  };
  bundling ??= build({
    absWorkingDir: ROOT,
    entryPoints: ['moonscape', 'element', 'worker', 'workerHost'].map((name) => `bindings/${name}.ts`),
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'browser', target: 'es2022' },
    ...{ outdir: '/', write: false, sourcemap: 'inline', external: ['node:*'], logLevel: 'silent' },
    plugins: [text],
  }).then(({ outputFiles }) => new Map(outputFiles.map(({ path, contents }) => [path, contents])));
  return bundling;
}

/** A web site of one spec. */
export class Site {
  /** Requests that came, by path. */
  readonly requests: string[] = [];
  private readonly files = new Map<string, Answer>();

  private constructor(
    private readonly server: Server,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** Opens a site with files by path (`/scene.lua`); `headers` go with every answer. */
  static async open(
    files: Readonly<Record<string, Answer>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Site> {
    const server = createServer((request, response) => void site.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const site = new Site(server, headers);
    for (const [path, content] of Object.entries(files)) site.put(path, content);
    return site;
  }

  /** The site's address, without a slash at the end. */
  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  put(path: string, content: Answer): void {
    this.files.set(path, content);
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url!, 'http://x').pathname);
    this.requests.push(path);
    const own = path.startsWith('/moonscape/')
      ? (await bundle()).get(path.slice('/moonscape'.length))
      : undefined;
    const found = this.files.get(path) ?? own ?? (path === '/' ? BLANK : undefined);
    for (const [name, value] of Object.entries(this.headers)) response.setHeader(name, value);
    if (typeof found === 'function') return found(request, response);
    response.setHeader('cache-control', 'no-store');
    if (found === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end(`no ${path}`);
      return;
    }
    const type = TYPES[extname(path) || '.html'] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(found) }).end(found);
  }
}

/** The files of a folder of this repository, below `at`, as a site takes them. */
export function filesOf(folder: string, at = ''): Record<string, Answer> {
  const names = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((file) => [`${at}/${file.slice(join(ROOT, folder).length + 1)}`, readFileSync(file)]),
  );
}

/** What a person sees of the first canvas: a screenshot of it, in its own pixels. */
export async function canvasPicture(page: Page, selector = 'canvas'): Promise<Picture> {
  const { width, height, data, channels } = decode(await page.locator(selector).first().screenshot());
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i++)
    for (let channel = 0; channel < Math.min(channels, 3); channel++)
      rgba[i * 4 + channel] = data[i * channels + channel];
  return { width, height, data: rgba };
}

export interface PageOptions {
  files?: Readonly<Record<string, Answer>>;
  headers?: Readonly<Record<string, string>>;
  /** Path of the page itself. Default `/`, an empty one. */
  path?: string;
  context?: BrowserContextOptions;
  /** Errors of the page that the spec expects; any other fails it. */
  expected?: RegExp;
}

export interface OpenPage {
  page: Page;
  site: Site;
  /** What the page's console said. */
  console: string[];
}

/** Opens a site and a page of it, has `work` done, and closes both. An error that the page did not catch fails. */
export async function inPage<T>(options: PageOptions, work: (open: OpenPage) => Promise<T>): Promise<T> {
  const { files, headers, path = '/', context: settings, expected } = options;
  const site = await Site.open(files, headers);
  const context = await (
    await sharedBrowser()
  ).newContext({ viewport: { width: 400, height: 300 }, ...settings });
  const faults: string[] = [];
  const console: string[] = [];
  try {
    const page = await context.newPage();
    page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
    page.on('console', (message) => console.push(`${message.type()}: ${message.text()}`));
    // What the loader of TypeScript leaves in functions that are handed to the page.
    await page.addInitScript({ content: 'globalThis.__name = (f) => f' });
    await page.goto(site.origin + path);
    const result = await work({ page, site, console });
    const unexpected = faults.filter((fault) => !expected?.test(fault));
    if (unexpected.length > 0) throw new Error(`the page threw: ${unexpected.join('\n')}`);
    return result;
  } catch (error) {
    if (console.length > 0 && error instanceof Error) error.message += `\nconsole:\n${console.join('\n')}`;
    throw error;
  } finally {
    await context.close();
    await site.close();
  }
}

declare global {
  /** The module that pages of specs load from /moonscape/. */
  type Moonscape = typeof import('../../bindings/moonscape.js');
}
