// A scatter's instances as its kernel culls them and its draw places them. Filled by runtime/scatter/scatterBuffers.ts
// (instances) and runtime/renderer/scatterPass.ts (the rest).

struct ScatterInstance {
  place: vec3f,   // the mesh's origin, metres from the scatter's own
  scale: f32,     // above 0
  turn: vec4f,    // unit quaternion x, y, z, w
}

struct Scatter {
  offsetHigh: vec3f,    // the scatter's origin minus the camera's place, metres, rounded to f32 ...
  count: u32,           // instances
  offsetLow: vec3f,     // ... and what the rounding left
  fadeStart: f32,       // metres from the camera at which instances begin to thin out; huge for parallel rays
  center: vec3f,        // the mesh's bounding sphere, in the mesh's space
  radius: f32,
  fadeEnd: f32,         // metres at which none is left
  // Sides of what is seen and its near plane: xyz unit, inward; dot(xyz, place from the camera) + w is 0 on one.
  planes: array<vec4f, 5>,
}

/// `v` turned by a unit quaternion.
fn turned(turn: vec4f, v: vec3f) -> vec3f {
  let twice = 2.0 * cross(turn.xyz, v);
  return v + turn.w * twice + cross(turn.xyz, twice);
}

/// An instance's origin from the camera, metres. The high part of the offset cancels against a far scatter's own coordinates first, exactly.
fn scatter_relative(scatter: Scatter, place: vec3f) -> vec3f {
  return (place + scatter.offsetHigh) + scatter.offsetLow;
}

/// A number in 0..1 that stays an instance's own: from the bits of its place, mixed by Wellons's lowbias32 ("Prospecting for Hash Functions", 2018).
fn scatter_number(place: vec3f) -> f32 {
  let bits = bitcast<vec3u>(place);
  var v = bits.x ^ (bits.z * 0x9e3779b1u);
  v = (v ^ (v >> 16u)) * 0x21f0aaadu;
  v = (v ^ (v >> 15u)) * 0xd35a2d97u;
  return f32((v ^ (v >> 15u)) >> 8u) / 16777216.0;
}

/// How much of its size an instance keeps, 0..1: each has a distance of its own, evenly spread from fadeStart to fadeEnd, and shrinks to nothing over the last tenth of the way there.
fn scatter_size(scatter: Scatter, place: vec3f, relative: vec3f) -> f32 {
  let limit = mix(scatter.fadeEnd, scatter.fadeStart, scatter_number(place));
  return saturate((limit - length(relative)) / (0.1 * limit));
}
