// Ground with no layers: grass, soil, scree, rock, sand and snow by slope, height and how the ground bends, shaded pixel by pixel with
// the heightfield's own gradients, so that a coarse far node shades as finely as a near one. Each kind has textures (see
// runtime/renderer/groundTextures.ts), laid on from above where it is level and from the sides where it is steep, at a size that
// goes with how much of the ground a pixel spans: as finely structured from a mountain's foot as from a kilometre off. Input: group
// 1, the field's texels (height, d/dx, d/dz, coverage; rows × columns, row-major), the look and the textures. Output: linear
// radiance, alpha 1. Run by runtime/renderer/forwardPass.ts.
#include "include/frame.wgsl"
#include "include/object.wgsl"
#include "include/shade.wgsl"
#include "include/noise.wgsl"
#include "include/ground_sight.wgsl"
#include "include/ground_look.wgsl"

@group(1) @binding(2) var<uniform> look: GroundLook;
@group(1) @binding(3) var colors: texture_2d_array<f32>;    // colour, halved, as a part of its cover's; the height 0..1 in alpha
@group(1) @binding(4) var matters: texture_2d_array<f32>;   // the slopes along u and v (0..1 for -1..1), roughness, occlusion
@group(1) @binding(5) var repeated: sampler;

/// Whether a pixel reads three octaves of the textures along its own footprint. A CPU adapter pays for each reading: there it
/// reads one, two where they meet. It is also spared what changes slowly, which is found at vertices there, and what matte
/// ground mirrors.
override FULL = true;

/// What a vertex of ground hands on, beside the place and the normal: where not FULL, radiance of the horizon behind it, and region and
/// patches of broad_noise.
struct GroundSurface {
  @builtin(position) clip: vec4f,
  @location(0) relative: vec3f,
  @location(1) normal: vec3f,
  @location(2) fog: vec3f,
  @location(3) broad: vec2f,
}

@vertex fn ground_vertex(
  @builtin(instance_index) object: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
) -> GroundSurface {
  let placed = place_vertex(objects[object], position, normal, vec4f(1.0));
  var out = GroundSurface(placed.clip, placed.relative, placed.normal, vec3f(0.0), vec2f(0.0));
  if (!FULL) {
    out.fog = fog_toward(placed.relative);
    out.broad = broad_noise(placed.relative.xz + ground.fromCorner);
  }
  return out;
}

/// Metres over which patches and whole regions change.
fn broad_periods() -> vec2f {
  return max(vec2f(0.14, 0.033) * ground.extent, vec2f(40.0, 17.0));
}

/// Noise as broad as regions and as patches.
fn broad_noise(meters: vec2f) -> vec2f {
  let periods = broad_periods();
  return vec2f(
    noise_value(turned(meters, vec2f(0.8, 0.6)) / periods.x),
    noise_value(turned(meters, vec2f(0.28, 0.96)) / periods.y));
}

/// How much of each kind lies at a place.
struct Mix {
  low: vec3f,    // grass, soil, scree
  high: vec3f,   // rock, sand, snow
}

/// Lays one kind (a unit vector in one of the halves) over what is there.
fn lay_over(below: Mix, low: vec3f, high: vec3f, part: f32) -> Mix {
  return Mix(mix(below.low, low, part), mix(below.high, high, part));
}

/// The two kinds that a place has most of, and how much of each.
struct Pair {
  kinds: vec2u,
  parts: vec2f,
}

fn ranked(pair: Pair, kind: u32, part: f32) -> Pair {
  let most = part > pair.parts.x;
  let more = part > pair.parts.y;
  return Pair(
    vec2u(select(pair.kinds.x, kind, most), select(select(pair.kinds.y, kind, more), pair.kinds.x, most)),
    vec2f(max(pair.parts.x, part), max(pair.parts.y, min(pair.parts.x, part))));
}

/// The others are taken off both, so that each comes and goes by itself.
fn pair_of(lies: Mix) -> Pair {
  var pair = ranked(Pair(vec2u(0u), vec2f(lies.low.x, 0.0)), 1u, lies.low.y);
  pair = ranked(pair, 2u, lies.low.z);
  pair = ranked(pair, 3u, lies.high.x);
  pair = ranked(pair, 4u, lies.high.y);
  pair = ranked(pair, 5u, lies.high.z);
  let others = 1.0 - pair.parts.x - pair.parts.y;
  return Pair(pair.kinds, max(pair.parts - others, vec2f(1e-4, 0.0)));
}

/// A pixel on the ground, metres.
struct Footprint {
  relative: vec3f,   // from the camera
  fixed: vec3f,      // from the rect's corner and the declared low: for noise, which never repeats
  dx: vec3f,         // change along the picture's rows and columns
  dy: vec3f,
  wide: f32,         // between its shorter and its longer side
}

