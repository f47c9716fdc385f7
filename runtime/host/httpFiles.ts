// The files of a project over HTTP, below a base address. Works with any static server: no ranges, no listing, a page of HTML
// where a file is missing. Used by browser.ts.
import type { HostFiles } from './host.js';

/** How far a download is. */
export interface Download {
  /** Path of the file in the project. */
  path: string;
  /** Bytes that have come. */
  loaded: number;
  /** Bytes of the whole file, where the server says so and sends it unpacked. */
  total: number | null;
  /** No more will come: it is there, or it failed. */
  done: boolean;
}

export interface HttpOptions {
  /** Address of the project's folder; it ends in a slash. */
  base: URL;
  /** Default: the page's own. */
  fetch?: typeof fetch;
  /** Further tries where the network or the server fails for the moment. Default 2. */
  retries?: number;
  /** Milliseconds before the first further try, twice as many before each next. Default 250. */
  pauseMs?: number;
  /** Milliseconds without a single byte after which a download counts as failed for the moment. Default 30000. */
  stallMs?: number;
  /** Gets how far each download is. */
  loading?: (download: Download) => void;
}

/** Answers of servers that have no such file; object stores say 403 for one where they hide their listing. */
const MISSING = [403, 404, 410];
/** Answers that another try may better. */
const PASSING = [408, 425, 429, 500, 502, 503, 504];
/** A server may ask for a longer pause; no longer than this is waited for, milliseconds. */
const LONGEST_PAUSE_MS = 5000;
const PAGES = /\.x?html?$/i;

/** A failure that another try may better. */
class Passing extends Error {
  constructor(
    message: string,
    readonly pauseMs = 0,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Files below an address, for reading. `cancel` ends what is under way. */
export class HttpFiles {
  #cancelling = new AbortController();
  readonly #options: Required<Omit<HttpOptions, 'loading'>> & Pick<HttpOptions, 'loading'>;

  constructor(options: HttpOptions) {
    this.#options = {
      fetch: (...request) => fetch(...request),
      retries: 2,
      pauseMs: 250,
      stallMs: 30_000,
      ...options,
    };
  }

  /** The address of a file. */
  addressOf(path: string): string {
    return new URL(path.split('/').map(encodeURIComponent).join('/'), this.#options.base).href;
  }

  /** Ends every download under way; each rejects with `reason`. Later ones begin as ever. */
  cancel(reason: Error): void {
    this.#cancelling.abort(reason);
    this.#cancelling = new AbortController();
  }

  /** As HostFiles.read. Errors say the address and what the server answered. */
  readonly read: HostFiles['read'] = async (path, length) => {
    const { signal } = this.#cancelling;
    const { retries, pauseMs } = this.#options;
    const download: Download = { path, loaded: 0, total: null, done: false };
    try {
      for (let tried = 0; ; tried++) {
        try {
          return await this.#download(download, length, signal);
        } catch (error) {
          if (signal.aborted) throw signal.reason;
          if (!(error instanceof Passing)) throw error;
          if (tried >= retries)
            throw new Error(`${error.message} (tried ${tried + 1} times)`, { cause: error });
          await pause(Math.max(pauseMs * 2 ** tried, Math.min(error.pauseMs, LONGEST_PAUSE_MS)), signal);
        }
      }
    } finally {
      download.done = true;
      this.#options.loading?.(download);
    }
  };

  async #download(
    download: Download,
    length: number | undefined,
    cancelled: AbortSignal,
  ): Promise<Uint8Array> {
    const { path } = download;
    const address = this.addressOf(path);
    const stalled = new AbortController();
    const signal = AbortSignal.any([cancelled, stalled.signal]);
    const { stallMs } = this.#options;
    let clock = setTimeout(() => stalled.abort(), stallMs);
    const heard = () => {
      clearTimeout(clock);
      clock = setTimeout(() => stalled.abort(), stallMs);
    };
    try {
      const response = await this.#options.fetch(address, { signal });
      heard();
      check(response, path, address);
      const packed = response.headers.has('content-encoding');
      const said = Number(response.headers.get('content-length') ?? NaN);
      download.total = packed || !Number.isFinite(said) ? null : said;
      return await this.#take(response, download, length, heard);
    } catch (error) {
      if (stalled.signal.aborted)
        throw new Passing(`${address} sent nothing for ${stallMs / 1000} s`, 0, { cause: error });
      // What fetch and a body's reader throw where the network fails, or the server lets no other site read its files.
      if (error instanceof TypeError)
        throw new Passing(
          `${address} cannot be fetched: there is no connection, or the server does not allow this page to read it (CORS)`,
          0,
          { cause: error },
        );
      throw error;
    } finally {
      clearTimeout(clock);
    }
  }

  /** The body, or its first `length` bytes; the rest of it is not waited for. */
  async #take(
    response: Response,
    download: Download,
    length: number | undefined,
    heard: () => void,
  ): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    download.loaded = 0;
    const reader = response.body?.getReader();
    while (reader && (length === undefined || download.loaded < length)) {
      const { done, value } = await reader.read();
      if (done) return join(parts, download.loaded);
      heard();
      parts.push(value);
      download.loaded += value.length;
      this.#options.loading?.(download);
    }
    await reader?.cancel();
    return join(parts, download.loaded);
  }
}

/** Refuses an answer that is not the file. */
function check(response: Response, path: string, address: string): void {
  const { status, statusText } = response;
  const answer = `${address} answered ${[status, statusText].filter(Boolean).join(' ')}`;
  if (MISSING.includes(status)) throw absent(answer);
  if (PASSING.includes(status))
    throw new Passing(answer, 1000 * Number(response.headers.get('retry-after')) || 0);
  if (!response.ok) throw new Error(answer);
  // Servers of one-page sites answer every unknown address with that page.
  if (/^text\/html\b/i.test(response.headers.get('content-type') ?? '') && !PAGES.test(path))
    throw absent(`${address} answered with a page of HTML`);
}

const absent = (message: string) => Object.assign(new Error(message), { code: 'ENOENT' });

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0];
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(clock);
      reject(signal.reason as Error);
    };
    const clock = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
