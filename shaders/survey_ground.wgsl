// A survey of ground, with layers and without: the normal is the heightfield's own (hf:normalAt), or the mesh's where a pixel
// spans texels. Output: see include/survey.wgsl. Run by runtime/renderer/surveyPass.ts.
#include "include/frame.wgsl"
#include "include/object.wgsl"
#include "include/shade.wgsl"
#include "include/ground_sight.wgsl"
#include "include/survey.wgsl"

@vertex fn survey_ground_vertex(
  @builtin(instance_index) object: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
) -> Surface {
  return place_vertex(objects[object], position, normal, vec4f(1.0));
}

@fragment fn survey_ground_fragment(surface: Surface, @builtin(front_facing) facing: bool) -> @location(0) vec4f {
  let sight = see_ground(surface, facing);
  // From below it is the same surface, seen from its other side.
  let normal = ground_normal(sight.gradient, true) * select(-1.0, 1.0, sight.front);
  return survey(normal, surface.relative);
}
