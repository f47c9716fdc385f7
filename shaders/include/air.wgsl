// The sky by direction, and the air between the eye and a place. The sky is a table of what molecules and haze send toward the
// eye, by the way round from the sun and by height, made by runtime/sky; their phase functions are multiplied in here, so
// that the sun's glow is as fine as a pixel. Far places melt into the table's lowest row, which is where the sky begins.
// Needs include/frame.wgsl.

@group(0) @binding(3) var sky_table: texture_2d<f32>;      // molecules' part, and under it haze's; TABLE_WIDTH × 2 TABLE_HEIGHT
@group(0) @binding(4) var horizon_table: texture_2d<f32>;  // the lowest row by the same, phases and all; HORIZON_WIDTH × 1
@group(0) @binding(5) var sky_sampler: sampler;            // linear, clamped

/// As in runtime/sky/sky.ts.
const HORIZON_WIDTH = 256.0;
const TABLE_WIDTH = 32.0;
const TABLE_HEIGHT = 64.0;
/// As in runtime/sky/atmosphere.ts: how much haze sends on the way it came.
const HAZE_FORWARD = 0.66;
const HAZE_PART = 0.1193662 * (1.0 - HAZE_FORWARD * HAZE_FORWARD) / (2.0 + HAZE_FORWARD * HAZE_FORWARD);

/// Radiance of the air. `round` is the cosine of the way round from the sun, `root` the root of the direction's sine, 0 at the
/// horizon, and `toward` the cosine to the sun.
fn air_light(round: f32, root: f32, toward: f32) -> vec3f {
  let u = (0.5 + 0.5 * round) * ((TABLE_WIDTH - 1.0) / TABLE_WIDTH) + 0.5 / TABLE_WIDTH;
  let v = (root * (TABLE_HEIGHT - 1.0) + 0.5) / (2.0 * TABLE_HEIGHT);
  let molecules = textureSampleLevel(sky_table, sky_sampler, vec2f(u, v), 0.0).rgb;
  let haze = textureSampleLevel(sky_table, sky_sampler, vec2f(u, v + 0.5), 0.0).rgb;
  // As rayleighPhase and hazePhase in runtime/sky/atmosphere.ts.
  let square = 1.0 + toward * toward;
  let spread = inverseSqrt(1.0 + HAZE_FORWARD * HAZE_FORWARD - 2.0 * HAZE_FORWARD * toward);
  return molecules * (0.0596831 * square) + haze * (HAZE_PART * square * spread * spread * spread);
}

/// The way of a direction over level ground, unit; straight up and down there is none, and any will do.
fn level_way(direction: vec3f) -> vec2f {
  let length2 = dot(direction.xz, direction.xz);
  return select(vec2f(1.0, 0.0), direction.xz * inverseSqrt(max(length2, 1e-20)), length2 > 1e-12);
}

/// The cosine of a unit direction's way round from the sun. All ways round meet straight down: from 30 degrees below level on the
/// sun's side and the other become one, or a beam would stand on the place below the eye.
fn way_round(direction: vec3f) -> f32 {
  let down = min(direction.y, 0.0);
  return dot(level_way(direction), frame.sunLevel) * smoothstep(0.0, 0.75, 1.0 - down * down);
}

/// Radiance of the sky where it begins, in a direction's way round.
fn horizon_radiance(direction: vec3f) -> vec3f {
  let round = way_round(normalize(direction));
  let u = (0.5 + 0.5 * round) * ((HORIZON_WIDTH - 1.0) / HORIZON_WIDTH) + 0.5 / HORIZON_WIDTH;
  return textureSampleLevel(horizon_table, sky_sampler, vec2f(u, 0.5), 0.0).rgb;
}

/// Radiance of the sky without the sun's disc. `direction` is unit. Below the horizon it stays the horizon's, darkening downward.
fn sky_radiance(direction: vec3f) -> vec3f {
  let up = max(direction.y, 0.0);
  let round = way_round(direction);
  let toward = up * frame.sunDirection.y + sqrt(1.0 - up * up) * round * frame.sunFlat;
  let light = air_light(round, sqrt(up), toward) * mix(1.0, 0.75, smoothstep(0.05, 0.8, -direction.y));
  if (frame.fogAbove <= 0.0) { return light; }
  // Fog stands before the sky: all of it at the horizon, least straight up.
  let left = exp(-frame.air * (frame.fogAbove / max(up, 1e-5)));
  return mix(horizon_radiance(direction) * frame.fogColor, light, left);
}

/// The most that the scene's half floats hold. What is brighter (the sun in a mirror) would be endless there, and black in the picture.
const BRIGHTEST = vec3f(65504.0);

/// What the air adds and takes between the camera and a place `relative` to it (metres): it melts into the horizon's colour. At most
/// BRIGHTEST.
fn with_fog(radiance: vec3f, relative: vec3f) -> vec3f {
  return melted(fog_toward(relative), radiance, relative);
}

/// The same where fog_toward is known.
fn melted(fog: vec3f, radiance: vec3f, relative: vec3f) -> vec3f {
  return min(mix(fog, radiance, left_by_air(relative)), BRIGHTEST);
}

/// Radiance of what places melt into.
fn fog_toward(relative: vec3f) -> vec3f {
  return horizon_radiance(mix(frame.forward, relative, frame.perspective)) * frame.fogColor;
}

/// The part of the light from a place that the air lets through.
fn left_by_air(relative: vec3f) -> vec3f {
  var distance = max(mix(dot(relative, frame.forward), length(relative), frame.perspective), 0.0);
  if (frame.fogFall > 0.0) {
    // The mean density along the way against that at the camera, for fog that thins out with height. Parallel rays start above or below it.
    let climb = mix(frame.forward.y * distance, relative.y, frame.perspective);
    let fallen = clamp(climb * frame.fogFall, -60.0, 60.0);
    distance *= select((1.0 - exp(-fallen)) / fallen, 1.0 - 0.5 * fallen, abs(fallen) < 1e-3);
    distance *= exp(clamp((climb - relative.y) * frame.fogFall, -60.0, 60.0));
  }
  return exp(-frame.air * distance);
}
