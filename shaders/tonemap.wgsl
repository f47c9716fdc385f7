// From linear radiance to the picture's sRGB bytes: exposure, Khronos PBR Neutral (github.com/KhronosGroup/ToneMapping,
// specification of 2024), the sRGB curve, and half a step of fixed noise against bands in the sky. Alpha of the scene is
// how much of a pixel is drawn on; the rest is the flat background, which no curve touches. Run by runtime/renderer/tonemapPass.ts.
#include "include/frame.wgsl"
#include "include/noise.wgsl"

@group(1) @binding(0) var scene: texture_2d<f32>;

@vertex fn tonemap_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  return full_screen(index, 0.0);
}

/// Keeps colours as they are up to 0.76, rolls brighter ones off toward white. In: linear, from 0. Out: linear 0..1.
fn pbr_neutral(color: vec3f) -> vec3f {
  let start = 0.8 - 0.04;
  let desaturation = 0.15;
  let least = min(color.r, min(color.g, color.b));
  let offset = select(0.04, least - 6.25 * least * least, least < 0.08);
  let shifted = color - offset;
  let peak = max(shifted.r, max(shifted.g, shifted.b));
  if (peak < start) { return shifted; }
  let d = 1.0 - start;
  let newPeak = 1.0 - d * d / (peak + d - start);
  let scaled = shifted * newPeak / peak;
  let g = 1.0 - 1.0 / (desaturation * (peak - newPeak) + 1.0);
  return mix(scaled, vec3f(newPeak), g);
}

fn to_srgb(linear: vec3f) -> vec3f {
  let c = clamp(linear, vec3f(0.0), vec3f(1.0));
  return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, c * 12.92, c <= vec3f(0.0031308));
}

@fragment fn tonemap_fragment(@builtin(position) pixel: vec4f) -> @location(0) vec4f {
  let place = vec2i(pixel.xy);
  let texel = textureLoad(scene, place, 0);
  if (texel.a <= 0.0) { return vec4f(frame.background, 1.0); }
  let drawn = to_srgb(pbr_neutral(max(texel.rgb / texel.a, vec3f(0.0)) * frame.exposure));
  let noise = (hash_point(place) - 0.5) / 255.0;
  return vec4f(mix(frame.background, drawn, min(texel.a, 1.0)) + noise, 1.0);
}
