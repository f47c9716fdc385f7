// Meshes with a material: metallic-roughness factors, the vertex's own normal and colour. Output: linear radiance,
// alpha 1. Run by runtime/renderer/forwardPass.ts, one indexed draw an entity.
#include "include/frame.wgsl"
#include "include/object.wgsl"
#include "include/shade.wgsl"
#include "include/material.wgsl"

@group(1) @binding(0) var<uniform> material: Material;

@vertex fn model_vertex(
  @builtin(instance_index) object: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
  @location(5) color: vec4f,
) -> Surface {
  return place_vertex(objects[object], position, normal, color);
}

@fragment fn model_fragment(surface: Surface, @builtin(front_facing) front: bool) -> @location(0) vec4f {
  let normal = normalize(surface.normal) * select(-1.0, 1.0, front);
  let matter = Matter(material.albedo * surface.color.rgb, material.roughness, material.emissive, material.metallic, 1.0, normal);
  let eye = toward_eye(surface.relative);
  let irradiance = hemisphere(normal);
  let around = mirrored_around(matter.roughness, normal, eye, irradiance);
  return vec4f(with_fog(shade(matter, normal, eye, surface.relative, irradiance, around), surface.relative), 1.0);
}