/// Which octaves a pixel reads: `count` from `first` on, with these weights.
struct Reading {
  first: u32,
  count: u32,
  weights: vec3f,
  gain: f32,         // what brings the mean of so many back to the contrast of one
}

/// The finest octave whose squares a pixel still resolves, and the next; the weights run over from one to the other as the pixel
/// widens.
fn reading_of(wide: f32) -> Reading {
  let at = clamp(log2(wide * look.perMetre * 20.0) / look.growth, 0.0, f32(OCTAVES) - select(1.0, 2.0, FULL));
  let first = min(floor(at), f32(OCTAVES) - select(2.0, 3.0, FULL));
  let past = at - first;
  if (FULL) {
    // The finest is gone a while before the next is, and the coarsest comes a while after: two are read as often as three.
    let over = min(past, 1.0);
    let weights = vec3f(1.0 - smoothstep(0.0, 0.75, over), 0.8 + 0.2 * over, 0.8 * smoothstep(0.35, 1.0, over));
    if (over >= 0.75) { return Reading(u32(first) + 1u, 2u, vec3f(weights.yz, 0.0), 1.45); }
    return Reading(u32(first), select(2u, 3u, over > 0.35), weights, 1.45);
  }
  let over = smoothstep(0.7, 1.0, past);
  return Reading(u32(first), select(1u, 2u, over > 0.0), vec3f(1.0 - over, over, 0.0), 1.0);
}

/// Which sides the ground is laid on from, at most two (0, 1, 2: along X, Y, Z), and how far from each.
struct Sides {
  axes: vec2u,
  parts: vec2f,
  count: u32,
}

/// From above alone up to a slope of 37 degrees, from 53 on from the sides alone; the axis that it faces least has no part.
fn sides_of(surface: vec3f) -> Sides {
  let facing = abs(surface);
  let least = min(facing.x, min(facing.y, facing.z));
  let most = max(facing.x, max(facing.y, facing.z));
  let past = max(facing - max(least, min(0.6, most - 0.05)), vec3f(0.0)) + vec3f(0.0, 1e-5, 0.0);
  let squared = past * past;
  let parts = squared / (squared.x + squared.y + squared.z);
  // Above or not is one of the two, unless it faces up least.
  let along = select(2u, 0u, parts.x > parts.z);
  let other = select(1u, 2u - along, parts.y <= 1e-6);
  let part = parts[along];
  return Sides(vec2u(other, along), vec2f(1.0 - part, part), select(1u, 2u, part > 1e-4));
}

fn read_map(map: texture_2d_array<f32>, slice: u32, uv: vec2f, grain: vec4f) -> vec4f {
  if (FULL) { return textureSampleGrad(map, repeated, uv, slice, grain.xy, grain.zw); }
  return textureSampleLevel(map, repeated, uv, slice, grain.x);
}

/// What the textures say at a place.
struct Detail {
  color: vec4f,   // halved, as a part of its cover's, and the height, 0..1
  tilt: vec3f,    // added to the surface's unit normal
  rough: vec2f,   // roughness and occlusion
}

/// One slice of the textures, laid on along one axis, in one octave.
fn read_detail(octave: u32, slice: u32, axis: u32, surface: vec3f, print: Footprint) -> Detail {
  // u and v of each side: Z and Y along X, X and Z from above, X and Y along Z.
  let alongX = axis == 0u;
  let level = axis == 1u;
  let place = vec2f(select(print.relative.x, print.relative.z, alongX), select(print.relative.y, print.relative.z, level));
  let spot = vec2f(select(print.fixed.x, print.fixed.z, alongX), select(print.fixed.y, print.fixed.z, level));
  let turn = look.octaves[octave * 3u + axis].way;
  // The squares are pushed about by a noise some of them wide, so that no two are alike and none stands in line with the next.
  let pushed = noise_value(turned(spot, turn) * 0.23);
  let uv = turned(place, turn) + look.octaves[octave * 3u + axis].corner + pushed * vec2f(0.75, 0.5);
  let scale = length(turn);
  var grain = vec4f(0.0);
  if (FULL) {
    let dx = vec2f(select(print.dx.x, print.dx.z, alongX), select(print.dx.y, print.dx.z, level));
    let dy = vec2f(select(print.dy.x, print.dy.z, alongX), select(print.dy.y, print.dy.z, level));
    grain = vec4f(turned(dx, turn), turned(dy, turn));
  } else {
    grain.x = log2(print.wide * scale * look.side);
  }
  let matter = read_map(matters, slice, uv, grain);
  // As steep as the map says over the side that it is laid on.
  let facing = abs(select(select(surface.z, surface.x, alongX), surface.y, level));
  let slope = (matter.xy * (255.0 / 127.0) - 128.0 / 127.0) * (facing / scale);
  let along = vec2f(turn.x * slope.x + turn.y * slope.y, turn.x * slope.y - turn.y * slope.x);
  let tilt = -vec3f(select(along.x, 0.0, alongX), select(along.y, 0.0, level), select(select(0.0, along.y, level), along.x, alongX));
  return Detail(read_map(colors, slice, uv, grain), tilt, matter.zw);
}

