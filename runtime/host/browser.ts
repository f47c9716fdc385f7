// The host of a page (or of a worker of one): the browser's WebGPU, project files over HTTP, what scripts write in OPFS, the
// console. Made by createRuntime; a program of its own may make one too.
import { MoonscapeError, NoAdapterError, refuse } from '../errors.js';
import type { AdapterOptions, Host, HostFiles } from './host.js';
import { HttpFiles, type Download, type HttpOptions } from './httpFiles.js';
import { OpfsFiles } from './opfsFiles.js';

export interface BrowserHostOptions extends Omit<HttpOptions, 'base'> {
  /** Address of the project's folder, relative to the page. Default: the page's own folder. */
  assets?: string | URL;
  /**
   * Folder of the browser's own file system (OPFS) for what scripts write; false: they cannot write. Default: one for each
   * project of the site.
   */
  storage?: string | false;
  print?: (line: string) => void;
  warn?: (line: string) => void;
}

/** A page's host. */
export interface BrowserHost extends Host {
  /** Address of the project's folder. */
  readonly base: URL;
  /** Ends all downloads under way; each rejects with `reason`. */
  cancel(reason?: Error): void;
  /** Forgets all files that scripts of this project wrote. */
  clearStorage(): Promise<void>;
}

export type { Download };

/** Makes the host of a page. Nothing is fetched or asked for yet, so that it can be made where there is no WebGPU. */
export function createBrowserHost(options: BrowserHostOptions = {}): BrowserHost {
  const { assets, storage, print, warn, ...http } = options;
  const base = baseOf(assets);
  const server = new HttpFiles({ ...http, base });
  const written =
    storage === false ? null : new OpfsFiles(storage ?? `moonscape ${encodeURIComponent(base.pathname)}`);
  return {
    base,
    files: layered(server, written),
    requestAdapter,
    now: () => performance.now(),
    print: print ?? ((line) => console.log(line)),
    warn: warn ?? ((line) => console.warn(line)),
    nextFrame,
    cancel: (reason = new MoonscapeError('the download was cancelled')) => server.cancel(reason),
    clearStorage: async () => written?.clear(),
    close: () => server.cancel(new MoonscapeError('the runtime is destroyed')),
  };
}

/** What the page wrote stands before what the server has. */
function layered(server: HttpFiles, written: OpfsFiles | null): HostFiles {
  return {
    read: async (path, length) => (await written?.read(path, length)) ?? server.read(path, length),
    async write(path, bytes) {
      if (!written) throw new Error('this page was told to write nothing (storage: false)');
      await written.write(path, bytes);
    },
    listWritten: async (folder) => (await written?.list(folder)) ?? [],
    remote: true,
  };
}

/** The folder's address: a last part without a slash is a folder too. */
function baseOf(assets: string | URL | undefined): URL {
  const page = typeof document === 'undefined' ? globalThis.location?.href : document.baseURI;
  if (assets === undefined) {
    if (page === undefined)
      throw new MoonscapeError(
        'createRuntime: there is no page here, so assets must be the address of the project; in Node use moonscape/node',
      );
    return new URL('.', page);
  }
  let base: URL;
  try {
    base = new URL(assets, page);
  } catch {
    refuse('createRuntime', 'assets', 'the address of a folder', assets);
  }
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return base;
}

/** Says what is missing where there is no adapter. */
async function requestAdapter({ software = false }: AdapterOptions = {}): Promise<GPUAdapter> {
  const gpu = typeof navigator === 'undefined' ? undefined : navigator.gpu;
  if (!gpu) {
    const insecure = typeof isSecureContext !== 'undefined' && !isSecureContext;
    throw new NoAdapterError(
      insecure
        ? `WebGPU needs a page that came over https or from localhost, and this one came from ${location.origin}`
        : 'this browser has no WebGPU: Chrome and Edge have it from 113 on, Safari from 26 on, Firefox from 141 on Windows and 145 on macOS on',
    );
  }
  let adapter: GPUAdapter | null;
  try {
    adapter = await gpu.requestAdapter({
      powerPreference: 'high-performance',
      ...(software ? { forceFallbackAdapter: true } : {}),
    });
  } catch (cause) {
    throw new NoAdapterError(`the browser refused a WebGPU adapter: ${(cause as Error).message}`, { cause });
  }
  if (!adapter)
    throw new NoAdapterError(
      'the browser has WebGPU but gives no adapter: its graphics acceleration is off, or it does not trust this GPU’s driver (chrome://gpu says which)',
    );
  return adapter;
}

/** Calls back before the next picture of the screen; returns what takes the call back. */
function nextFrame(callback: () => void): () => void {
  if (typeof requestAnimationFrame === 'function') {
    const request = requestAnimationFrame(callback);
    return () => cancelAnimationFrame(request);
  }
  const clock = setTimeout(callback, 1000 / 60);
  return () => clearTimeout(clock);
}
