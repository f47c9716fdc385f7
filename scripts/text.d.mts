/** Returns the text of a module of text, with WGSL's includes in place; `seen` holds the files taken in so far. */
export function readText(path: string, seen?: Set<string>): string;
/** True for the modules that are imported as text. */
export function isText(path: string): boolean;