/// What sets a kind apart, but for its colours.
struct Traits {
  roughness: f32,
  contrast: f32,
  relief: f32,
  variety: f32,
  near: u32,
  afar: u32,
}

fn traits_of(kind: u32) -> Traits {
  return Traits(
    look.covers[kind].roughness, look.covers[kind].contrast, look.covers[kind].relief, look.covers[kind].variety,
    look.covers[kind].near, look.covers[kind].afar);
}

/// A kind's colour where `tones` (spots, region, hollow, beds) move it.
fn color_of(kind: u32, tones: vec4f) -> vec3f {
  return mix(look.covers[kind].dark, look.covers[kind].light, saturate(0.47 + dot(look.covers[kind].tones, tones)));
}

/// Radiance of ground in the sun and the light from all around: all of it is matte.
fn lit_ground(matter: Matter, normal: vec3f, eye: vec3f, relative: vec3f) -> vec3f {
  let irradiance = hemisphere(normal);
  if (FULL || LOCAL_LIGHTS) { return shade(matter, normal, eye, relative, irradiance, irradiance / PI); }
  // What it mirrors is taken as scattered too.
  let facing = max(dot(normal, frame.sunDirection), 0.0) * smoothstep(-0.05, 0.1, dot(matter.surface, frame.sunDirection));
  var sun = frame.sunColor * facing;
  if (facing > 0.0) { sun *= sunlit(relative + vec3f(0.0, matter.lift, 0.0), matter.surface); }
  return mix(matter.albedo, vec3f(1.0), 0.04) / PI * (irradiance * matter.occlusion + sun);
}

