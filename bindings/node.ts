// The entry point `moonscape/node`: everything of `moonscape`, and the headless host.
export * from './moonscape.js';
export { createNodeHost, type NodeHostOptions } from '../runtime/host/node.js';
