// A survey of a scatter's instances, those that scatter_cull listed. Output: see include/survey.wgsl. Run by
// runtime/renderer/surveyPass.ts.
#include "include/frame.wgsl"
#include "include/scatter_draw.wgsl"
#include "include/survey.wgsl"

@vertex fn survey_scatter_vertex(
  @builtin(instance_index) entry: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
) -> Surface {
  return place_instance(instances[visible[entry]], position, normal, vec4f(1.0));
}

@fragment fn survey_scatter_fragment(surface: Surface) -> @location(0) vec4f {
  return survey(normalize(surface.normal), surface.relative);
}
