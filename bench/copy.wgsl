// copy: the least that brings an erosion's state on by a step, what terrain.erode's time is held against. `copy_state` reads
// one texel's state and writes it. Dispatch: as the erosion kernels', x and y cover the texels.
@group(0) @binding(0) var<storage, read> before: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> after: array<vec4f>;

override COLUMNS: u32 = 32u;
override ROWS: u32 = 4u;
override WIDTH: u32 = 1024u;

@compute @workgroup_size(COLUMNS, ROWS)
fn copy_state(@builtin(global_invocation_id) id: vec3u) {
  let at = id.y * WIDTH + id.x;
  if (id.x < WIDTH && at < arrayLength(&after)) { after[at] = before[at]; }
}
