export interface TextModuleOptions {
  /** How a file is imported. */
  specifier: (file: string) => string;
  /** Put a WGSL file together of pieces that its includes share. */
  pieces?: boolean;
  /** What is done to each piece. */
  pack?: (text: string) => string;
}
export const PIECES: string;
/** True for the modules that are imported as text. */
export function isText(path: string): boolean;
/** The text of a file, includes in place. */
export function readText(path: string): string;
export function textModule(path: string, options: TextModuleOptions): string;
export function piecesModule(path: string, pack: (text: string) => string): string;
export function packWgsl(text: string): string;
export function packLua(text: string): string;
