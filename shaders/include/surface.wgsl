// What a vertex hands to the fragments of a solid thing.

struct Surface {
  @builtin(position) clip: vec4f,
  @location(0) relative: vec3f,  // from the camera, metres
  @location(1) normal: vec3f,    // world, not unit
  @location(2) color: vec4f,     // the vertex's own, linear
}
