// A solid thing as the sun sees it: depth alone, onto one cascade's map. What stands nearer to the sun than the map reaches is
// pressed onto its near side: it shades all the same. Run by runtime/renderer/shadowPass.ts with the draws of
// runtime/renderer/solids.ts.
#include "include/cascade.wgsl"
#include "include/placement.wgsl"

@group(0) @binding(0) var<uniform> cascade: Cascade;
@group(1) @binding(0) var<storage, read> objects: array<Object>;

@vertex fn shadow_vertex(@builtin(instance_index) object: u32, @location(0) position: vec3f) -> @builtin(position) vec4f {
  let at = on_cascade(cascade, object_relative(objects[object], position));
  return vec4f(at.xy, max(at.z, 0.0), 1.0);
}
