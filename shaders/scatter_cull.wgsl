// Which instances of a scatter are drawn, listed in the order of their numbers so that a picture is the same twice
// (an atomic append would let equal depths fall either way). Three kernels over n instances, in one compute pass:
//   scatter_cull       one invocation an instance: its bit in `seen`, which is all zero before
//   scatter_cull_scan  one workgroup: for each word of `seen`, how many bits stand before it; their sum into `arguments`
//   scatter_cull_list  one invocation an instance: its number into `visible`, if it is seen
// The draw relies on visible[0 .. arguments[1]). CPU twin: spec/support/scatterJudge.ts.
#include "include/scatter.wgsl"

@group(0) @binding(0) var<uniform> scatter: Scatter;
@group(0) @binding(1) var<storage, read> instances: array<ScatterInstance>;
@group(0) @binding(2) var<storage, read_write> seen: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> before: array<u32>;
@group(0) @binding(4) var<storage, read_write> visible: array<u32>;
/// drawIndexedIndirect's: index count, instance count, first index, base vertex, first instance.
@group(0) @binding(5) var<storage, read_write> arguments: array<u32, 5>;

override WORKGROUP: u32 = 256;
override SCAN_WORKGROUP: u32 = 256;

/// Whether any of an instance may be in the picture: left out only if its sphere is wholly outside one side, or it has thinned out.
fn is_seen(instance: ScatterInstance) -> bool {
  let relative = scatter_relative(scatter, instance.place);
  let size = scatter_size(scatter, instance.place, relative);
  if (size <= 0.0) { return false; }
  let scale = instance.scale * size;
  let middle = relative + turned(instance.turn, scatter.center * scale);
  var nearest = 3.4e38;
  for (var side = 0u; side < 5u; side++) {
    nearest = min(nearest, dot(scatter.planes[side].xyz, middle) + scatter.planes[side].w);
  }
  return nearest >= -scatter.radius * scale;
}

@compute @workgroup_size(WORKGROUP) fn scatter_cull(@builtin(global_invocation_id) id: vec3u) {
  let index = id.x;
  if (index >= scatter.count) { return; }
  if (is_seen(instances[index])) { atomicOr(&seen[index / 32u], 1u << (index % 32u)); }
}

var<workgroup> sums: array<u32, SCAN_WORKGROUP>;

@compute @workgroup_size(SCAN_WORKGROUP) fn scatter_cull_scan(@builtin(local_invocation_index) lane: u32) {
  // Each lane has a strip of words.
  let words = (scatter.count + 31u) / 32u;
  let strip = (words + SCAN_WORKGROUP - 1u) / SCAN_WORKGROUP;
  let first = min(lane * strip, words);
  let end = min(first + strip, words);
  var sum = 0u;
  for (var word = first; word < end; word++) { sum += countOneBits(atomicLoad(&seen[word])); }
  sums[lane] = sum;
  workgroupBarrier();
  var at = 0u;
  for (var other = 0u; other < lane; other++) { at += sums[other]; }
  for (var word = first; word < end; word++) {
    before[word] = at;
    at += countOneBits(atomicLoad(&seen[word]));
  }
  if (lane == SCAN_WORKGROUP - 1u) { arguments[1] = at; }
}

@compute @workgroup_size(WORKGROUP) fn scatter_cull_list(@builtin(global_invocation_id) id: vec3u) {
  let index = id.x;
  if (index >= scatter.count) { return; }
  let word = atomicLoad(&seen[index / 32u]);
  let bit = 1u << (index % 32u);
  if ((word & bit) == 0u) { return; }
  visible[before[index / 32u] + countOneBits(word & (bit - 1u))] = index;
}
