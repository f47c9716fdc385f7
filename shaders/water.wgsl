// Water over the finished scene: what it sends toward the eye, and in alpha what it takes of what lies behind. The bed is
// seen through by Beer's law along the refracted ray, the sky and the hills mirrored by Fresnel's, the sun glitters, the
// shore foams. Wet is what terrainHeightfield.waterAt calls wet: covered, and higher than the ground's own triangles.
// Input: group 1, the ground's texels (height, d/dx, d/dz, coverage) and the water's (surface, flow x, flow z, coverage),
// rows × columns, row-major, both over one rect. Lit by the sun and the sky. Run by runtime/renderer/waterPass.ts.
#include "include/frame.wgsl"
#include "include/shade.wgsl"
#include "include/noise.wgsl"
#include "include/water.wgsl"

@group(1) @binding(0) var<uniform> water: Water;
@group(1) @binding(1) var<storage, read> ground_texels: array<vec4f>;
@group(1) @binding(2) var<storage, read> surface_texels: array<vec4f>;

struct WaterPoint {
  @builtin(position) clip: vec4f,
  @location(0) relative: vec3f,  // from the camera, metres
}

@vertex fn water_vertex(@location(0) position: vec3f) -> WaterPoint {
  let relative = (position + water.offsetHigh) + water.offsetLow;
  return WaterPoint(frame.viewProjection * vec4f(relative, 1.0), relative);
}

/// The four texels around a place, and how far it is past the first, 0..1. Past the outermost centres the surface is flat.
struct Cell {
  at: vec4u,    // (0, 0), (1, 0), (0, 1), (1, 1)
  part: vec2f,
}

fn cell_of(meters: vec2f, count: vec2u) -> Cell {
  let last = vec2f(count) - 1.0;
  let inside = clamp(meters * (vec2f(count) / water.extent) - 0.5, vec2f(0.0), last);
  let low = min(floor(inside), max(last - 1.0, vec2f(0.0)));
  let first = vec2u(low);
  let next = min(first + 1u, count - 1u);
  return Cell(vec4u(first.x, next.x, first.x, next.x) + count.x * vec4u(first.yy, next.yy), inside - low);
}

/// As cellHeight in runtime/terrain/cell.ts: two flat triangles that meet on the diagonal from (0, 1) to (1, 0).
fn cell_height(h: vec4f, part: vec2f) -> f32 {
  return h.x + (h.y - h.x) * part.x + (h.z - h.x) * part.y + (h.x - h.y - h.z + h.w) * max(part.x + part.y - 1.0, 0.0);
}

/// The ground at a place, metres, by its own triangles.
fn ground_height(meters: vec2f) -> f32 {
  let cell = cell_of(meters, water.groundCount);
  let h = vec4f(ground_texels[cell.at.x].x, ground_texels[cell.at.y].x, ground_texels[cell.at.z].x, ground_texels[cell.at.w].x);
  return cell_height(h, cell.part);
}

/// The ground at a place, its height and gradient blended: what its reflection is shaded by.
fn ground_relief(meters: vec2f) -> vec3f {
  let cell = cell_of(meters, water.groundCount);
  let north = mix(ground_texels[cell.at.x].xyz, ground_texels[cell.at.y].xyz, cell.part.x);
  let south = mix(ground_texels[cell.at.z].xyz, ground_texels[cell.at.w].xyz, cell.part.x);
  return mix(north, south, cell.part.y);
}

/// The water at a place.
struct Body {
  surface: f32,   // metres
  flow: vec2f,    // metres a second
  coverage: f32,  // above 0 where there is water
  slope: vec2f,   // of the surface, metres a metre
}

