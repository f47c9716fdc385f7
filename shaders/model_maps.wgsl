// Meshes whose material has maps: as shaders/model.wgsl, with include/body_maps.wgsl. Output: linear radiance, alpha 1. Run by
// runtime/renderer/forwardPass.ts.
#include "include/frame.wgsl"
#include "include/shade.wgsl"
#include "include/body_maps.wgsl"
#include "include/object.wgsl"

@vertex fn model_maps_vertex(
  @builtin(instance_index) index: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
  @location(2) tangent: vec4f,
  @location(3) uv: vec2f,
  @location(5) color: vec4f,
) -> MappedSurface {
  let object = objects[index];
  let surface = place_vertex(object, position, normal, color);
  // A mirrored mesh keeps its pictures' up where the mesh has it.
  let hand = tangent.w * sign(determinant(object.linear));
  return MappedSurface(surface.clip, surface.relative, surface.normal, color, vec4f(object.linear * tangent.xyz, hand), uv);
}

@fragment fn model_maps_fragment(surface: MappedSurface, @builtin(front_facing) front: bool) -> @location(0) vec4f {
  return shade_mapped(surface, front);
}
