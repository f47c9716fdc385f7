// A water as the views of triangles show it (include/view.wgsl): its lines, and between them what lies under it. Output: the
// picture's own colours, times alpha. Run by runtime/renderer/viewPass.ts.
#include "include/frame.wgsl"
#include "include/view.wgsl"

@vertex fn view_water_vertex(@builtin(vertex_index) number: u32) -> ViewSurface {
  let vertex = indices[number];
  let relative = (vertex_position(vertex) + mesh.offsetHigh) + mesh.offsetLow;
  return view_surface(number, relative, vertex_normal(vertex));
}

@fragment fn view_water_fragment(surface: ViewSurface) -> @location(0) vec4f {
  let drawn = view_body(surface);
  if (VIEW == OVERDRAW) { return drawn; }
  let alpha = mix(0.3, 0.9, wires(edges_at(surface.corner)));
  return vec4f(drawn.rgb * alpha, alpha);
}
