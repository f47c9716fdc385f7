// How the textures of bare ground are made: slices of one square that repeats, each the sum of a few steps of noise, cells and
// waves. Filled by runtime/renderer/groundTextures.ts from runtime/renderer/groundRecipes.ts.

const MAX_SLICES = 8u;
const MAX_STEPS = 96u;

/// What a step adds.
const STEP_NOISE = 0u;    // gradient noise, -1..1
const STEP_STONES = 1u;   // stones side by side: 0 between them, 1 on them
const STEP_PEBBLES = 2u;  // round ones apart: 0 beside them, 1 on top
const STEP_CRACKS = 3u;   // 1 in a net of cracks, 0 beside it
const STEP_WAVES = 4u;    // ripples, -1..1, steep on one side

struct ReliefStep {
  cells: vec4i,   // across and along the square, at least 1; by how many a row is moved over its height, which turns long
                  // cells; a number that tells steps apart
  amount: vec3f,  // what it adds to height, brightness and hue, of about -1..1 each
  kind: u32,      // STEP_…
  range: vec2f,   // where the second is above the first: 0 at most at the first, 1 from the second on, smooth between
  fold: f32,      // 0: as it is; 1: ridges, 1 - 2 |v|; -1: hummocks, 2 |v| - 1
  vary: f32,      // 0..1: how unlike its cells are in height, brightness and hue
  warp: f32,      // pushes the steps after it by this part of the square, along its slope
  follow: f32,    // how far it is pushed itself, 0 or more
  gate: f32,      // 0: everywhere; 1: only where the last step with `keep` is 1; -1: only where it is 0
  keep: f32,      // 1: its value is what later steps are gated by
  density: f32,   // part of the cells that have a pebble
}

struct ReliefSlice {
  steps: vec2u,   // its first step, and how many
  steepness: f32, // slope of height -1..1 over the square's side
  roughness: f32, // perceptual, 0..1
  tint: vec3f,    // what hue 1 multiplies the colour by, less 1
  hollow: f32,    // how dark hollows are, 0..1
}

struct ReliefPlan {
  slices: array<ReliefSlice, MAX_SLICES>,
  side: u32,      // texels a side, a power of two
  count: u32,     // of slices
}
