// How a body whose material has maps is shaded (shaders/model_maps.wgsl, scatter_maps.wgsl): colour, normal, roughness, occlusion,
// emission and metal read by uv0 where there are maps of them. Needs include/frame.wgsl and include/shade.wgsl. Group 1: the
// material with its maps.
#include "body.wgsl"

@group(1) @binding(1) var colors: texture_2d<f32>;   // linear colour
@group(1) @binding(2) var matters: texture_2d<f32>;  // the normal's x and y (0..1 for -1..1), roughness, occlusion
@group(1) @binding(3) var glows: texture_2d<f32>;    // emission, linear, and metal in alpha
@group(1) @binding(4) var repeated: sampler;

struct MappedSurface {
  @builtin(position) clip: vec4f,
  @location(0) relative: vec3f,  // from the camera, metres
  @location(1) normal: vec3f,    // world, not unit
  @location(2) color: vec4f,     // the vertex's own, linear
  @location(3) tangent: vec4f,   // world, not unit: the way u grows; w: which way v falls, as glTF has it
  @location(4) uv: vec2f,
}

/// Radiance toward the eye, fog included, alpha 1. `front`: the triangle's outside is seen. From uniform control flow only.
fn shade_mapped(surface: MappedSurface, front: bool) -> vec4f {
  let color = textureSample(colors, repeated, surface.uv);
  let matter = textureSample(matters, repeated, surface.uv);
  let glow = textureSample(glows, repeated, surface.uv);
  let flat_ = normalize(surface.normal) * select(-1.0, 1.0, front);
  // The tangent is straightened against the normal; a mesh that has none is not tilted.
  let along = surface.tangent.xyz - flat_ * dot(flat_, surface.tangent.xyz);
  let length2 = dot(along, along);
  let tilt = (matter.xy * (255.0 / 127.0) - 128.0 / 127.0) * select(0.0, 1.0, length2 > 1e-12);
  let right = along * inverseSqrt(max(length2, 1e-12));
  let up = cross(flat_, right) * surface.tangent.w;
  let normal = normalize(right * tilt.x + up * tilt.y + flat_ * sqrt(max(1.0 - dot(tilt, tilt), 1e-4)));
  return shade_matter(Matter(
    material.albedo * color.rgb * surface.color.rgb,
    material.roughness * matter.z,
    material.emissive * glow.rgb,
    material.metallic * glow.a,
    matter.w,
    flat_,
    0.0,
  ), normal, surface.relative);
}
