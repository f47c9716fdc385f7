// Re-exports of the engine's public surface.
export * from './errors.js';
