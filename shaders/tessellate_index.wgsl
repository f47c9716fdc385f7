// tessellate_index: one invocation writes four indices of the micro-triangles of patches.
//
// Dispatch: x covers a quarter of all indices, rounded up, WORKGROUP a workgroup. Out: three indices a micro-triangle, which name
// the points of its patch's lattice, patch after patch, counter-clockwise as the patch is; the buffer holds a multiple of four, and
// what is past the last is 0. CPU twin: microTriangle in runtime/tessellation/displace.ts.
#include "include/tessellate_params.wgsl"

@group(1) @binding(0) var<storage, read_write> indices: array<vec4u>;

override WORKGROUP: u32 = 64u;

/// Row r of a patch's micro-triangles has 2 r + 1, every other one upside down:
///
///        above                 above - above + 1
///        /   \                     \    /
///   below - below + 1             below + 1
fn index_at(word: u32) -> u32 {
  if (word >= tessellation.indexCount) { return 0u; }
  let triangle = word / 3u;
  let corner = word - triangle * 3u;
  let owner = triangle / tessellation.micro;
  let t = triangle - owner * tessellation.micro;
  var row = u32(sqrt(f32(t)));
  row -= select(0u, 1u, row * row > t);
  row += select(0u, 1u, (row + 1u) * (row + 1u) <= t);
  let place = t - row * row;
  let above = row * (row + 1u) / 2u + (place >> 1u);
  let below = above + row + 1u;
  let upright = (place & 1u) == 0u;
  var point = above;
  if (corner == 1u) { point = select(below + 1u, below, upright); }
  if (corner == 2u) { point = select(above + 1u, below + 1u, upright); }
  return owner * tessellation.lattice + point;
}

@compute @workgroup_size(WORKGROUP)
fn tessellate_index(@builtin(global_invocation_id) id: vec3u) {
  let first = id.x * 4u;
  if (first >= tessellation.indexCount) { return; }
  indices[id.x] = vec4u(index_at(first), index_at(first + 1u), index_at(first + 2u), index_at(first + 3u));
}
