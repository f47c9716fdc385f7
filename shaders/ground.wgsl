// Ground with no layers: colour by slope and height, shaded pixel by pixel with the heightfield's own gradients, so that
// a coarse far node shades as finely as a near one. Input: group 1, the field's texels (height, d/dx, d/dz, coverage;
// rows × columns, row-major). Output: linear radiance, alpha 1. Run by runtime/renderer/forwardPass.ts.
#include "include/frame.wgsl"
#include "include/object.wgsl"
#include "include/shade.wgsl"
#include "include/noise.wgsl"
#include "include/ground_sight.wgsl"

@vertex fn ground_vertex(
  @builtin(instance_index) object: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
) -> Surface {
  return place_vertex(objects[object], position, normal, vec4f(1.0));
}

struct Cover {
  albedo: vec3f,   // linear
  roughness: f32,
  bump: f32,       // metres of fine relief
}

fn blend_cover(a: Cover, b: Cover, weight: f32) -> Cover {
  return Cover(mix(a.albedo, b.albedo, weight), mix(a.roughness, b.roughness, weight), mix(a.bump, b.bump, weight));
}

@fragment fn ground_fragment(surface: Surface, @builtin(front_facing) facing: bool) -> @location(0) vec4f {
  let sight = see_ground(surface, facing);
  let meters = sight.meters;
  let wide = sight.wide;
  let gradient = sight.gradient;
  let hollow = sight.hollow;
  let height = clamp(sight.above / ground.relief, 0.0, 1.0);

  // Whole slopes and patches; then the beds of rock, which come out at one height along a slope, a little warped.
  let regions = max(0.14 * ground.extent, 40.0);
  let region = noise_value(turned(meters, vec2f(0.8, 0.6)) / regions) * seen(wide, regions);
  let patchy = max(0.033 * ground.extent, 17.0);
  let patches = noise_value(turned(meters, vec2f(0.28, 0.96)) / patchy) * seen(wide, patchy);
  let bed = 0.035 * ground.relief;
  let beds = noise_value(vec2f(sight.above / bed + 1.2 * patches, region)) * seen(wide, bed);

  // Clumps, tufts, grain, pebbles, as far as a pixel is fine enough for them. One loop, so that the noise is compiled
  // once; its constants move up a place a turn, which costs a CPU adapter less than an index does.
  var periods = vec4f(6.1, 1.7, 0.39, 0.11);
  var wayX = vec4f(0.96, 0.6, 0.936, 0.352);
  var wayY = vec4f(0.28, 0.8, 0.352, 0.936);
  var mottles = vec4f(0.4, 0.35, 0.25, 0.2);
  var tilts = vec4f(1.5, 1.0, 0.3, 0.12);
  var tones = vec4f(0.0, 0.12, 0.2, 0.2);
  var lines = 0.02;
  var mottle = 0.55 * patches;
  var line = 0.11 * region + 0.06 * patches;
  var tone = 1.0;
  var tilt = vec2f(0.0);
  loop {
    let way = vec2f(wayX.x, wayY.x);
    let n = noise_slope(turned(meters, way) / periods.x) * seen(wide, periods.x);
    mottle += mottles.x * n.x;
    line += lines * n.x;
    tone += tones.x * n.x;
    tilt += tilts.x / periods.x * vec2f(way.x * n.y + way.y * n.z, way.x * n.z - way.y * n.y);
    periods = vec4f(periods.yzw, 0.0);
    wayX = wayX.yzww;
    wayY = wayY.yzww;
    mottles = mottles.yzww;
    tilts = tilts.yzww;
    tones = tones.yzww;
    lines = 0.0;
    continuing {
      // Tested at the end, for a CPU adapter runs through a loop's body to find that it is done.
      break if wide >= 0.55 * periods.x;
    }
  }

  let grass = Cover(mix(vec3f(0.062, 0.098, 0.022), vec3f(0.165, 0.17, 0.045), saturate(0.45 + 0.55 * region + 0.5 * mottle)), 0.92, 0.16);
  let dry = Cover(mix(vec3f(0.20, 0.155, 0.07), vec3f(0.37, 0.30, 0.155), saturate(0.5 + 0.7 * mottle)), 0.95, 0.13);
  let rock = Cover(mix(vec3f(0.105, 0.08, 0.058), vec3f(0.34, 0.28, 0.21), saturate(0.42 + 0.5 * mottle - 0.2 * hollow + 0.4 * beds)), 0.8, 0.22);
  // Low hills end in pale scree, mountains in snow.
  let alpine = smoothstep(300.0, 900.0, ground.relief);
  let scree = Cover(mix(vec3f(0.34, 0.305, 0.26), vec3f(0.56, 0.53, 0.48), saturate(0.5 + 0.6 * mottle)), 0.9, 0.2);
  let snow = Cover(mix(vec3f(0.78, 0.82, 0.88), vec3f(0.9, 0.91, 0.93), saturate(0.5 + mottle)), 0.8, 0.05);

  line += height - 0.05 * hollow;
  let bare = length(gradient) + 0.11 * mottle - 0.12 * hollow + 0.05 * beds;
  var cover = blend_cover(grass, dry, smoothstep(0.30, 0.62, line));
  cover = blend_cover(cover, scree, smoothstep(0.70, 0.90, line) * (1.0 - alpine));
  cover = blend_cover(cover, rock, smoothstep(0.48, 0.78, bare));
  cover = blend_cover(cover, snow, smoothstep(0.52, 0.66, line) * (1.0 - smoothstep(0.85, 1.25, bare)) * alpine);

  // Fine relief: the noise's slopes tilt the normal, as far as its octaves are seen.
  let tilted = gradient + cover.bump * tilt;
  let normal = ground_normal(tilted, sight.front);
  let matter = Matter(cover.albedo * tone, cover.roughness, vec3f(0.0), 0.0, ground_occlusion(sight), ground_normal(gradient, sight.front), sight.lift);
  // All of it is matte.
  let irradiance = hemisphere(normal);
  return vec4f(with_fog(shade(matter, normal, sight.eye, surface.relative, irradiance, irradiance / PI), surface.relative), 1.0);
}
