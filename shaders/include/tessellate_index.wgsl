// The indices of a tessellated mesh: three a micro-triangle, which name the points of its patch's lattice, patch after patch,
// counter-clockwise as the patch is. Needs tessellate_params.wgsl. CPU twin: microTriangle in runtime/tessellation/displace.ts.

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

/// Four indices from number 4 · `vector` on; what is past the last is 0.
fn four_indices(vector: u32) -> vec4u {
  let first = vector * 4u;
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
  return select(four, vec4u(0u), past);
}
