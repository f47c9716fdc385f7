// fill: the least that writes a buffer, what the terrain kernel's time is held against. `fill_words` stores one word an
// invocation, `fill_vectors` four; each writes the buffer once. Dispatch: x and y cover it in rows of 65,535 workgroups.
@group(0) @binding(0) var<storage, read_write> words: array<f32>;
@group(0) @binding(1) var<storage, read_write> vectors: array<vec4f>;

const WORKGROUP = 256u;
const ROW = 65535u * WORKGROUP;

@compute @workgroup_size(WORKGROUP)
fn fill_words(@builtin(global_invocation_id) id: vec3u) {
  let at = id.y * ROW + id.x;
  if (at < arrayLength(&words)) { words[at] = f32(at); }
}

@compute @workgroup_size(WORKGROUP)
fn fill_vectors(@builtin(global_invocation_id) id: vec3u) {
  let at = id.y * ROW + id.x;
  if (at < arrayLength(&vectors)) { vectors[at] = vec4f(f32(at)); }
}
