// Value noise on the plane from whole-number hashes: the same on every adapter, and no texture to tile.

/// Mixes a lattice point into 0..1 (a 2D form of the PCG hash; Jarzynski and Olano, "Hash Functions for GPU Rendering", 2020).
fn hash_point(point: vec2i) -> f32 {
  var v = bitcast<vec2u>(point) * 1664525u + 1013904223u;
  v.x += v.y * 1664525u;
  v.y += v.x * 1664525u;
  v = v ^ (v >> vec2u(16u));
  v.x += v.y * 1664525u;
  v.y += v.x * 1664525u;
  v = v ^ (v >> vec2u(16u));
  return f32(v.x >> 8u) / 16777216.0;
}

/// Smooth noise of one octave around 0: x in -1..1, y and z its slope along the plane's axes (a unit of noise a unit of place).
fn value_noise(place: vec2f) -> vec3f {
  let cell = floor(place);
  let f = place - cell;
  let i = vec2i(cell);
  let a = hash_point(i);
  let b = hash_point(i + vec2i(1, 0));
  let c = hash_point(i + vec2i(0, 1));
  let d = hash_point(i + vec2i(1, 1));
  let u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  let du = 30.0 * f * f * (f * (f - 2.0) + 1.0);
  let k = a - b - c + d;
  let value = a + (b - a) * u.x + (c - a) * u.y + k * u.x * u.y;
  return vec3f(value * 2.0 - 1.0, 2.0 * du * vec2f(b - a + k * u.y, c - a + k * u.x));
}
