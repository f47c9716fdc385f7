// What a page and the worker that runs its scene say to each other. Everything is data that the browser can copy.
import { MoonscapeError, NoAdapterError, show } from '../../runtime/errors.js';
import { Abort, LuaError } from '../vm/index.js';
import type { EventName } from './events.js';
import type { Parameter } from './hostFunctions.js';
import type { CreateRuntimeOptions } from './pageRuntime.js';

/** Options that reach the worker. */
export type WorkerOptions = Omit<CreateRuntimeOptions, 'canvas' | 'host' | 'fetch'>;

/** To the worker. `open` comes first; what has an `id` is answered under it. */
export type ToWorker =
  | { kind: 'open'; id: number; canvas: OffscreenCanvas | null; options: WorkerOptions }
  | { kind: 'do'; id: number; method: string; args: unknown[] }
  | { kind: 'listen'; name: EventName }
  | { kind: 'register'; name: string; parameters: readonly Parameter[] | null }
  | { kind: 'answer'; call: number; outcome: Outcome };

/** From the worker. */
export type FromWorker =
  | { kind: 'done'; id: number; outcome: Outcome }
  | { kind: 'event'; name: EventName; value: unknown }
  | { kind: 'call'; call: number; name: string; args: unknown[] };

export type Outcome = { ok: true; value: unknown } | { ok: false; error: ErrorData };

export interface ErrorData {
  name: string;
  message: string;
  traceback: string;
}

export function errorData(error: unknown): ErrorData {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { name, message, traceback: error instanceof LuaError ? error.traceback : '' };
}

/** An error of the worker as the class that it was there. */
export function errorOf({ name, message, traceback }: ErrorData): MoonscapeError {
  if (name === 'Abort') return new Abort(message, { traceback });
  if (name === 'LuaError') return new LuaError(message, { traceback });
  if (name === 'NoAdapterError') return new NoAdapterError(message);
  return new MoonscapeError(message);
}

/** Refuses by name what cannot be copied between a worker and its page. */
export function checkCopyable(what: string, value: unknown): void {
  try {
    structuredClone(value);
  } catch (cause) {
    throw new MoonscapeError(
      `${what} must be numbers, strings, booleans, lists, tables or typed arrays, as it goes between a page and its worker, got ${show(value)}`,
      { cause },
    );
  }
  refuseObjects(what, value);
}

/** A copy of an object of the engine would be a heap of its fields: not what was meant. */
function refuseObjects(what: string, value: unknown): void {
  if (
    typeof value !== 'object' ||
    value === null ||
    ArrayBuffer.isView(value) ||
    value instanceof ArrayBuffer
  )
    return;
  if (Array.isArray(value)) return value.forEach((item) => refuseObjects(what, item));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype && !(value instanceof Map))
    throw new MoonscapeError(
      `${what} must be plain data, as it goes between a page and its worker, got ${show(value)}`,
    );
  for (const item of Object.values(value)) refuseObjects(what, item);
}
