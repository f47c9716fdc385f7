// How much of the sun's light arrives at a place: cascaded shadow maps, read through a smooth filter. A place is looked up a
// few texels out along its normal, the more the sun grazes it (Holbert, "Normal Offset Shadows", 2011): as far as the
// filter reaches over a plane, so that no plane darkens itself under any sun, and no shadow leaves its thing's foot.
// Drawn by runtime/renderer/shadowPass.ts. Needs include/frame.wgsl.

@group(0) @binding(1) var shadow_maps: texture_depth_2d_array;  // a layer a cascade
@group(0) @binding(2) var shadow_compare: sampler_comparison;   // linear, at most

/// Taps along each side: 3 filter 5 × 5 texels, 2 filter 3 × 3.
override SHADOW_TAPS: u32 = 3;

/// Part of the sun's light, 0..1, at a map's place: Castaño's filters of bilinear taps ("Shadow Mapping Summary", 2013).
fn filtered(at: vec3f, layer: u32, depth: f32) -> f32 {
  let size = f32(textureDimensions(shadow_maps).x);
  let place = vec2f(0.5 + 0.5 * at.x, 0.5 - 0.5 * at.y) * size;
  let base = floor(place + 0.5);
  let part = place + 0.5 - base;
  // Weights and places of the taps along X and Y, from the texel corner `base`.
  let wide = SHADOW_TAPS == 3u;
  let first = select(3.0 - 2.0 * part, 4.0 - 3.0 * part, wide);
  let last = select(1.0 + 2.0 * part, 1.0 + 3.0 * part, wide);
  let toFirst = select((2.0 - part) / first - 1.0, (3.0 - 2.0 * part) / first - 2.0, wide);
  let toLast = select(part / last + 1.0, part / last + 2.0, wide);
  let toMiddle = (3.0 + part) / 7.0;
  let corner = base - 0.5;
  var sum = 0.0;
  for (var j = 0u; j < SHADOW_TAPS; j++) {
    let lastRow = j == SHADOW_TAPS - 1u;
    let weightY = select(select(7.0, last.y, lastRow), first.y, j == 0u);
    let y = corner.y + select(select(toMiddle.y, toLast.y, lastRow), toFirst.y, j == 0u);
    for (var i = 0u; i < SHADOW_TAPS; i++) {
      let lastColumn = i == SHADOW_TAPS - 1u;
      let weightX = select(select(7.0, last.x, lastColumn), first.x, i == 0u);
      let x = corner.x + select(select(toMiddle.x, toLast.x, lastColumn), toFirst.x, i == 0u);
      sum += weightX * weightY * textureSampleCompareLevel(shadow_maps, shadow_compare, vec2f(x, y) / size, layer, depth);
    }
  }
  return sum / select(16.0, 144.0, wide);
}

/// Part of the sun's light that arrives at a place (metres from the camera) of a surface with a unit normal, 0..1.
fn sunlit(relative: vec3f, normal: vec3f) -> f32 {
  let facing = saturate(dot(normal, frame.sunDirection));
  // Triangles stand a little off the normals that are blended over them.
  let reach = select(2.3, 3.4, SHADOW_TAPS == 3u) * min(sqrt(1.0 - facing * facing) + 0.1, 1.0);
  var lit = 0.0;
  var left = 1.0;
  for (var i = 0u; i < frame.cascadeCount; i++) {
    let texel = frame.cascades[i].texel;
    let at = on_cascade(frame.cascades[i], relative + normal * (reach * texel));
    let band = frame.cascades[i].band;
    let part = left * (1.0 - smoothstep(band, band + 0.08, max(abs(at.x), abs(at.y))));
    if (part > 0.0) { lit += part * filtered(at, i, saturate(at.z - frame.cascades[i].bias)); }
    left -= part;
    if (left <= 0.0) { break; }
  }
  return lit + left;
}
