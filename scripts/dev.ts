// npm run dev [SCENE.lua] [--port N]: serves the playground from the sources and a scene's folder as its project, and tells the page when
// a file of either changes: a scene runs anew with its camera kept, the page itself is loaded anew.
import { context } from 'esbuild';
import { mkdtempSync, readFileSync, rmSync, statSync, watch } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleOptions } from './playground.js';
import { ROOT } from './playgroundFiles.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.lua': 'text/plain; charset=utf-8',
  '.png': 'image/png',
};
/** Milliseconds in which changes count as one: editors write a file in several steps. */
const TOGETHER_MS = 60;

export interface DevOptions {
  /** The scene; without one the examples are the project. */
  scene?: string;
  /** 0: any that is free. */
  port: number;
}

export interface DevServer {
  address: string;
  close(): Promise<void>;
}

/** Starts the server; rejects where the scene cannot be read. */
export async function startDev({ scene, port }: DevOptions): Promise<DevServer> {
  if (scene && !statSync(scene, { throwIfNoEntry: false })?.isFile())
    throw new Error(`the scene ${scene} cannot be read`);
  const project = resolve(scene ? dirname(scene) : join(ROOT, 'examples'));
  const built = mkdtempSync(join(tmpdir(), 'moonscape-dev-'));
  const pages = new Set<ServerResponse>();
  const tell = (event: string, data: unknown) => {
    for (const page of pages) page.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  let builds = 0;
  const options = bundleOptions(built);
  const bundler = await context({
    ...options,
    sourcemap: true,
    plugins: [
      ...options.plugins!,
      {
        name: 'tell',
        setup: ({ onEnd }) =>
          onEnd(({ errors }) => {
            if (errors.length === 0 && builds++ > 0) tell('page', null);
          }),
      },
    ],
  });
  await bundler.rebuild();
  await bundler.watch();
  const end = watchFolder(project, (path) => tell('file', path));
  const config = JSON.stringify({ ...(scene ? { scene: basename(scene) } : {}), changes: 'changes' });
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url!, 'http://x').pathname);
    if (path === '/changes') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      pages.add(response.on('close', () => pages.delete(response)));
      response.write(':\n\n');
    } else if (path === '/config.json') send(response, config, '.json');
    else if (path.startsWith('/project/')) sendFile(response, project, path.slice('/project/'.length));
    else if (path === '/' || path === '/index.html')
      sendFile(response, join(ROOT, 'playground'), 'index.html');
    else sendFile(response, built, path.slice(1));
  });
  await new Promise<void>((done, failed) => server.once('error', failed).listen(port, '127.0.0.1', done));
  return {
    address: `http://localhost:${(server.address() as AddressInfo).port}/`,
    async close() {
      end();
      await bundler.dispose();
      await closed(server);
      rmSync(built, { recursive: true, force: true });
    },
  };
}

/** Tells each file that changes below a folder, once for changes that come together. */
function watchFolder(folder: string, changed: (path: string) => void): () => void {
  const waiting = new Map<string, NodeJS.Timeout>();
  const watcher = watch(folder, { recursive: true }, (_, name) => {
    if (!name || /(^|[\\/])(\.|node_modules)|~$/.test(name)) return;
    const path = name.split(sep).join('/');
    clearTimeout(waiting.get(path));
    waiting.set(
      path,
      setTimeout(() => {
        waiting.delete(path);
        if (statSync(join(folder, name), { throwIfNoEntry: false })?.isFile()) changed(path);
      }, TOGETHER_MS),
    );
  });
  return () => {
    watcher.close();
    for (const clock of waiting.values()) clearTimeout(clock);
  };
}

/** Answers with a file of a folder, and with none of outside. */
function sendFile(response: ServerResponse, folder: string, path: string): void {
  const file = resolve(folder, path);
  const inside = !relative(folder, file).startsWith('..');
  if (inside && statSync(file, { throwIfNoEntry: false })?.isFile())
    return send(response, readFileSync(file), extname(file));
  response.writeHead(404, { 'content-type': 'text/plain' }).end(`there is no ${path}`);
}

function send(response: ServerResponse, body: string | Uint8Array, extension: string): void {
  const type = TYPES[extension] ?? 'application/octet-stream';
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((done) => server.close(() => done()));
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const at = args.indexOf('--port');
  const [, port = '5173'] = at < 0 ? [] : args.splice(at, 2);
  if (!/^\d{1,5}$/.test(port) || args.length > 1) {
    console.error('usage: npm run dev -- [SCENE.lua] [--port N]');
    process.exit(2);
  }
  try {
    const { address } = await startDev({ scene: args[0], port: Number(port) });
    console.log(
      `the playground is at ${address}; it follows ${args[0] ? dirname(args[0]) : 'examples'} and the sources`,
    );
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}
