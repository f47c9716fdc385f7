// Meshes with a material: metallic-roughness factors, the vertex's own normal and colour. Output: linear radiance,
// alpha 1. Run by runtime/renderer/forwardPass.ts, one indexed draw an entity.
#include "include/frame.wgsl"
#include "include/shade.wgsl"
#include "include/body.wgsl"
#include "include/object.wgsl"

@vertex fn model_vertex(
  @builtin(instance_index) object: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
  @location(5) color: vec4f,
) -> Surface {
  return place_vertex(objects[object], position, normal, color);
}

@fragment fn model_fragment(surface: Surface, @builtin(front_facing) front: bool) -> @location(0) vec4f {
  return shade_body(surface, front);
}
