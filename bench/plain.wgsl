// What bench/scatter.ts holds a scatter's draw against: the same triangles at the same places, one instanced draw of a
// list made on the CPU, a plain colour.

@group(0) @binding(0) var<uniform> viewProjection: mat4x4f; // world to clip

@vertex fn plain_vertex(@location(0) position: vec3f, @location(8) place: vec4f) -> @builtin(position) vec4f {
  return viewProjection * vec4f(position * place.w + place.xyz, 1.0);
}

@fragment fn plain_fragment() -> @location(0) vec4f {
  return vec4f(0.2, 0.3, 0.1, 1.0);
}
