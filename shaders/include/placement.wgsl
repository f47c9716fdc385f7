// Where a drawn entity stands, seen from the camera. Filled by runtime/renderer/solids.ts.

struct Object {
  linear: mat3x3f,    // rotation and scale, mesh to world
  normal: mat3x3f,    // inverse transpose of `linear`, up to a positive factor
  offsetHigh: vec3f,  // the mesh's origin minus the camera's place, metres, rounded to f32 ...
  offsetLow: vec3f,   // ... and what the rounding left
}

/// A vertex's place from the camera, metres. The high part of the offset cancels against a far mesh's own coordinates first, exactly.
fn object_relative(object: Object, position: vec3f) -> vec3f {
  return (object.linear * position + object.offsetHigh) + object.offsetLow;
}
