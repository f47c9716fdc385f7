// Gradient noise on the plane from whole-number hashes: no texture, and so nothing that tiles.

/// Mixes a lattice point into 32 bits: one linear step, then half of Wellons's lowbias32 ("Prospecting for Hash Functions", 2018).
fn hash_bits(point: vec2i) -> u32 {
  let p = bitcast<vec2u>(point);
  var v = (p.x * 0x9e3779b1u) ^ (p.y * 0x85ebca77u);
  v = (v ^ (v >> 16u)) * 0x7feb352du;
  return v ^ (v >> 15u);
}

/// A number in 0..1 for each lattice point.
fn hash_point(point: vec2i) -> f32 {
  return f32(hash_bits(point) >> 8u) / 16777216.0;
}

/// A slope for each lattice point, parts in -1..1.
fn hash_slope(point: vec2i) -> vec2f {
  return unpack2x16snorm(hash_bits(point));
}

/// Perlin's gradient noise, one octave: x in about -1..1, yz its slope (Quilez, "Gradient noise derivatives", 2017).
fn gradient_noise(place: vec2f) -> vec3f {
  let cell = floor(place);
  let f = place - cell;
  let i = vec2i(cell);
  let ga = hash_slope(i);
  let gb = hash_slope(i + vec2i(1, 0));
  let gc = hash_slope(i + vec2i(0, 1));
  let gd = hash_slope(i + vec2i(1, 1));
  let a = dot(ga, f);
  let b = dot(gb, f - vec2f(1.0, 0.0));
  let c = dot(gc, f - vec2f(0.0, 1.0));
  let d = dot(gd, f - vec2f(1.0, 1.0));
  let u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  let du = 30.0 * f * f * (f * (f - 2.0) + 1.0);
  let k = a - b - c + d;
  let value = a + u.x * (b - a) + u.y * (c - a) + u.x * u.y * k;
  let slope = ga + u.x * (gb - ga) + u.y * (gc - ga) + u.x * u.y * (ga - gb - gc + gd)
    + du * (vec2f(b - a, c - a) + k * u.yx);
  return vec3f(value, slope) * 1.6;
}
