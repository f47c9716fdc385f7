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

/// The texel columns and rows whose centres lie at or below two stops, by the stops' numbers alone, so that the texel is
/// fetched while the stops themselves are. An edge takes its outermost texel.
fn cell_of(stop: vec2u) -> vec2u {
  return clamp(vec2u(max(vec2i(stop) + cut.cellOffset, vec2i(0))), cut.cellFirst, cut.cellLast);
}

/// Height and gradient at a stop, `part` of the way from texel `cell` to the next. At a texel centre both are the texel's own, copied.
fn ground_at(cell: vec2u, part: vec2f) -> vec3f {
  let h00 = texel(cell.x, cell.y);
  if (part.x == 0.0 && part.y == 0.0) { return h00.xyz; }
  let next = min(cell + 1u, cut.texels - 1u);
  let h10 = texel(next.x, cell.y);
  let h01 = texel(cell.x, next.y);
  let h11 = texel(next.x, next.y);
  // Two flat triangles split from the (0, 1) corner to the (1, 0) corner, as cellHeight has it.
  let low = h00.x + (h10.x - h00.x) * part.x + (h01.x - h00.x) * part.y;
  let high = h11.x + (h01.x - h11.x) * (1.0 - part.x) + (h10.x - h11.x) * (1.0 - part.y);
  let gradient = mix(mix(h00.yz, h10.yz, part.x), mix(h01.yz, h11.yz, part.x), part.y);
  return vec3f(select(high, low, part.x + part.y <= 1.0), gradient);
}

/// The vertex with index `i` of its node's grid (column, row).
///
/// P(L, i) is the stop of index i at level L moved by m toward P(L - 1, floor(i / 2)), the coarser level's vertex with
/// its own morph, and so on up; along an axis where the stop is the rect's far edge, ceil(i / 2), which is on the edge as
/// well: else the ground would draw back from it, where no node past the edge is drawn. The loop runs from the coarse end: it starts at the node's base level, where the CPU
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
  let own = index << vec2u(cut.maxLevel - level);
  let onEdge = vec2u(stopOf[own.x], stopOf[cut.indexCount + own.y]) == vec2u(cut.stopCount, cut.stopRows) - 1u;

  var q = GroundPoint(vec3f(0.0), vec2f(0.0), vec2f(0.0));
  for (var l = base; l <= last; l++) {
    let at = (index + select(vec2u(0u), vec2u((1u << (level - l)) - 1u), onEdge)) >> vec2u(level - l);
    let finest = at << vec2u(cut.maxLevel - l);
    let stop = vec2u(stopOf[finest.x], stopOf[cut.indexCount + finest.y]);
    let x = stops[stop.x];
    let z = stops[cut.stopCount + stop.y];
    let ground = ground_at(cell_of(stop), vec2f(x.fraction, z.fraction));

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
const OWN_WORDS = 10u;

/// What differs from vertex to vertex: position 3, normal 3, the tangent's x and y, uv0 2.
fn own_words(point: GroundPoint) -> array<f32, OWN_WORDS> {
  let g = point.gradient;
  let n = normalize(vec3f(-g.x, 1.0, -g.y));
  let t = normalize(vec2f(1.0, g.x));
  let uv = (point.local + cut.fieldOffset) / cut.fieldSize;
  let p = point.position;
  return array<f32, OWN_WORDS>(p.x, p.y, p.z, n.x, n.y, n.z, t.x, t.y, uv.x, uv.y);
}
