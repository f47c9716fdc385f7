// A scatter's mesh whose material has maps: as shaders/scatter.wgsl, with include/body_maps.wgsl. Output: linear radiance,
// alpha 1. Run by runtime/renderer/scatterPass.ts.
#include "include/frame.wgsl"
#include "include/shade.wgsl"
#include "include/body_maps.wgsl"
#include "include/scatter_draw.wgsl"

@vertex fn scatter_maps_vertex(
  @builtin(instance_index) entry: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
  @location(2) tangent: vec4f,
  @location(3) uv: vec2f,
  @location(5) color: vec4f,
) -> MappedSurface {
  let instance = instances[visible[entry]];
  let surface = place_instance(instance, position, normal, color);
  let along = vec4f(turned(instance.turn, tangent.xyz), tangent.w);
  return MappedSurface(surface.clip, surface.relative, surface.normal, color, along, uv);
}

@fragment fn scatter_maps_fragment(surface: MappedSurface, @builtin(front_facing) front: bool) -> @location(0) vec4f {
  return shade_mapped(surface, front);
}
