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
  fogAbove: f32,        // metres of the camera's air that stand over it, as fog before the sky; 0: none before it
  sunDirection: vec3f,  // unit, toward the sun
  lightCount: u32,      // of `lights`
  sunColor: vec3f,      // linear irradiance on a surface that faces the sun
  discColor: vec3f,     // linear radiance of the sun's disc
  sunFlat: f32,         // length of sunDirection's level part
  sunLevel: vec2f,      // that part's direction, unit: x and z
  air: vec3f,           // extinction at the camera's height of red, green and blue, 1/metre
  fogFall: f32,         // 1/metre: how fast it falls with height; 0: not at all
  fogColor: vec3f,      // multiplies the horizon's light where the air adds it
  groundRadiance: vec3f, // linear radiance of the ground around
  ambient: array<vec3f, 6>, // irradiance by a unit normal: terms 1, y, s, y y, y s, s s; s is its part along sunLevel
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
