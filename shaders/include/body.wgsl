// How a body with a material is shaded, whichever way its vertices came to the picture (shaders/model.wgsl, scatter.wgsl).
// Needs include/frame.wgsl and include/shade.wgsl. Group 1: the material.
#include "material.wgsl"
#include "surface.wgsl"

@group(1) @binding(0) var<uniform> material: Material;

/// Radiance toward the eye, fog included, alpha 1. `front`: the triangle's outside is seen.
fn shade_body(surface: Surface, front: bool) -> vec4f {
  let normal = normalize(surface.normal) * select(-1.0, 1.0, front);
  let matter = Matter(material.albedo * surface.color.rgb, material.roughness, material.emissive, material.metallic, 1.0, normal, 0.0);
  return shade_matter(matter, normal, surface.relative);
}

/// The same for matter at a place `relative` to the camera (metres) whose unit normal, fine relief included, is given. From uniform
/// control flow only.
fn shade_matter(own: Matter, normal: vec3f, relative: vec3f) -> vec4f {
  var matter = own;
  matter.roughness = pixel_roughness(own.roughness, normal);
  let eye = toward_eye(relative);
  let irradiance = hemisphere(normal);
  let around = mirrored_around(matter.roughness, normal, eye, irradiance);
  return vec4f(with_fog(shade(matter, normal, eye, relative, irradiance, around), relative), 1.0);
}
