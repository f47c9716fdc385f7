// Meters the picture that was just drawn. meter_count: one invocation a cell of the picture (workgroups of 8 × 8 over
// Metering.cells) takes the mean of its pixels' brightness in stops, and counts itself in a histogram; counts and sums are
// whole numbers, so that their order is all the same. meter_adapt: one invocation takes the histogram's middle, leaving out
// the darkest and the brightest, and moves the exposure toward it. The curve's twin is liftOf of runtime/renderer/exposure.ts.
// Run by runtime/renderer/meterPass.ts; shaders/tonemap.wgsl reads what comes of it.
#include "include/metered.wgsl"
#include "include/metering.wgsl"

const BINS = 96u;
/// Brightness of the first bin, and a bin's width, in stops (log2 of linear luminance).
const DARKEST = -16.0;
const BIN = 0.25;
/// Steps of a bin's width that sums count in: a uniform picture is metered to a thousandth of a stop.
const STEPS = 256.0;
/// Parts of the picture that are left out at the dark end and at the bright one.
const DARK_PART = 0.1;
const BRIGHT_PART = 0.05;
/// The brightness of a clear midday's picture, which needs no lift, stops.
override USUAL: f32;
/// Of each stop of darkness, how much is made up for, at first and at most (see runtime/renderer/exposure.ts).
override SHARE: f32;
override MOST: f32;
/// An eye takes to brightness faster than to darkness; parts a second.
const TO_BRIGHT = 3.0;
const TO_DARK = 1.2;

struct Histogram {
  count: array<atomic<u32>, BINS>,  // cells
  sum: array<atomic<u32>, BINS>,    // how far they lie above their bin's lower end, steps
}

@group(0) @binding(0) var scene: texture_2d<f32>;
@group(0) @binding(1) var<uniform> metering: Metering;
@group(0) @binding(2) var<storage, read_write> histogram: Histogram;  // all 0 before meter_count
@group(0) @binding(3) var<storage, read_write> metered: Metered;

@compute @workgroup_size(8, 8) fn meter_count(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= metering.cells)) { return; }
  let first = id.xy * metering.size / metering.cells;
  let end = (id.xy + 1u) * metering.size / metering.cells;
  var sum = 0.0;
  var drawn = 0.0;
  for (var y = first.y; y < end.y; y++) {
    for (var x = first.x; x < end.x; x++) {
      let texel = textureLoad(scene, vec2u(x, y), 0);
      if (texel.a <= 0.0) { continue; }
      let bright = dot(texel.rgb / texel.a, vec3f(0.2126, 0.7152, 0.0722));
      sum += log2(clamp(bright, exp2(DARKEST), exp2(DARKEST + BIN * f32(BINS))));
      drawn += 1.0;
    }
  }
  // The flat background is no part of the scene.
  if (drawn == 0.0) { return; }
  let place = clamp((sum / drawn - DARKEST) / BIN, 0.0, f32(BINS) - 0.001);
  let bin = u32(place);
  atomicAdd(&histogram.count[bin], 1u);
  atomicAdd(&histogram.sum[bin], u32((place - f32(bin)) * STEPS));
}

/// Stops by which a picture is lifted that is darker than usual by so many.
fn lift_of(darker: f32) -> f32 {
  return select(SHARE * darker, MOST * (1.0 - exp(-SHARE * darker / MOST)), darker > 0.0);
}

@compute @workgroup_size(1) fn meter_adapt() {
  var total = 0.0;
  for (var bin = 0u; bin < BINS; bin++) { total += f32(atomicLoad(&histogram.count[bin])); }
  if (total == 0.0) { return; }
  let low = DARK_PART * total;
  let high = (1.0 - BRIGHT_PART) * total;
  var before = 0.0;
  var taken = 0.0;
  var sum = 0.0;
  for (var bin = 0u; bin < BINS; bin++) {
    let count = f32(atomicLoad(&histogram.count[bin]));
    let part = max(min(before + count, high) - max(before, low), 0.0);
    if (part > 0.0) {
      let within = (f32(atomicLoad(&histogram.sum[bin])) / count + 0.5) / STEPS;
      sum += part * (DARKEST + BIN * (f32(bin) + within));
      taken += part;
    }
    before += count;
  }
  let goal = lift_of(USUAL - sum / taken);
  let speed = select(TO_DARK, TO_BRIGHT, goal < metered.stops);
  metered.stops = mix(goal, metered.stops, exp(-speed * metering.dt));
  metered.factor = exp2(metered.stops);
}
