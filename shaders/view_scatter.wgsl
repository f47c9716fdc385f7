// A scatter's mesh, once for each instance that scatter_cull listed, as a view shows it (include/view.wgsl). One draw without an
// index buffer. Output: the picture's own colours. Run by runtime/renderer/viewPass.ts.
#include "include/frame.wgsl"
#include "include/scatter_draw.wgsl"
#include "include/view.wgsl"

@vertex fn view_scatter_vertex(@builtin(vertex_index) number: u32, @builtin(instance_index) entry: u32) -> ViewSurface {
  let vertex = indices[number];
  let placed = place_instance(instances[visible[entry]], vertex_position(vertex), vertex_normal(vertex), vec4f(1.0));
  return view_surface(number, placed.relative, placed.normal);
}

@fragment fn view_scatter_fragment(surface: ViewSurface) -> @location(0) vec4f {
  return view_body(surface);
}
