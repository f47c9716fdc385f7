// The entry point `moonscape`: for pages and bundlers.
export * from '../runtime/index.js';