fn read_body(meters: vec2f) -> Body {
  let cell = cell_of(meters, water.surfaceCount);
  let t00 = surface_texels[cell.at.x];
  let t10 = surface_texels[cell.at.y];
  let t01 = surface_texels[cell.at.z];
  let t11 = surface_texels[cell.at.w];
  let flow = mix(mix(t00.yz, t10.yz, cell.part.x), mix(t01.yz, t11.yz, cell.part.x), cell.part.y);
  // Central differences over a texel, blended: the triangles' own slopes would show as facets in what is mirrored.
  let texel = water.extent / vec2f(water.surfaceCount);
  let slope = vec2f(
    surface_near(meters + vec2f(texel.x, 0.0)) - surface_near(meters - vec2f(texel.x, 0.0)),
    surface_near(meters + vec2f(0.0, texel.y)) - surface_near(meters - vec2f(0.0, texel.y)),
  ) / (2.0 * texel);
  return Body(
    cell_height(vec4f(t00.x, t10.x, t01.x, t11.x), cell.part),
    flow,
    cell_height(vec4f(t00.w, t10.w, t01.w, t11.w), cell.part),
    slope,
  );
}

/// The surface, blended between its texels.
fn surface_near(meters: vec2f) -> f32 {
  let cell = cell_of(meters, water.surfaceCount);
  let north = mix(surface_texels[cell.at.x].x, surface_texels[cell.at.y].x, cell.part.x);
  let south = mix(surface_texels[cell.at.z].x, surface_texels[cell.at.w].x, cell.part.x);
  return mix(north, south, cell.part.y);
}

/// How far an octave of waves is seen: gone where a pixel (`wide`, metres) is too wide for its length.
fn seen(wide: f32, length: f32) -> f32 {
  return 1.0 - smoothstep(0.2, 0.5, wide / length);
}

/// The longest waves, metres; each octave is a little less than half as long, and turned against the one before.
const LONGEST = 10.7;
const SHORTER = 0.43;
const OCTAVES = 5;
const TURN = vec2f(0.8253, 0.5646);  // cosine and sine of 0.6
/// Slopes of an octave of each set, metres a metre.
const STEEPNESS = array<f32, 5>(0.026, 0.034, 0.038, 0.034, 0.028);

/// Slopes of the waves at `meters`, of both sets. Crests lie across the way a set runs; the two run unlike ways and are of
/// unlike lengths, so that together they neither slide nor repeat.
fn waves_at(meters: vec2f, wide: f32) -> vec2f {
  var slope = vec2f(0.0);
  var length = LONGEST;
  var way = vec2f(0.83, 0.56);
  for (var i = 0; i < OCTAVES; i++) {
    let strength = STEEPNESS[i] * seen(wide, length);
    if (strength <= 0.0) { break; }
    // Deep water's phase speed.
    let run = water.time * sqrt(1.56 * length);
    for (var side = 0; side < 2; side++) {
      let across = vec2f(-way.y, way.x);
      let scale = vec2f(1.0, 0.4) / length;
      let place = vec2f(dot(meters, way) - run, dot(meters, across)) * scale;
      let n = noise_slope(place + f32(i * 2 + side) * 17.3);
      slope += strength * (n.y * way + 0.4 * n.z * across);
      // The second set: nearly across, and shorter.
      way = vec2f(-0.454 * way.x - 0.891 * way.y, 0.891 * way.x - 0.454 * way.y);
      length *= 0.83;
    }
    length *= SHORTER / (0.83 * 0.83);
    way = vec2f(TURN.x * way.x - TURN.y * way.y, TURN.y * way.x + TURN.x * way.y);
  }
  return slope;
}

/// Mean square of the slopes that a pixel is too wide for: they roughen what is mirrored.
fn lost_waves(wide: f32) -> f32 {
  var lost = 0.0;
  var length = LONGEST;
  for (var i = 0; i < OCTAVES; i++) {
    let gone = 1.0 - seen(wide, length);
    lost += 1.6 * STEEPNESS[i] * STEEPNESS[i] * gone * gone;
    length *= SHORTER;
  }
  return lost;
}

/// Seconds for which a pattern is carried by the flow before it is let go.
const CARRIED = 3.0;

/// Where a pattern that the flow carries is read, and how much of it is seen.
struct Carried {
  meters: vec2f,
  weight: f32,    // 1 in still water only
}

