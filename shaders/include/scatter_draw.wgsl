// A scatter's instances as its draws place them: those that scatter_cull listed. Needs include/frame.wgsl.
#include "scatter.wgsl"
#include "surface.wgsl"

@group(2) @binding(0) var<uniform> scatter: Scatter;
@group(2) @binding(1) var<storage, read> instances: array<ScatterInstance>;
@group(2) @binding(2) var<storage, read> visible: array<u32>;

/// Carries a vertex to the picture.
fn place_instance(instance: ScatterInstance, position: vec3f, normal: vec3f, color: vec4f) -> Surface {
  let origin = scatter_relative(scatter, instance.place);
  let scale = instance.scale * scatter_size(scatter, instance.place, origin);
  var out: Surface;
  out.relative = origin + turned(instance.turn, position * scale);
  out.clip = frame.viewProjection * vec4f(out.relative, 1.0);
  out.normal = turned(instance.turn, normal);
  out.color = color;
  return out;
}
