// A model, tessellated or not, as a view shows it (include/view.wgsl). One draw of `indexCount` vertices without an index buffer
// for entities that look alike. Output: the picture's own colours. Run by runtime/renderer/viewPass.ts.
#include "include/frame.wgsl"
#include "include/object.wgsl"
#include "include/view.wgsl"

@vertex fn view_model_vertex(@builtin(vertex_index) number: u32, @builtin(instance_index) index: u32) -> ViewSurface {
  let vertex = indices[number];
  let object = objects[index];
  return view_surface(number, object_relative(object, vertex_position(vertex)), object.normal * vertex_normal(vertex));
}

@fragment fn view_model_fragment(surface: ViewSurface) -> @location(0) vec4f {
  return view_body(surface);
}