/// Two patterns take turns: each is carried off, fades and is let go while the other is at its strongest. Still water has but one, at
/// full strength.
fn carried_by(meters: vec2f, flow: vec2f, pattern: u32) -> Carried {
  if (dot(flow, flow) < 1e-6) { return Carried(meters, 1.0); }
  // Unlike places let go at unlike times, or the whole river would pulse.
  let turn = water.time / CARRIED + noise_value(meters / 19.0) + 0.5 * f32(pattern);
  let phase = fract(turn);
  // Each time another part of the pattern: nothing comes again.
  let elsewhere = floor(turn) * vec2f(37.7, 61.3) + f32(pattern) * vec2f(101.1, 0.0);
  return Carried(meters - flow * (phase - 0.5) * CARRIED + elsewhere, 0.999 * (1.0 - abs(2.0 * phase - 1.0)));
}

/// The waves, carried by the flow.
fn carried_waves(meters: vec2f, flow: vec2f, wide: f32) -> vec2f {
  var slope = vec2f(0.0);
  var squares = 0.0;
  for (var i = 0u; i < 2u; i++) {
    let turn = carried_by(meters, flow, i);
    slope += turn.weight * waves_at(turn.meters, wide);
    squares += turn.weight * turn.weight;
    if (turn.weight >= 1.0) { break; }
  }
  // Fast water is rougher.
  return slope * inverseSqrt(max(squares, 1e-4)) * (1.0 + min(length(flow), 4.0) * 0.35);
}

/// What the sun (what arrives of it) and the sky bring to something level.
fn falling_light(sun: vec3f) -> vec3f {
  return sun * max(frame.sunDirection.y, 0.0) + hemisphere(vec3f(0.0, 1.0, 0.0));
}

/// The hills as the water mirrors them, and how much of the way they cover: radiance times that, and that in alpha.
/// From `start` (x, height, z; `depth` of water under it) along `ray`, front to back over steps that grow. The steps begin
/// where ground may come up through the ray and are the same for neighbouring rays: what they miss shows no grain.
const STEPS = 20;
const STEEPEST = 1.5;  // metres a metre: steeper ground may be missed beside the start
fn mirrored_hills(start: vec3f, ray: vec3f, depth: f32) -> vec4f {
  let level = max(length(ray.xz), 1e-3);
  let texel = water.extent / vec2f(water.groundCount);
  let nearest = max(0.7 * max(texel.x, texel.y), depth / STEEPEST);
  let growth = pow(max(max(water.extent.x, water.extent.y) / nearest, 1.1), 1.0 / f32(STEPS));
  let highest = water.low + water.relief;
  var hills = vec4f(0.0);
  var along = nearest;
  let camera = vec3f(water.fromCorner.x, water.cameraHeight, water.fromCorner.y);
  for (var i = 0; i < STEPS; i++) {
    let place = start + ray * (along / level);
    let outside = any(place.xz < vec2f(0.0)) || any(place.xz > water.extent);
    if (outside || place.y > highest || hills.a > 0.98) { break; }
    let relief = ground_relief(place.xz);
    // Against the angle under which it is seen, so that the outline is as soft near as far.
    let cover = smoothstep(-0.03, 0.03, (relief.x - place.y) / along) * (1.0 - hills.a);
    if (cover > 0.0) { hills += cover * vec4f(hill_radiance(relief, vec3f(place.x, relief.x, place.z) - camera), 1.0); }
    along *= growth;
  }
  return hills;
}

/// The ground's light from far away, at a place (metres from the camera): its covers by slope and height as in ground.wgsl, without
/// their detail, and in the shadows that fall on it.
fn hill_radiance(relief: vec3f, relative: vec3f) -> vec3f {
  let normal = normalize(vec3f(-relief.y, 1.0, -relief.z));
  let line = saturate((relief.x - water.low) / water.relief);
  let steep = length(relief.yz);
  let resting = 1.0 - smoothstep(water.hills.repose.x, water.hills.repose.y, steep);
  var albedo = mix(water.hills.grass, water.hills.soil, smoothstep(water.hills.soilLine.x, water.hills.soilLine.y, line));
  albedo = mix(albedo, water.hills.scree, smoothstep(water.hills.screeLine.x, water.hills.screeLine.y, line));
  albedo = mix(albedo, water.hills.sand, resting * (1.0 - smoothstep(water.hills.sandLine.x, water.hills.sandLine.y, line)));
  albedo = mix(albedo, water.hills.rock, smoothstep(water.hills.rockSlope.x, water.hills.rockSlope.y, steep));
  albedo = mix(albedo, water.hills.snow, resting * smoothstep(water.hills.snowLine.x, water.hills.snowLine.y, line));
  var sun = max(dot(normal, frame.sunDirection), 0.0);
  if (sun > 0.0) { sun *= sunlit(relative, normal); }
  return albedo / PI * (frame.sunColor * sun + hemisphere(normal));
}

