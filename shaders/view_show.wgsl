// A view as it was drawn, over one flat background, into the picture. Of overdraw it shows how many times a pixel was drawn to:
// once blue, then green, yellow and red, from 12 times on white. Run by runtime/renderer/viewPass.ts.

@group(0) @binding(0) var drawn: texture_2d<f32>;  // the picture's own colours times the part that is drawn on, in alpha; or counts

override COUNTS = false;

/// Behind everything, sRGB.
const BACKGROUND = vec3f(0.09, 0.10, 0.12);

@vertex fn view_show_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  return vec4f(f32((index << 1u) & 2u) * 2.0 - 1.0, f32(index & 2u) * 2.0 - 1.0, 0.0, 1.0);
}

fn count_color(count: f32) -> vec3f {
  var colors = array(BACKGROUND, vec3f(0.16, 0.29, 0.58), vec3f(0.17, 0.60, 0.47), vec3f(0.93, 0.80, 0.30), vec3f(0.84, 0.24, 0.18), vec3f(1.0));
  var counts = array(0.0, 1.0, 2.0, 4.0, 8.0, 12.0);
  var color = colors[5];
  for (var i = 5u; i > 0u; i--) {
    if (count < counts[i]) { color = mix(colors[i - 1u], colors[i], saturate((count - counts[i - 1u]) / (counts[i] - counts[i - 1u]))); }
  }
  return color;
}

fn shown(pixel: vec4f) -> vec3f {
  let texel = textureLoad(drawn, vec2i(pixel.xy), 0);
  if (COUNTS) { return count_color(texel.r); }
  return BACKGROUND * (1.0 - saturate(texel.a)) + texel.rgb;
}

@fragment fn view_show_fragment(@builtin(position) pixel: vec4f) -> @location(0) vec4f {
  return vec4f(shown(pixel), 1.0);
}

/// For pictures with 16 bits a channel, in whole numbers.
@fragment fn view_show_deep_fragment(@builtin(position) pixel: vec4f) -> @location(0) vec4u {
  return vec4u(vec3u(saturate(shown(pixel)) * 65535.0 + 0.5), 65535u);
}
