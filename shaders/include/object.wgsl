// Group 2: one entry a drawn entity, found by its instance number. Filled by runtime/renderer/forwardPass.ts. Needs
// include/frame.wgsl.
#include "surface.wgsl"

struct Object {
  linear: mat3x3f,    // rotation and scale, mesh to world
  normal: mat3x3f,    // inverse transpose of `linear`, up to a positive factor
  offsetHigh: vec3f,  // the mesh's origin minus the camera's place, metres, rounded to f32 ...
  offsetLow: vec3f,   // ... and what the rounding left
}

@group(2) @binding(0) var<storage, read> objects: array<Object>;

/// Carries a vertex to the picture. The high part of the offset cancels against a far mesh's own coordinates first, exactly.
fn place_vertex(object: Object, position: vec3f, normal: vec3f, color: vec4f) -> Surface {
  var out: Surface;
  out.relative = (object.linear * position + object.offsetHigh) + object.offsetLow;
  out.clip = frame.viewProjection * vec4f(out.relative, 1.0);
  out.normal = object.normal * normal;
  out.color = color;
  return out;
}
