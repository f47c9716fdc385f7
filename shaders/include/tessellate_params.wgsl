// Group 0 of the tessellation kernels: what one bake is. Filled by runtime/tessellation/tessellateKernels.ts.

struct Tessellation {
  level: u32,             // 0..6
  steps: u32,             // 2^level, along a patch's edge
  lattice: u32,           // points of a patch
  micro: u32,             // triangles of a patch
  patchCount: u32,
  cornerCount: u32,       // corner groups; edge groups follow them
  planned: u32,           // 1: neighbours ask something of the outline
  clamped: u32,           // 1: past the map's edges is its edge, 0: it repeats
  texels: vec2u,          // columns, rows; 0: nothing is displaced
  slopeStep: vec2f,       // in uv0: over how much the slope of the height is taken
  stepSize: f32,          // 1 / steps
  scale: f32,             // metres of the world a unit of height
  stretched: u32,         // 1: lengths of the mesh are others in the world
  vertexCount: u32,       // lattice × patchCount
  stretchDiagonal: vec3f, // xx, yy, zz of Mᵀ · M
  indexCount: u32,        // micro × 3 × patchCount
  stretchOther: vec3f,    // xy, xz, yz
}

@group(0) @binding(0) var<uniform> tessellation: Tessellation;
