// A survey of meshes that no ground is: the vertices' own normals. Output: see include/survey.wgsl. Run by
// runtime/renderer/surveyPass.ts.
#include "include/frame.wgsl"
#include "include/object.wgsl"
#include "include/survey.wgsl"

@vertex fn survey_model_vertex(
  @builtin(instance_index) object: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
) -> Surface {
  return place_vertex(objects[object], position, normal, vec4f(1.0));
}

@fragment fn survey_model_fragment(surface: Surface) -> @location(0) vec4f {
  return survey(normalize(surface.normal), surface.relative);
}
