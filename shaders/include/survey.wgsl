// What a survey of a pixel says (shaders/survey_ground.wgsl, survey_model.wgsl, survey_scatter.wgsl): how the surface stands
// there, without fine relief, and how far away it is. Needs include/frame.wgsl.

/// The unit normal, world directions, and the depth along the camera's view axis in metres. Where nothing stands all is 0.
fn survey(normal: vec3f, relative: vec3f) -> vec4f {
  return vec4f(normal, dot(relative, frame.forward));
}
