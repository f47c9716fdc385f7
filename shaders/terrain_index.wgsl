// terrain_index: one invocation writes the two triangles of one quad of one node into the index run.
//
// Dispatch: x covers the (nodeVerts - 1)² quads of a node in workgroups of WORKGROUP, y is the node in `nodes`.
// In: the stops, their table, the holes. Out: 6 indices a quad, a fixed stride a node, at the node's place in the run.
// A quad whose ground is cut out is written degenerate (six copies of one index): the stride never moves.
// The split is the surface's own: from the (0, 1) corner to the (1, 0) corner, counter-clockwise from above.
//
//   00 ---- 10   +X ->      Holes are decided in integers: the quad's centre, halfway between its corners' unmorphed,
//    |  / |      +Z down    unstitched stops, falls in one cell, and that cell's texel of `holes` decides.
//   01 ---- 11              CPU twin: quadCell in runtime/terrain/terrainVertex.ts.
#include "include/terrain_cut.wgsl"

@group(0) @binding(0) var<uniform> cut: TerrainCut;
@group(1) @binding(1) var<storage, read> stops: array<Stop>;
@group(1) @binding(2) var<storage, read> stopOf: array<u32>;
@group(1) @binding(3) var<storage, read> holes: array<u32>;  // one byte a texel of the field, row-major: 0 cuts
@group(2) @binding(0) var<storage, read> nodes: array<TerrainNode>;
@group(2) @binding(2) var<storage, read_write> run: array<u32>;

override WORKGROUP: u32 = 64u;

/// The texel column (or row) of the cell that the middle between two stops falls in.
fn middle_cell(a: Stop, b: Stop, count: u32) -> u32 {
  let k = (a.place + b.place + 1024u) >> 11u;
  return min(max(k, 1u) - 1u, count - 1u);
}

fn has_ground(node: TerrainNode, quad: vec2u) -> bool {
  let shift = vec2u(cut.maxLevel - node_level(node));
  let near = (vec2u(node.ix, node.iz) * (cut.nodeVerts - 1u) + quad) << shift;
  let far = near + (vec2u(1u) << shift);
  let column = middle_cell(stops[stopOf[near.x]], stops[stopOf[far.x]], cut.texels.x);
  let row = middle_cell(
    stops[cut.stopCount + stopOf[cut.indexCount + near.y]],
    stops[cut.stopCount + stopOf[cut.indexCount + far.y]],
    cut.texels.y,
  );
  let texel = row * cut.texels.x + column;
  return ((holes[texel >> 2u] >> ((texel & 3u) * 8u)) & 0xffu) != 0u;
}

@compute @workgroup_size(WORKGROUP)
fn terrain_index(@builtin(global_invocation_id) id: vec3u) {
  let side = cut.nodeVerts - 1u;
  if (id.x >= side * side) { return; }
  let node = nodes[id.y];
  let quad = vec2u(id.x % side, id.x / side);
  let first = ((node.slot >> 16u) * side * side + id.x) * 6u;
  let v00 = (node.slot & 0xffffu) * cut.nodeVerts * cut.nodeVerts + quad.y * cut.nodeVerts + quad.x;
  let v01 = v00 + cut.nodeVerts;
  var corners = array<u32, 6>(v00, v01, v00 + 1u, v00 + 1u, v01, v01 + 1u);
  if (cut.masked != 0u && !has_ground(node, quad)) { corners = array<u32, 6>(v00, v00, v00, v00, v00, v00); }
  for (var c = 0u; c < 6u; c++) { run[first + c] = corners[c]; }
}
