// A scatter's instances as the sun sees them: as shaders/shadow.wgsl, for those that scatter_cull listed for this cascade, at
// the size that the camera sees them with. Run by runtime/renderer/shadowPass.ts.
#include "include/cascade.wgsl"
#include "include/scatter.wgsl"

@group(0) @binding(0) var<uniform> cascade: Cascade;
@group(1) @binding(0) var<uniform> scatter: Scatter;
@group(1) @binding(1) var<storage, read> instances: array<ScatterInstance>;
@group(1) @binding(2) var<storage, read> visible: array<u32>;

@vertex fn shadow_scatter_vertex(@builtin(instance_index) entry: u32, @location(0) position: vec3f) -> @builtin(position) vec4f {
  let instance = instances[visible[entry]];
  let origin = scatter_relative(scatter, instance.place);
  let scale = instance.scale * scatter_size(scatter, instance.place, origin);
  let at = on_cascade(cascade, origin + turned(instance.turn, position * scale));
  return vec4f(at.xy, max(at.z, 0.0), 1.0);
}
