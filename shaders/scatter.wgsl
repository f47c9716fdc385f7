// A scatter's mesh, once for each instance that scatter_cull listed, in one indexed draw. Output: linear radiance, alpha 1.
// Run by runtime/renderer/scatterPass.ts.
#include "include/frame.wgsl"
#include "include/shade.wgsl"
#include "include/body.wgsl"
#include "include/scatter.wgsl"

@group(2) @binding(0) var<uniform> scatter: Scatter;
@group(2) @binding(1) var<storage, read> instances: array<ScatterInstance>;
@group(2) @binding(2) var<storage, read> visible: array<u32>;

@vertex fn scatter_vertex(
  @builtin(instance_index) entry: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
  @location(5) color: vec4f,
) -> Surface {
  let instance = instances[visible[entry]];
  let origin = scatter_relative(scatter, instance.place);
  let scale = instance.scale * scatter_size(scatter, instance.place, origin);
  var out: Surface;
  out.relative = origin + turned(instance.turn, position * scale);
  out.clip = frame.viewProjection * vec4f(out.relative, 1.0);
  out.normal = turned(instance.turn, normal);
  out.color = color;
  return out;
}

@fragment fn scatter_fragment(surface: Surface, @builtin(front_facing) front: bool) -> @location(0) vec4f {
  return shade_body(surface, front);
}
