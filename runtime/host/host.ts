// What the engine asks of the machine it runs on: node.ts is the one for Node, browser.ts the one for a page.

/**
 * Files of one project, by path relative to its root, with `/` between folders. Paths are already checked for `..`. Where a
 * path is refused (letters of another case than on disk, a link that leads out) the error is a FileRefusal.
 */
export interface HostFiles {
  /**
   * The whole file, or where `length` is given its first `length` bytes (or more, if that is easier). Rejects with an error
   * whose `code` is `ENOENT` where there is none.
   */
  read(path: string, length?: number): Promise<Uint8Array>;
  /** Replaces the file whole (a crash in the middle leaves the old one) and makes its folders. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** The paths of all files in a folder and below, sorted; none where there is no such folder. A host that cannot list has no `list`. */
  list?(folder: string): Promise<string[]>;
  /** For a host that cannot list all: as `list`, those that scripts wrote. */
  listWritten?(folder: string): Promise<string[]>;
  /** The files come from elsewhere than a folder of this machine: errors of `read` say from where. */
  readonly remote?: boolean;
}

/** A path that a host refuses though something is there. */
export class FileRefusal extends Error {
  /** @param actual the path as it is on disk, where only the case of letters is wrong */
  constructor(
    message: string,
    readonly actual?: string,
  ) {
    super(message);
  }
}

/** How an adapter is chosen. */
export interface AdapterOptions {
  /** Use the software adapter even where there is a GPU. */
  software?: boolean;
}

export interface Host {
  readonly files: HostFiles;
  /** A WebGPU adapter; rejects with NoAdapterError, which says how to get one. */
  requestAdapter(options?: AdapterOptions): Promise<GPUAdapter>;
  /** Awaits work of a software adapter's device without taking the processor away from it. Where a host needs none of it, it has none. */
  rest?<T>(work: Promise<T>): Promise<T>;
  /** Packs bytes into a zlib stream, quickly, where the host can do so faster than a script. */
  deflate?(bytes: Uint8Array): Uint8Array;
  /** Calls back before the next picture of the screen; returns what takes the call back. A host without a screen has none. */
  nextFrame?(callback: () => void): () => void;
  /** Milliseconds on a clock that only goes forward. */
  now(): number;
  /** One line of a script's `print`. */
  print(line: string): void;
  /** One line of a warning or a report. */
  warn(line: string): void;
  /** Lets go of what the host holds. After it no device of this host lives. */
  close(): void;
}
