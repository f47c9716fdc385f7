// A water as a frame draws it. Filled by runtime/renderer/waterPass.ts.

/// The hills that it mirrors, from far away: the mean colours of what they are covered with, linear, and where each lies, as in
/// include/ground_look.wgsl.
struct Hills {
  grass: vec3f,
  soil: vec3f,
  scree: vec3f,
  rock: vec3f,
  sand: vec3f,
  snow: vec3f,
  soilLine: vec2f,   // parts of the relief
  screeLine: vec2f,
  sandLine: vec2f,
  snowLine: vec2f,
  rockSlope: vec2f,  // metres a metre
  repose: vec2f,     // slopes between which sand and snow slide off
}

struct Water {
  offsetHigh: vec3f,    // world zero minus the camera's place, metres, rounded to f32 ...
  time: f32,            // seconds
  offsetLow: vec3f,     // ... and what the rounding left
  cameraHeight: f32,    // y of the camera, metres of world
  color: vec3f,         // what deep water scatters back, linear, 0..1
  waves: f32,           // height of the waves against the usual, 0..4
  extinction: vec3f,    // 1/metre
  foam: f32,            // against the usual, 0..4
  fromCorner: vec2f,    // the camera's x, z minus the rect's -X, -Z corner, metres
  extent: vec2f,        // the rect's sides, metres
  groundCount: vec2u,   // the ground's texels along X and Z
  surfaceCount: vec2u,  // the water's
  low: f32,             // the ground's height range: its lower end, metres
  relief: f32,          // and its extent, metres, above 0
  submerged: u32,       // 1: the camera is under the water
  hills: Hills,
}