/// A pattern of foam, about -0.5..0.5 around 0.
fn lace_at(meters: vec2f, wide: f32) -> f32 {
  let drift = vec2f(0.21, -0.16) * water.time;
  let coarse = noise_value((meters + drift) / 0.9) * seen(wide, 0.9);
  let fine = noise_value((meters - 1.7 * drift) / 0.27) * seen(wide, 0.27);
  return 0.36 * coarse + 0.28 * fine;
}

/// Foam, 0..1: lace along the shore that runs up it and back, and streaks in fast water.
fn foam_at(meters: vec2f, depth: f32, flow: vec2f, wide: f32) -> f32 {
  let rapids = smoothstep(1.4, 5.0, length(flow));
  // Nothing foams deeper than the farthest swash but fast water.
  if (water.foam <= 0.0 || (depth > 1.0 && rapids <= 0.0)) { return 0.0; }
  // Depths at which a swash stands now: its front comes in and goes, and a thin line follows behind it.
  let slow = noise_value(meters / 7.3 + 0.05 * water.time);
  let swash = 0.5 + 0.5 * sin(0.9 * water.time + 5.0 * slow);
  let reach = 0.16 + 0.2 * swash + 0.12 * slow;
  let shore = 1.0 - smoothstep(0.0, reach, depth);
  let behind = 1.0 - smoothstep(0.0, 0.05, abs(depth - 1.55 * reach));
  // Along a shore there is more of it here and less there.
  let here = smoothstep(-0.7, 0.5, noise_value(meters / 31.0));
  let amount = min(max(max(shore, 0.55 * behind) * (0.3 + 0.7 * here), 0.9 * rapids) * water.foam, 1.0);
  if (amount <= 0.0) { return 0.0; }

  var lace = 0.0;
  var squares = 0.0;
  for (var i = 0u; i < 2u; i++) {
    let turn = carried_by(meters, flow, i);
    lace += turn.weight * lace_at(turn.meters, wide);
    squares += turn.weight * turn.weight;
    if (turn.weight >= 1.0) { break; }
  }
  lace = 0.5 + lace * inverseSqrt(max(squares, 1e-4));
  return smoothstep(1.0 - amount, 1.25 - 0.6 * amount, lace) * amount * 0.85;
}

/// Metres through water past which it is all the same what lies there.
const SEEN = 40.0;

