// From linear radiance to the picture's sRGB steps: exposure, a tone curve, the sRGB curve, and half a step of fixed noise
// against bands in the sky. Alpha of the scene is how much of a pixel is drawn on; the rest is the flat background, which no
// curve touches. tonemap_fragment fills 8 bits a channel, tonemap_deep_fragment 16, as whole numbers. Run by
// runtime/renderer/tonemapPass.ts.
#include "include/frame.wgsl"
#include "include/noise.wgsl"
#include "include/metered.wgsl"
#include "include/tone.wgsl"

@group(1) @binding(0) var scene: texture_2d<f32>;
@group(1) @binding(1) var<uniform> metered: Metered;

/// The curve: PBR Neutral, or AgX.
override AGX = false;

@vertex fn tonemap_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  return full_screen(index, 0.0);
}

fn tone(color: vec3f) -> vec3f {
  if (AGX) { return agx(color); }
  return pbr_neutral(color);
}

/// sRGB 0..1 of a pixel. `noise`: half a step to each side.
fn developed(place: vec2i, noise: f32) -> vec3f {
  let texel = textureLoad(scene, place, 0);
  if (texel.a <= 0.0) { return frame.background; }
  let drawn = to_srgb(tone(max(texel.rgb / texel.a, vec3f(0.0)) * (frame.exposure * metered.factor)));
  return mix(frame.background, drawn, min(texel.a, 1.0)) + noise;
}

@fragment fn tonemap_fragment(@builtin(position) pixel: vec4f) -> @location(0) vec4f {
  let place = vec2i(pixel.xy);
  return vec4f(developed(place, (hash_point(place) - 0.5) / 255.0), 1.0);
}

@fragment fn tonemap_deep_fragment(@builtin(position) pixel: vec4f) -> @location(0) vec4u {
  return vec4u(vec3u(saturate(developed(vec2i(pixel.xy), 0.0)) * 65535.0 + 0.5), 65535u);
}