@fragment fn ground_fragment(placed: GroundSurface, @builtin(front_facing) facing: bool) -> @location(0) vec4f {
  let surface = Surface(placed.clip, placed.relative, placed.normal, vec4f(1.0));
  let sight = see_ground(surface, facing);
  let dx = dpdx(surface.relative);
  let dy = dpdy(surface.relative);
  let longer = max(length(dx), length(dy));
  let fixed = vec3f(sight.meters.x, surface.relative.y + ground.cameraHeight, sight.meters.y);
  let print = Footprint(surface.relative, fixed, dx, dy, max(min(length(dx), length(dy)), select(0.75, 0.5, FULL) * longer));
  let meters = sight.meters;
  let wide = sight.wide;
  let gradient = sight.gradient;
  let hollow = sight.hollow;
  let level = clamp(sight.above / ground.relief, 0.0, 1.0);

  // Whole slopes and patches; then the beds of rock, which come out at one height along a slope, a little warped.
  var broad = placed.broad;
  if (FULL) { broad = broad_noise(meters); }
  let region = broad.x * seen(wide, broad_periods().x);
  let patches = broad.y * seen(wide, broad_periods().y);
  let bed = 0.035 * ground.relief;
  let beds = noise_value(vec2f(sight.above / bed + 1.2 * patches, region)) * seen(wide, bed);
  // Clumps and tufts, as far as a pixel is fine enough for them: they break the borders of what lies beside each other.
  var spots = 0.55 * patches;
  var periods = vec2f(6.1, 1.7);
  var amounts = vec2f(0.4, 0.3);
  loop {
    spots += amounts.x * noise_value(turned(meters, vec2f(0.96, 0.28)) / periods.x) * seen(wide, periods.x);
    periods = vec2f(periods.y, 0.0);
    amounts.x = amounts.y;
    continuing {
      break if wide >= 0.55 * periods.x;
    }
  }

  let line = level + 0.11 * region + 0.06 * patches + 0.02 * spots - 0.05 * hollow;
  let bare = length(gradient) + 0.15 * spots - 0.12 * hollow + 0.05 * beds;
  let resting = 1.0 - smoothstep(look.repose.x, look.repose.y, bare);
  let outcrop = smoothstep(look.rock.x, look.rock.y, bare);
  var lies = Mix(vec3f(1.0, 0.0, 0.0), vec3f(0.0));
  lies = lay_over(lies, vec3f(0.0, 1.0, 0.0), vec3f(0.0), smoothstep(look.soil.x, look.soil.y, line));
  lies = lay_over(lies, vec3f(0.0, 0.0, 1.0), vec3f(0.0), smoothstep(look.scree.x, look.scree.y, line));
  lies = lay_over(lies, vec3f(0.0), vec3f(0.0, 1.0, 0.0), resting * (1.0 - smoothstep(look.sand.x, look.sand.y, line)));
  // What falls from rock lies at its foot.
  let foot = 0.8 * smoothstep(look.rock.x - 0.2, look.rock.x, bare) * smoothstep(0.15, 0.75, hollow + 0.25 * spots);
  lies = lay_over(lies, vec3f(0.0, 0.0, 1.0), vec3f(0.0), foot);
  lies = lay_over(lies, vec3f(0.0), vec3f(1.0, 0.0, 0.0), outcrop);
  lies = lay_over(lies, vec3f(0.0), vec3f(0.0, 0.0, 1.0), resting * smoothstep(look.snow.x, look.snow.y, line));

  let bareNormal = ground_normal(gradient, true);
  let sides = sides_of(bareNormal);
  let reading = reading_of(print.wide);
  let pair = pair_of(lies);

  let tones = vec4f(spots, region, hollow, beds);
  // Colours run over into each other all the way; the textures change within the middle of it, so that most places read one kind's.
  let soft = pair.parts.y / (pair.parts.x + pair.parts.y);
  let crossing = smoothstep(0.3, 0.5, soft);
  let kinds = select(1u, 2u, crossing > 0.0);

  // Loops over kinds, and over sides and octaves, whose ends are tested at their ends: a CPU adapter runs through whatever is skipped. All that
  // is read is weighed by how much of it there is and by how far it stands out.
  var color = vec3f(0.0);
  var height = 0.0;
  var tilt = vec3f(0.0);
  var rough = vec2f(0.0);
  var sum = 0.0;
  var contrast = 0.0;
  var left = kinds;
  loop {
    let cover = select(pair.kinds.y, pair.kinds.x, left == kinds);
    let traits = traits_of(cover);
    let kind = select(0.5 * crossing, 1.0 - 0.5 * crossing, left == kinds);
    var found = vec4f(0.0);
    var leaning = vec3f(0.0);
    var matter = vec2f(0.0);
    var weighed = 0.0;
    var side = 0u;
    var octave = 0u;
    loop {
      let number = reading.first + octave;
      let detail = read_detail(
        number, select(traits.afar, traits.near, number == 0u), select(sides.axes.x, sides.axes.y, side == 1u), bareNormal, print);
      let weight = select(select(reading.weights.z, reading.weights.y, octave == 1u), reading.weights.x, octave == 0u);
      let part = kind * weight * select(sides.parts.x, sides.parts.y, side == 1u) * exp2(traits.contrast * (detail.color.w - 0.5));
      found += part * detail.color;
      leaning += part * detail.tilt;
      matter += part * detail.rough;
      weighed += part;
      octave++;
      if (octave == reading.count) {
        octave = 0u;
        side++;
      }
      continuing {
        break if side == sides.count;
      }
    }
    color += traits.variety * (2.0 * found.rgb - weighed);
    tilt += traits.relief * leaning;
    rough += vec2f(traits.roughness, 1.0) * matter;
    height += found.w;
    contrast = select(contrast, traits.contrast, left == kinds);
    sum += weighed;
    left--;
    continuing {
      break if left == 0u;
    }
  }
  let scale = 1.0 / sum;
  // What stands out of a kind keeps its colour where the other begins to cover it.
  let standing = exp2(contrast * (height * scale - 0.5) * (1.0 - crossing));
  let own = color_of(pair.kinds.x, tones);
  let other = color_of(pair.kinds.y, tones);
  let albedo = mix(own, other, soft / (soft + (1.0 - soft) * standing)) * max(vec3f(1.0) + color * (scale * reading.gain), vec3f(0.1));
  let normal = select(vec3f(0.0, -1.0, 0.0), normalize(bareNormal + tilt * (scale * reading.gain)), sight.front);
  let matter = Matter(
    albedo, clamp(rough.x * scale, 0.3, 1.0), vec3f(0.0), 0.0, rough.y * scale * ground_occlusion(sight),
    ground_normal(gradient, sight.front), sight.lift);
  let radiance = lit_ground(matter, normal, sight.eye, surface.relative);
  var fog = placed.fog;
  if (FULL) { fog = fog_toward(surface.relative); }
  return vec4f(melted(fog, radiance, surface.relative), 1.0);
}
