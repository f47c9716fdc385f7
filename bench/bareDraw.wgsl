// What bench/alpine.ts holds a frame of the first scene against: triangles in the engine's vertex layout, one light, nothing else.

@group(0) @binding(0) var<uniform> viewProjection: mat4x4f; // world to clip

struct Bare {
  @builtin(position) clip: vec4f,
  @location(0) normal: vec3f,
}

@vertex fn bare_vertex(@location(0) position: vec3f, @location(1) normal: vec3f) -> Bare {
  return Bare(viewProjection * vec4f(position, 1.0), normal);
}

@fragment fn bare_fragment(in: Bare) -> @location(0) vec4f {
  return vec4f(vec3f(0.2 + 0.7 * max(dot(normalize(in.normal), normalize(vec3f(0.4, 0.7, 0.3))), 0.0)), 1.0);
}
