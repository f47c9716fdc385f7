// One of the sun's shadow maps: a square of light space, and how places get onto it. Filled by runtime/renderer/cascades.ts.

struct Cascade {
  // dot(row, vec4f(place from the camera in metres, 1)): -1..1 across the map, -1..1 up it, and 0 (toward the sun)..1 in depth.
  x: vec4f,
  y: vec4f,
  z: vec4f,
  texel: f32,  // the longer side of a texel, metres
  bias: f32,   // depth by which rounding may set a surface before itself
  band: f32,   // part of the way from the middle to the border, from which the next map takes over; past 1: nowhere
}

/// A place on a map and its depth.
fn on_cascade(cascade: Cascade, relative: vec3f) -> vec3f {
  let place = vec4f(relative, 1.0);
  return vec3f(dot(cascade.x, place), dot(cascade.y, place), dot(cascade.z, place));
}