@fragment fn water_fragment(point: WaterPoint, @builtin(front_facing) facing: bool) -> @location(0) vec4f {
  let meters = point.relative.xz + water.fromCorner;
  let body = read_body(meters);
  let depth = body.surface - ground_height(meters);
  // A pixel's footprint in metres, and what the depth changes across it.
  let dx = dpdx(meters);
  let dy = dpdy(meters);
  let longer = max(length(dx), length(dy));
  let shorter = min(length(dx), length(dy));
  let wide = max(shorter, longer * 0.8);
  let across = fwidth(depth);
  if (!(depth > 0.0 && body.coverage > 0.0)) { return vec4f(0.0); }

  let eye = toward_eye(point.relative);
  let above = facing || (water.submerged == 0u && eye.y > -0.1);
  let slopes = water.waves * carried_waves(meters, body.flow, wide);
  // In the shallows waves die.
  let calm = smoothstep(0.0, 0.6, depth);
  let tilted = body.slope + slopes * mix(0.25, 1.0, calm);
  let normal = normalize(vec3f(-tilted.x, 1.0, -tilted.y));
  var sun = frame.sunColor;
  if (frame.sunDirection.y > 0.0) { sun *= sunlit(point.relative, vec3f(0.0, 1.0, 0.0)); }
  let light = falling_light(sun);
  // No hard line where the water ends: at its bank, where its coverage ends, and in pixels that its depth changes much over.
  let edge = smoothstep(0.0, 0.1 + min(across, 0.6), depth) * smoothstep(0.0, 0.4, body.coverage);

  if (!above) {
    // From below: the sky through Snell's window, and around it the bed, mirrored whole and dim.
    let out = saturate(dot(-normal, eye));
    let window = smoothstep(0.6, 0.74, out);
    let down = reflect(-eye, -normal);
    let reach = min(depth / max(-down.y, 0.05), SEEN);
    let faded = exp(-water.extinction * reach);
    let at = meters + down.xz * reach;
    let bed = hill_radiance(ground_relief(at), point.relative + down * reach) * exp(-water.extinction * depth);
    let dark = mix(water.color * light / PI * 0.6, 0.7 * bed, faded);
    return vec4f(dark * (1.0 - window), 1.0 - 0.8 * window) * edge;
  }

  // The way through the water: along the refracted ray down to where the ground is there, tilted by the waves.
  let sine = sqrt(max(1.0 - eye.y * eye.y, 0.0)) / 1.333;
  let cosine = sqrt(1.0 - sine * sine);
  let ahead = -normalize(eye.xz + vec2f(1e-6, 0.0)) * (sine / cosine) - 0.25 * slopes;
  let bed = body.surface - ground_height(meters + ahead * min(depth, SEEN));
  let way = max(bed, 0.35 * depth) / cosine;
  let through = exp(-water.extinction * way);
  let deep = water.color * light / PI * (1.0 - through);
  // One alpha must do for three channels: what it takes too much of one or too little of another is made good as sand would have it.
  // Deeper than a hand it is silted over: sand takes half of what was there.
  let passed = dot(through, vec3f(0.3, 0.5, 0.2)) * (1.0 - 0.55 * smoothstep(0.1, 1.2, depth));
  let sand = vec3f(0.2, 0.165, 0.105) * light / PI * exp(-water.extinction * depth);
  let inner = deep + sand * (through - passed);

  // Fresnel's law, averaged over the waves that a pixel is too wide for (Bruneton and others, "Real-time Realistic Ocean
  // Lighting", 2010), which also spread the sun.
  let lost = water.waves * water.waves * lost_waves(wide);
  let spread = sqrt(lost);
  let facing_eye = saturate(dot(normal, eye));
  let mirror = 0.02 + 0.98 * pow(1.0 - facing_eye, 5.0 * exp(-2.69 * spread)) / (1.0 + 22.7 * pow(spread, 1.5));
  var ray = reflect(-eye, normal);
  ray = normalize(vec3f(ray.x, abs(ray.y) + 0.6 * spread + 0.002, ray.z));
  let hills = mirrored_hills(vec3f(meters.x, body.surface, meters.y), ray, depth);
  let mirrored = hills.rgb + sky_radiance(ray) * (1.0 - hills.a);
  let matter = Matter(vec3f(0.0), pow(0.0016 + 2.0 * lost, 0.25), vec3f(0.0), 0.0, 1.0, normal, 0.0);
  let glint = min(direct(matter, normal, eye, frame.sunDirection, sun), vec3f(12.0)) * (1.0 - hills.a);

  let foam = foam_at(meters, depth, body.flow, wide) * smoothstep(0.0, 0.03, depth);
  let sent = mix(inner * (1.0 - mirror) + mirrored * mirror + glint, 0.62 * light / PI, foam);
  let kept = passed * (1.0 - mirror) * (1.0 - foam);
  // The air takes its part of what the water sends, and adds its own where the water hides what already has it.
  let air = with_fog(vec3f(0.0), point.relative);
  return vec4f(with_fog(sent, point.relative) - air * kept, 1.0 - kept) * edge;
}
