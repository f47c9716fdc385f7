// A scatter's mesh, once for each instance that scatter_cull listed, in one indexed draw. Output: linear radiance, alpha 1.
// Run by runtime/renderer/scatterPass.ts.
#include "include/frame.wgsl"
#include "include/shade.wgsl"
#include "include/body.wgsl"
#include "include/scatter_draw.wgsl"

@vertex fn scatter_vertex(
  @builtin(instance_index) entry: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
  @location(5) color: vec4f,
) -> Surface {
  return place_instance(instances[visible[entry]], position, normal, color);
}

@fragment fn scatter_fragment(surface: Surface, @builtin(front_facing) front: bool) -> @location(0) vec4f {
  return shade_body(surface, front);
}
