// tessellate: one invocation builds one vertex of the lattice of one patch, and writes a share of the indices meanwhile: by
// themselves they take a fifth longer.
//
// Dispatch: x covers all vertices, patch after patch, WORKGROUP a workgroup. In: a source mesh (groups 1), heights and what
// neighbours ask (group 2). Out: 23 words a vertex (position 3, normal 3, tangent 4, uv0 2, uv1 2, color 4, joint weights 4,
// joints 1) at (patch × lattice + point) × 23; three indices a micro-triangle. Leaves: every vertex that the indices name. The
// buffers hold multiples of four, what is past the last is zero. CPU twin: runtime/tessellation/displace.ts.
//
// Two epilogues write the same bits. `tessellate_direct` scatters 23 words a thread, right where barriers are dear (a CPU
// adapter). `tessellate_staged` lays a workgroup's vertices into workgroup memory and stores whole vectors, coalesced: 64 vertices
// are 368 vectors, so that every workgroup begins at one.
#include "include/tessellate.wgsl"
#include "include/tessellate_index.wgsl"

@group(3) @binding(0) var<storage, read_write> vertices: array<u32>;
// The same buffer in fours. Only one of the two is used by an entry point.
@group(3) @binding(0) var<storage, read_write> vertex_vectors: array<vec4u>;

@group(3) @binding(1) var<storage, read_write> indices: array<vec4u>;

override WORKGROUP: u32 = 64u;

/// An invocation's share of the indices: every so many vectors, as there are invocations.
fn write_indices(invocation: u32, workgroups: u32) {
  let end = (tessellation.indexCount + 3u) / 4u;
  for (var v = invocation; v < end; v += workgroups * WORKGROUP) { indices[v] = four_indices(v); }
}

@compute @workgroup_size(WORKGROUP)
fn tessellate_direct(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  write_indices(id.x, workgroups.x);
  if (id.x >= tessellation.vertexCount) { return; }
  let point = id.x / tessellation.lattice;
  let words = tessellated_vertex(point, id.x - point * tessellation.lattice);
  for (var w = 0u; w < VERTEX_WORDS; w++) { vertices[id.x * VERTEX_WORDS + w] = words[w]; }
}

var<workgroup> staged: array<u32, WORKGROUP * VERTEX_WORDS>;

@compute @workgroup_size(WORKGROUP)
fn tessellate_staged(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  write_indices(id.x, workgroups.x);
  if (id.x < tessellation.vertexCount) {
    let point = id.x / tessellation.lattice;
    let words = tessellated_vertex(point, id.x - point * tessellation.lattice);
    for (var w = 0u; w < VERTEX_WORDS; w++) { staged[thread * VERTEX_WORDS + w] = words[w]; }
  }
  workgroupBarrier();
  let first = group.x * (WORKGROUP * VERTEX_WORDS / 4u);
  let end = min(first + WORKGROUP * VERTEX_WORDS / 4u, (tessellation.vertexCount + 3u) / 4u * VERTEX_WORDS);
  for (var v = first + thread; v < end; v += WORKGROUP) {
    let at = (v - first) * 4u;
    vertex_vectors[v] = vec4u(staged[at], staged[at + 1u], staged[at + 2u], staged[at + 3u]);
  }
}
