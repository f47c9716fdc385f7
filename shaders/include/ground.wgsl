// Where a heightfield's texels stand, seen from the camera. Filled by runtime/renderer/groundBinding.ts.

struct Ground {
  fromCorner: vec2f,   // the camera's x, z minus the rect's -X, -Z corner, metres
  texel: vec2f,        // a texel's sides, metres
  count: vec2u,        // texels along X and Z
  cameraHeight: f32,   // y of the camera minus `low`, metres
  low: f32,            // the declared height range's lower end, metres
  relief: f32,         // the declared height range's extent, metres, above 0
  submerged: u32,      // 1: the camera is under the ground
  extent: f32,         // the rect's longer side, metres
}
