// What every pass of a frame reads: group 0. All places are relative to the camera, in metres and world directions, so
// that a world 100 km from its origin is drawn from small numbers. Filled by runtime/renderer/frame.ts.

#include "cascade.wgsl"

const MAX_LIGHTS = 16u;
const MAX_CASCADES = 4u;

/// A point or spot light.
struct LocalLight {
  position: vec3f,      // from the camera, metres
  range: f32,           // where it has faded to nothing, metres
  color: vec3f,         // linear radiance on a white wall at 1 m, times pi
  cosOuter: f32,        // cosine of the cone's half angle; -2 for a point light
  direction: vec3f,     // unit, the way it shines
  cosInner: f32,        // cosine from which the cone is fully lit
}

struct Frame {
  viewProjection: mat4x4f, // camera-relative world to clip, reversed Z
  forward: vec3f,       // unit, where the camera looks
  perspective: f32,     // 1, or 0 for parallel rays
  rayX: vec3f,          // added to forward at the right edge of the picture; 0 for parallel rays
  exposure: f32,        // multiplies radiance before tone mapping
  rayY: vec3f,          // added to forward at the upper edge
  fogDensity: f32,      // extinction, 1/metre
  sunDirection: vec3f,  // unit, toward the sun
  lightCount: u32,      // of `lights`
  sunColor: vec3f,      // linear irradiance on a surface that faces the sun
  zenith: vec3f,        // linear radiance of the sky straight up
  horizon: vec3f,       // linear radiance of the sky at the horizon
  skyAmbient: vec3f,    // linear irradiance from the upper hemisphere
  groundAmbient: vec3f, // linear irradiance from the lower hemisphere
  background: vec3f,    // sRGB 0..1, the flat background
  cascadeCount: u32,    // of `cascades`; 0 where the sun casts no shadows
  cascades: array<Cascade, MAX_CASCADES>,  // from near to far
  lights: array<LocalLight, MAX_LIGHTS>,
}

@group(0) @binding(0) var<uniform> frame: Frame;

/// A triangle over the whole picture from vertex numbers 0..2, at depth z.
fn full_screen(index: u32, z: f32) -> vec4f {
  return vec4f(f32((index << 1u) & 2u) * 2.0 - 1.0, f32(index & 2u) * 2.0 - 1.0, z, 1.0);
}

/// Radiance of the sky without the sun's disc. `direction` is unit. Below the horizon it stays the horizon's haze, darkening downward.
fn sky_radiance(direction: vec3f) -> vec3f {
  let up = clamp(direction.y, 0.0, 1.0);
  // Powers are products here and below: on a CPU adapter `pow` is most of a pixel's cost.
  let down2 = (1.0 - up) * (1.0 - up);
  let gradient = mix(frame.horizon, frame.zenith, 1.0 - down2 * down2);
  let below = mix(1.0, 0.75, smoothstep(0.0, 0.8, -direction.y));
  // Strongest near the horizon, where the haze is.
  return gradient * below + frame.sunColor * (sun_glow(direction) * (1.0 - 0.6 * up));
}

/// Light of the sun scattered forward by haze: a wide lobe (power 6) and a narrow one (48) around it.
fn sun_glow(direction: vec3f) -> f32 {
  let toSun = max(dot(direction, frame.sunDirection), 0.0);
  let wide2 = toSun * toSun;
  let wide = wide2 * wide2 * wide2;
  let narrow2 = wide * wide;
  let narrow4 = narrow2 * narrow2;
  return 0.035 * wide + 0.09 * narrow4 * narrow4;
}

/// What the air adds and takes between the camera and a place `relative` to it (metres): it melts into the horizon's colour.
fn with_fog(radiance: vec3f, relative: vec3f) -> vec3f {
  let distance = mix(dot(relative, frame.forward), length(relative), frame.perspective);
  let way = mix(frame.forward, relative, frame.perspective);
  // The horizon in this direction; straight down there is none, and any will do.
  let level = normalize(vec3f(way.x, 0.0, way.z + 1e-6));
  let air = 1.0 - exp(-frame.fogDensity * max(distance, 0.0));
  return mix(radiance, frame.horizon + frame.sunColor * sun_glow(level), air);
}
