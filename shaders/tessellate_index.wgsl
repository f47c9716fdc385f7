// tessellate_index: one invocation writes twice four indices of the micro-triangles of patches, a workgroup apart.
//
// Dispatch: x covers an eighth of all indices, rounded up, WORKGROUP a workgroup. Out: three indices a micro-triangle, which name
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
fn points_of(owner: u32, row: u32, place: u32) -> vec3u {
  let above = owner * tessellation.lattice + row * (row + 1u) / 2u + (place >> 1u);
  let below = above + row + 1u;
  return select(vec3u(above, below + 1u, above + 1u), vec3u(above, below, below + 1u), (place & 1u) == 0u);
}

@compute @workgroup_size(WORKGROUP)
fn tessellate_index(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u) {
  write_four(group.x * 2u * WORKGROUP + thread);
  write_four((group.x * 2u + 1u) * WORKGROUP + thread);
}

fn write_four(vector: u32) {
  let first = vector * 4u;
  if (first >= tessellation.indexCount) { return; }
  let triangle = first / 3u;
  let owner = triangle >> (2u * tessellation.level);
  let t = triangle & (tessellation.micro - 1u);
  var row = u32(sqrt(f32(t)));
  // The root may be rounded across a whole number.
  row -= select(0u, 1u, row * row > t);
  row += select(0u, 1u, (row + 1u) * (row + 1u) <= t);
  let place = t - row * row;
  let a = points_of(owner, row, place);
  // Four indices never reach past the triangle after it: in the row, in the next row, or of the next patch.
  let ends = place == 2u * row;
  let last = t == tessellation.micro - 1u;
  let b = points_of(select(owner, owner + 1u, last), select(select(row, row + 1u, ends), 0u, last), select(place + 1u, 0u, ends));
  let corner = first - triangle * 3u;
  var four = vec4u(a, b.x);
  if (corner == 1u) { four = vec4u(a.yz, b.xy); }
  if (corner == 2u) { four = vec4u(a.z, b); }
  let past = vec4u(first, first + 1u, first + 2u, first + 3u) >= vec4u(tessellation.indexCount);
  indices[vector] = select(four, vec4u(0u), past);
}
