// A water as a frame draws it. Filled by runtime/renderer/waterPass.ts.

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
}
