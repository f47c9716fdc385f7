// The sky behind everything: one triangle at depth 0, the farthest there is under reversed Z, drawn after the solid
// things and only where nothing stands. Output: linear radiance, alpha 1. Run by runtime/renderer/skyPass.ts.
#include "include/frame.wgsl"
#include "include/air.wgsl"

struct SkyPoint {
  @builtin(position) clip: vec4f,
  @location(0) ndc: vec2f,  // -1..1, y up
}

@vertex fn sky_vertex(@builtin(vertex_index) index: u32) -> SkyPoint {
  let clip = full_screen(index, 0.0);
  return SkyPoint(clip, clip.xy);
}

@fragment fn sky_fragment(point: SkyPoint) -> @location(0) vec4f {
  let direction = normalize(frame.forward + frame.rayX * point.ndc.x + frame.rayY * point.ndc.y);
  // The disc is a little larger than the real one and softer: a hard edge of this brightness would crawl.
  let disc = smoothstep(0.99985, 0.99997, dot(direction, frame.sunDirection)) * smoothstep(-0.001, 0.001, direction.y);
  let left = exp(-frame.air * (frame.fogAbove / max(direction.y, 1e-5)));
  return vec4f(sky_radiance(direction) + frame.discColor * left * disc, 1.0);
}
