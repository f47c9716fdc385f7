// terrain_mesh: one invocation builds one vertex of one node, straight into the pool.
//
// Dispatch: x covers the nodeVerts² vertices of a node in workgroups of WORKGROUP, y is the node in `nodes`.
// In: the field's texels, the stops and their table, the nodes. Out: 23 words a vertex at slot × nodeVerts² × 23.
// Leaves: every vertex of every node listed, so that terrain_index may name them. CPU twin: terrainVertex.ts.
//
// Two epilogues write the same bits. `terrain_mesh_direct` scatters 23 words a thread, right where barriers are dear
// (a CPU adapter). `terrain_mesh_staged` lays a workgroup's vertices side by side in workgroup memory and stores them
// coalesced, right on a GPU.
#include "include/terrain_vertex.wgsl"

@group(2) @binding(0) var<storage, read> nodes: array<TerrainNode>;
@group(2) @binding(1) var<storage, read_write> pool: array<f32>;

override WORKGROUP: u32 = 128u;
var<workgroup> staged: array<f32, WORKGROUP * VERTEX_WORDS>;

@compute @workgroup_size(WORKGROUP)
fn terrain_mesh_direct(@builtin(global_invocation_id) id: vec3u) {
  let count = cut.nodeVerts * cut.nodeVerts;
  if (id.x >= count) { return; }
  let node = nodes[id.y];
  let words = vertex_words(terrain_vertex(node, vec2u(id.x % cut.nodeVerts, id.x / cut.nodeVerts)));
  let first = ((node.slot & 0xffffu) * count + id.x) * VERTEX_WORDS;
  for (var w = 0u; w < VERTEX_WORDS; w++) { pool[first + w] = words[w]; }
}

@compute @workgroup_size(WORKGROUP)
fn terrain_mesh_staged(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let count = cut.nodeVerts * cut.nodeVerts;
  let first = group.x * WORKGROUP;
  let vertices = min(WORKGROUP, count - first);
  let node = nodes[group.y];
  if (thread < vertices) {
    let i = first + thread;
    let words = vertex_words(terrain_vertex(node, vec2u(i % cut.nodeVerts, i / cut.nodeVerts)));
    for (var w = 0u; w < VERTEX_WORDS; w++) { staged[thread * VERTEX_WORDS + w] = words[w]; }
  }
  workgroupBarrier();
  let target_word = ((node.slot & 0xffffu) * count + first) * VERTEX_WORDS;
  for (var w = thread; w < vertices * VERTEX_WORDS; w += WORKGROUP) { pool[target_word + w] = staged[w]; }
}
