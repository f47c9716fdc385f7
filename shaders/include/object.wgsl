// Group 2: one entry a drawn entity, found by its instance number. Filled by runtime/renderer/solids.ts. Needs
// include/frame.wgsl.
#include "placement.wgsl"
#include "surface.wgsl"

@group(2) @binding(0) var<storage, read> objects: array<Object>;

/// Carries a vertex to the picture.
fn place_vertex(object: Object, position: vec3f, normal: vec3f, color: vec4f) -> Surface {
  var out: Surface;
  out.relative = object_relative(object, position);
  out.clip = frame.viewProjection * vec4f(out.relative, 1.0);
  out.normal = object.normal * normal;
  out.color = color;
  return out;
}
