// terrain_mesh: one invocation builds one vertex of one node, straight into the pool.
//
// Dispatch: x covers the nodeVerts² vertices of a node, y is the node in `nodes`. Direct: WORKGROUP vertices a workgroup.
// Staged: WORKGROUP - 1, for a workgroup also builds the next one's first vertex. Out: 23 words a vertex (position 3,
// normal 3, tangent 4, uv0 2, uv1 2, color 4, joint weights 4, joints 1) at (slot × nodeVerts² + vertex) × 23.
// Leaves: every vertex of every node listed, so that terrain_index may name them. CPU twin: terrainVertex.ts.
//
// Two epilogues write the same bits. `terrain_mesh_direct` scatters 23 words a thread, right where barriers are dear (a
// CPU adapter). `terrain_mesh_staged` lays what differs of a workgroup's vertices into workgroup memory and stores whole
// vectors, coalesced, right on a GPU: little workgroup memory keeps many workgroups in flight, which is what hides the
// texels' latency.
#include "include/terrain_vertex.wgsl"

@group(2) @binding(0) var<storage, read> nodes: array<TerrainNode>;
@group(2) @binding(1) var<storage, read_write> pool: array<f32>;
// The same buffer in fours. Only one of the two is used by an entry point.
@group(2) @binding(1) var<storage, read_write> pool_vectors: array<vec4f>;

override WORKGROUP: u32 = 64u;

fn vertex_at(node: TerrainNode, vertex: u32) -> array<f32, OWN_WORDS> {
  return own_words(terrain_vertex(node, vec2u(vertex % cut.nodeVerts, vertex / cut.nodeVerts)));
}

@compute @workgroup_size(WORKGROUP)
fn terrain_mesh_direct(@builtin(global_invocation_id) id: vec3u) {
  let count = cut.nodeVerts * cut.nodeVerts;
  if (id.x >= count) { return; }
  let node = nodes[id.y];
  let own = vertex_at(node, id.x);
  let words = array<f32, VERTEX_WORDS>(
    own[0], own[1], own[2], own[3], own[4], own[5], own[6], own[7], 0.0, 1.0,
    own[8], own[9], own[0], own[2], 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  );
  let first = ((node.slot & 0xffffu) * count + id.x) * VERTEX_WORDS;
  for (var w = 0u; w < VERTEX_WORDS; w++) { pool[first + w] = words[w]; }
}

/// Own words a vertex, one lane more than there are: an odd stride falls on all banks.
const LANES = OWN_WORDS + 1u;
var<workgroup> staged: array<f32, WORKGROUP * LANES>;

/// Word `at` of the workgroup's vertices: an own word, or 0 or 1. Which, in a nibble a word: 0..9 own, 10 and 11 the constants.
fn staged_word(at: u32) -> f32 {
  let vertex = at / VERTEX_WORDS;
  let word = at - vertex * VERTEX_WORDS;
  var lanes = 0x76543210u;                         // position, normal, tangent x y
  if (word >= 8u) { lanes = 0xbb2098bau; }         // tangent z w, uv0, uv1, color
  if (word >= 16u) { lanes = 0x0aaaaabbu; }        // color, weights, joints
  let lane = (lanes >> ((word & 7u) * 4u)) & 15u;
  if (lane >= OWN_WORDS) { return f32(lane - OWN_WORDS); }
  return staged[vertex * LANES + lane];
}

@compute @workgroup_size(WORKGROUP)
fn terrain_mesh_staged(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let count = cut.nodeVerts * cut.nodeVerts;
  let step = WORKGROUP - 1u;
  let first = group.x * step;
  let vertices = min(WORKGROUP, count - first);
  let node = nodes[group.y];
  if (thread < vertices) {
    let own = vertex_at(node, first + thread);
    for (var w = 0u; w < OWN_WORDS; w++) { staged[thread * LANES + w] = own[w]; }
  }
  workgroupBarrier();

  // Words begin..end are this workgroup's. It stores each vector whose first word is among them; the last may reach
  // into the vertex after, which is why that one is built here too.
  //
  //   words      ..|begin . . . . . . . . . . . end|..
  //   vectors     |....|####|####|####|####|####|####|      # this workgroup's
  let begin = ((node.slot & 0xffffu) * count + first) * VERTEX_WORDS;
  let ends = first + WORKGROUP >= count;
  let end = begin + select(step, vertices, ends) * VERTEX_WORDS;
  let first_vector = (begin + 3u) >> 2u;
  let end_vector = select((end + 3u) >> 2u, end >> 2u, ends);
  for (var v = first_vector + thread; v < end_vector; v += WORKGROUP) {
    let at = v * 4u - begin;
    pool_vectors[v] = vec4f(staged_word(at), staged_word(at + 1u), staged_word(at + 2u), staged_word(at + 3u));
  }
  // A node's first and last vector may hold words of its neighbours in the pool: there its own go in one by one.
  if (group.x == 0u && thread < first_vector * 4u - begin) {
    let w = begin + thread;
    pool_vectors[w >> 2u][w & 3u] = staged_word(thread);
  }
  if (ends && thread < (end & 3u)) {
    let w = (end & ~3u) + thread;
    pool_vectors[w >> 2u][w & 3u] = staged_word(w - begin);
  }
}
