// What a cut's kernels share: the cut as a whole, its nodes, and the stops of the collider's lattice.

/// One cut of one field.
struct TerrainCut {
  camera: vec3f,        // metres: x and z from the cut's corner, y above world zero
  lodFactor: f32,       // of this cut, in node sizes, above 0
  extent: vec2f,        // the cut's rect, metres
  fieldOffset: vec2f,   // from the field's corner to the cut's corner, metres
  fieldSize: vec2f,     // the field's rect, metres
  rootSize: f32,        // side of a level 0 node, metres
  rootSpacing: f32,     // distance between a level 0 node's vertices, metres
  texels: vec2u,        // columns and rows of the field
  cellOffset: vec2i,    // stop k stands in texel cell k + cellOffset, held to cellFirst..cellLast
  cellFirst: vec2u,     // cell of the first stop along X and along Z
  cellLast: vec2u,      // cell of the last
  stopCount: u32,       // stops along X; those along Z follow them in `stops`
  indexCount: u32,      // finest vertex indices along X; those along Z follow them in `stopOf`
  nodeVerts: u32,       // vertices along a node's side, 3..129, odd
  maxLevel: u32,        // the level whose indices count `stopOf`
  masked: u32,          // 1 where `holes` cuts ground out, else 0
  stopRows: u32,        // stops along Z
}

/// A node to build: a quadtree square at `level`, the ix-th along X and iz-th along Z, counted from the cut's corner.
struct TerrainNode {
  ix: u32,
  iz: u32,
  packed: u32,  // level in bits 0..7, coarse mask in 8..15 (1 -X, 2 +X, 4 -Z, 8 +Z), base level in 16..23
  slot: u32,    // its place in the pool and, for the index run, in bits 0..15; the place in the run is in bits 16..31
}

/// A place along one axis that vertices stand on: a texel centre or an edge.
struct Stop {
  world: f32,     // metres
  local: f32,     // metres from the cut's corner
  place: u32,     // from the field's edge, in 1/1024 of a texel
  fraction: f32,  // 0..1 from texel centre `cell` toward the next: 0 but on the edges of a pool's own rect
}

fn node_level(node: TerrainNode) -> u32 { return node.packed & 0xffu; }
fn node_coarse_mask(node: TerrainNode) -> u32 { return (node.packed >> 8u) & 0xffu; }
fn node_base(node: TerrainNode) -> u32 { return (node.packed >> 16u) & 0xffu; }
