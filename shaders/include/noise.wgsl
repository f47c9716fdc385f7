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

/// Perlin's noise takes a slope for each lattice point, parts in -1.6..1.6, so that its values fill about -1..1.
const SLOPE = 1.6 / 2147483648.0;

/// The slopes at the four corners of a lattice cell, low x low z, high low, low high, high high: X parts and Z parts.
struct Corners {
  x: vec4f,
  z: vec4f,
}

/// As hash_bits at each corner, with the linear step shared. Its halves, as signed fractions, are the slopes.
fn corner_slopes(cell: vec2i) -> Corners {
  let p = bitcast<vec2u>(cell) * vec2u(0x9e3779b1u, 0x85ebca77u);
  let q = p + vec2u(0x9e3779b1u, 0x85ebca77u);
  var v = vec4u(p.x, q.x, p.x, q.x) ^ vec4u(p.y, p.y, q.y, q.y);
  v = (v ^ (v >> vec4u(16u))) * 0x7feb352du;
  v ^= v >> vec4u(15u);
  return Corners(vec4f(bitcast<vec4i>(v << vec4u(16u))) * SLOPE, vec4f(bitcast<vec4i>(v)) * SLOPE);
}

/// Gradient noise, one octave, in about -1..1.
fn noise_value(place: vec2f) -> f32 {
  let cell = floor(place);
  let f = place - cell;
  let g = corner_slopes(vec2i(cell));
  let v = g.x * vec4f(f.x, f.x - 1.0, f.x, f.x - 1.0) + g.z * vec4f(f.y, f.y, f.y - 1.0, f.y - 1.0);
  let u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  let along = v.xz + (v.yw - v.xz) * u.x;
  return along.x + (along.y - along.x) * u.y;
}

/// The same, x, with its slope, yz (Quilez, "Gradient noise derivatives", 2017).
fn noise_slope(place: vec2f) -> vec3f {
  let cell = floor(place);
  let f = place - cell;
  let g = corner_slopes(vec2i(cell));
  let v = g.x * vec4f(f.x, f.x - 1.0, f.x, f.x - 1.0) + g.z * vec4f(f.y, f.y, f.y - 1.0, f.y - 1.0);
  let f2 = f * f;
  let u = f2 * f * (f * (f * 6.0 - 15.0) + 10.0);
  let du = 30.0 * f2 * (f * (f - 2.0) + 1.0);
  let across = v.yw - v.xz;
  let along = v.xz + across * u.x;
  let gx = g.x.xz + (g.x.yw - g.x.xz) * u.x;
  let gz = g.z.xz + (g.z.yw - g.z.xz) * u.x;
  let rise = along.y - along.x;
  return vec3f(
    along.x + rise * u.y,
    gx.x + (gx.y - gx.x) * u.y + du.x * (across.x + (across.y - across.x) * u.y),
    gz.x + (gz.y - gz.x) * u.y + du.y * rise,
  );
}
