// The one function that places a terrain vertex. Both epilogues of terrain_mesh call it, so a vertex that two nodes
// share is computed by the same code from the same numbers. CPU twin: runtime/terrain/terrainVertex.ts.
#include "terrain_cut.wgsl"

@group(0) @binding(0) var<uniform> cut: TerrainCut;
@group(1) @binding(0) var<storage, read> texels: array<vec4f>;   // columns × rows: height, d/dx, d/dz, coverage
@group(1) @binding(1) var<storage, read> stops: array<Stop>;     // along X, then along Z
@group(1) @binding(2) var<storage, read> stopOf: array<u32>;     // finest vertex index -> stop, along X, then along Z

/// A vertex before it is laid out: a stop, or a point between two.
struct GroundPoint {
  position: vec3f,  // world, metres
  local: vec2f,     // x and z from the cut's corner, metres
  gradient: vec2f,  // metres a metre along X and Z
}

/// Two to the power of -level: exact, where a division need not be.
fn half_to(level: u32) -> f32 { return bitcast<f32>((127u - level) << 23u); }

fn texel(column: u32, row: u32) -> vec4f { return texels[row * cut.texels.x + column]; }

/// Height and gradient at a stop. At a texel centre both are the texel's own, copied.
fn ground_at(x: Stop, z: Stop) -> vec3f {
  let i = stop_cell(x);
  let j = stop_cell(z);
  let h00 = texel(i, j);
  if (x.fraction == 0.0 && z.fraction == 0.0) { return h00.xyz; }
  let i1 = min(i + 1u, cut.texels.x - 1u);
  let j1 = min(j + 1u, cut.texels.y - 1u);
  let h10 = texel(i1, j);
  let h01 = texel(i, j1);
  let h11 = texel(i1, j1);
  let fx = x.fraction;
  let fz = z.fraction;
  // Two flat triangles split from the (0, 1) corner to the (1, 0) corner, as cellHeight has it.
  let low = h00.x + (h10.x - h00.x) * fx + (h01.x - h00.x) * fz;
  let high = h11.x + (h01.x - h11.x) * (1.0 - fx) + (h10.x - h11.x) * (1.0 - fz);
  let gradient = mix(mix(h00.yz, h10.yz, fx), mix(h01.yz, h11.yz, fx), fz);
  return vec3f(select(high, low, fx + fz <= 1.0), gradient);
}

/// The vertex with index `i` of its node's grid (column, row).
///
/// P(L, i) is the stop of index i at level L moved by m toward P(L - 1, floor(i / 2)), the coarser level's vertex with
/// its own morph, and so on up. The loop runs from the coarse end: it starts at the node's base level, where the CPU
/// knows every m to be 0, so that what lies above cannot be seen. A vertex on a stitched edge ends one level early.
fn terrain_vertex(node: TerrainNode, i: vec2u) -> GroundPoint {
  let level = node_level(node);
  let mask = node_coarse_mask(node);
  let base = node_base(node);
  let side = cut.nodeVerts - 1u;
  let stitched = (i.x == 0u && (mask & 1u) != 0u) || (i.x == side && (mask & 2u) != 0u)
    || (i.y == 0u && (mask & 4u) != 0u) || (i.y == side && (mask & 8u) != 0u);
  let last = level - select(0u, 1u, stitched);
  let index = vec2u(node.ix, node.iz) * side + i;

  var q = GroundPoint(vec3f(0.0), vec2f(0.0), vec2f(0.0));
  for (var l = base; l <= last; l++) {
    let at = index >> vec2u(level - l);
    let finest = at << vec2u(cut.maxLevel - l);
    let x = stops[stopOf[finest.x]];
    let z = stops[cut.stopCount + stopOf[cut.indexCount + finest.y]];
    let ground = ground_at(x, z);

    // The distance is from the unsnapped place, held to the rect, at the stop's height.
    let place = min(vec2f(at) * (cut.rootSpacing * half_to(l)), cut.extent);
    let d = distance(vec3f(place.x, ground.x, place.y), cut.camera);
    let band = cut.lodFactor * cut.rootSize * half_to(l) * 2.0;
    let low = 0.7 * band;
    let high = (1.0 - 0x1p-11) * band;
    let m = select(select((d - low) / (high - low), 1.0, d >= high), 0.0, d <= low || l == base);

    let p = GroundPoint(vec3f(x.world, ground.x, z.world), vec2f(x.local, z.local), ground.yz);
    // At m >= 1 the coarser vertex is copied: a + (b - a) * 1 misses b for one pair in four.
    let merged = m >= 1.0;
    q.position = select(p.position + (q.position - p.position) * m, q.position, merged);
    q.local = select(p.local + (q.local - p.local) * m, q.local, merged);
    q.gradient = select(p.gradient + (q.gradient - p.gradient) * m, q.gradient, merged);
  }
  return q;
}

const VERTEX_WORDS = 23u;

/// The engine's vertex: position 3, normal 3, tangent 4, uv0 2, uv1 2, color 4, joint weights 4, joints 1.
fn vertex_words(point: GroundPoint) -> array<f32, VERTEX_WORDS> {
  let g = point.gradient;
  let n = normalize(vec3f(-g.x, 1.0, -g.y));
  let t = normalize(vec3f(1.0, g.x, 0.0));
  let uv = (point.local + cut.fieldOffset) / cut.fieldSize;
  let p = point.position;
  return array<f32, VERTEX_WORDS>(
    p.x, p.y, p.z, n.x, n.y, n.z, t.x, t.y, t.z, 1.0,
    uv.x, uv.y, p.x, p.z, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  );
}
