// The one function that places a vertex of a tessellated mesh. Both epilogues of tessellate call it, and what several patches
// share (a corner, a point of an edge) is computed from the group's own list of participants, in its order, so that it is the same
// bits from each. CPU twin: runtime/tessellation/displace.ts.
#include "tessellate_params.wgsl"

/// Words as sourceMesh.ts lays them out: 32 a vertex, 16 a patch, 2 a group, 4 a participant.
@group(1) @binding(0) var<storage, read> source: array<vec4u>;
@group(1) @binding(1) var<storage, read> patches: array<u32>;
@group(1) @binding(2) var<storage, read> groups: array<vec2u>;        // first participant, how many
@group(1) @binding(3) var<storage, read> participants: array<vec4u>;  // two vertices, class
@group(2) @binding(0) var heights: texture_2d<f32>;                    // one f32 a texel, row 0 at v = 0
@group(2) @binding(2) var height_sampler: sampler;                     // repeats, or goes on as the edge
/// Two words a group: where its places begin here, or NONE, and its level; then places, three floats each.
@group(2) @binding(1) var<storage, read> plan: array<u32>;

const NONE = 0xffffffffu;
const INSIDE = 0xffffffffu;
/// In place of a class: the group has one participant, which is the patch's own.
const ALONE = 0xffffffffu;
const ONE_COLOR = 1u;
const NO_JOINTS = 2u;

/// Three vertices and their weights: on an edge the third has none, at a corner the first has all.
struct Blend {
  at: vec3u,
  weight: vec3f,
}

/// Where a lattice point stands.
struct Spot {
  own: Blend,
  group: u32,  // INSIDE: none
  kind: u32,   // the class of the patch's own vertices in the group
  step: u32,   // along the group, from its first corner
}

fn source_vec4(vertex: u32, vector: u32) -> vec4f { return bitcast<vec4f>(source[vertex * 8u + vector]); }

fn blended(b: Blend, vector: u32) -> vec4f {
  return source_vec4(b.at.x, vector) * b.weight.x + source_vec4(b.at.y, vector) * b.weight.y
    + source_vec4(b.at.z, vector) * b.weight.z;
}

/// The same where the third has no weight.
fn blended_two(b: Blend, vector: u32) -> vec4f {
  return source_vec4(b.at.x, vector) * b.weight.x + source_vec4(b.at.y, vector) * b.weight.y;
}

fn along(a: u32, b: u32, step: u32) -> Blend {
  let t = f32(step) * tessellation.stepSize;
  return Blend(vec3u(a, b, b), vec3f(1.0 - t, t, 0.0));
}

/// At length 1; a vector without a length stays as it is.
fn unit(v: vec3f) -> vec3f {
  let length = sqrt(dot(v, v));
  return select(v, v / length, length > 0.0);
}

/// The height at `uv`, between the four texels around it. One gather at the point where they meet: which texels it takes does not
/// hang on rounding there, and what is past the map's edges is the sampler's affair.
fn height_at(uv: vec2f) -> f32 {
  let inside = select(uv - floor(uv), clamp(uv, vec2f(0.0), vec2f(1.0)), tessellation.clamped != 0u);
  let place = inside * vec2f(tessellation.texels) - 0.5;
  let texel = floor(place);
  let way = place - texel;
  let four = textureGather(0, heights, height_sampler, (texel + 1.0) / vec2f(tessellation.texels));
  let top = four.w * (1.0 - way.x) + four.z * way.x;
  let bottom = four.x * (1.0 - way.x) + four.y * way.x;
  return top * (1.0 - way.y) + bottom * way.y;
}

/// Metres of the mesh's own space that a height moves a point along the unit direction `n`.
fn amount(height: f32, n: vec3f) -> f32 {
  let moved = height * tessellation.scale;
  if (tessellation.stretched == 0u) { return moved; }
  let d = tessellation.stretchDiagonal;
  let o = tessellation.stretchOther;
  let row = vec3f(d.x * n.x + o.x * n.y + o.y * n.z, o.x * n.x + d.y * n.y + o.z * n.z, o.y * n.x + o.z * n.y + d.z * n.z);
  let length = sqrt(dot(n, row));
  return select(0.0, moved / length, length > 0.0);
}

/// Row and column of point `k` of the lattice: row r has r + 1 points, and row 0 is the patch's first corner.
fn lattice_place(k: u32) -> vec2u {
  var row = u32((sqrt(f32(8u * k + 1u)) - 1.0) * 0.5);
  // The root may be rounded across a whole number.
  row -= select(0u, 1u, row * (row + 1u) / 2u > k);
  row += select(0u, 1u, (row + 1u) * (row + 2u) / 2u <= k);
  return vec2u(row, k - row * (row + 1u) / 2u);
}

/// A patch's words: vertices at 0, edges at 3, corner groups at 6, classes of corners at 9 and of edges at 12, flags at 15.
fn corner_spot(patch_words: u32, corner: u32) -> Spot {
  let vertex = patches[patch_words + corner];
  return Spot(along(vertex, vertex, 0u), patches[patch_words + 6u + corner], patches[patch_words + 9u + corner], 0u);
}

/// Which of a patch's points stand in a group:
///
///            0            edge 0 runs from corner 0 to corner 1 (column 0),
///           / \           edge 1 from 1 to 2 (the last row),
///       e0 /   \ e2       edge 2 from 2 to 0 (column = row)
///         1 --- 2
///           e1
fn spot_of(patch_index: u32, k: u32) -> Spot {
  let words = patch_index * 16u;
  let n = tessellation.steps;
  let at = lattice_place(k);
  let row = at.x;
  let column = at.y;
  var edge = 3u;
  if (column == row) { edge = 2u; }
  if (row == n) { edge = 1u; }
  if (column == 0u) { edge = 0u; }
  if (edge == 3u) {
    let weight = vec3f(vec3u(n - row, row - column, column)) * tessellation.stepSize;
    let vertices = vec3u(patches[words], patches[words + 1u], patches[words + 2u]);
    return Spot(Blend(vertices, weight), INSIDE, ALONE, 0u);
  }
  if (row == 0u) { return corner_spot(words, 0u); }
  if (row == n && column == 0u) { return corner_spot(words, 1u); }
  if (row == n && column == n) { return corner_spot(words, 2u); }
  let entry = patches[words + 3u + edge];
  let next = select(edge + 1u, 0u, edge == 2u);
  // Everything on an edge without a length stands at its corner.
  if (entry == NONE) { return corner_spot(words, edge); }
  let forward = select(select(row, column, edge == 1u), n - row, edge == 2u);
  let back = (entry & 1u) == 1u;
  let group = tessellation.cornerCount + (entry >> 1u);
  var shift = 0u;
  if (tessellation.planned != 0u) { shift = tessellation.level - plan[group * 2u + 1u]; }
  // On a coarser lattice a point stands at the coarse point before it.
  let step = (select(forward, n - forward, back) >> shift) << shift;
  if (step == 0u) { return corner_spot(words, select(edge, next, back)); }
  let a = patches[words + edge];
  let b = patches[words + next];
  return Spot(along(select(a, b, back), select(b, a, back), step), group, patches[words + 12u + edge], step);
}

const VERTEX_WORDS = 23u;

/// Vertex `k` of a patch's lattice, laid out as the engine's vertex.
fn tessellated_vertex(patch_index: u32, k: u32) -> array<u32, VERTEX_WORDS> {
  let spot = spot_of(patch_index, k);
  var first = 0u;
  var count = 1u;
  if (spot.kind != ALONE) {
    let group = groups[spot.group];
    first = group.x;
    count = group.y;
  }
  // What is met in one way alone is the patch's own, whichever patch it is.
  let uvs = blended(spot.own, 3u);
  let ownNormal = blended(spot.own, 1u).xyz;
  let base = blended(spot.own, 0u).xyz;
  var normal = vec3f(0.0);
  var slope = vec3f(0.0);
  var height = 0.0;
  var alike = 0.0;
  let sampled = tessellation.texels.x > 0u;
  let du = vec2f(tessellation.slopeStep.x, 0.0);
  let dv = vec2f(0.0, tessellation.slopeStep.y);
  for (var i = 0u; i < count; i++) {
    var b = spot.own;
    var kind = spot.kind;
    var uv = uvs.xy;
    var met = ownNormal;
    if (count > 1u) {
      let participant = participants[first + i];
      b = along(participant.x, participant.y, spot.step);
      kind = participant.z;
      uv = blended_two(b, 3u).xy;
      met = blended_two(b, 1u).xyz;
    }
    normal += met;
    if (!sampled) { continue; }
    height += height_at(uv);
    if (kind != spot.kind) { continue; }
    alike += 1.0;
    let byU = (height_at(uv + du) - height_at(uv - du)) / (2.0 * du.x);
    let byV = (height_at(uv + dv) - height_at(uv - dv)) / (2.0 * dv.y);
    slope += byU * blended(b, 6u).xyz + byV * blended(b, 7u).xyz;
  }
  let direction = unit(normal);
  var position = base + direction * amount(height / f32(count), direction);
  if (tessellation.planned != 0u && spot.group != INSIDE) {
    let given = plan[spot.group * 2u];
    if (given != NONE) {
      let at = given + (spot.step >> (tessellation.level - plan[spot.group * 2u + 1u])) * 3u;
      position = bitcast<vec3f>(vec3u(plan[at], plan[at + 1u], plan[at + 2u]));
    }
  }

  // The surface h along n has the normal n - grad h, and what lies in it follows along n.
  let n = unit(ownNormal);
  slope = slope / max(alike, 1.0);
  let leaning = unit(n - amount(1.0, n) * (slope - dot(slope, n) * n));
  let t = blended(spot.own, 2u).xyz;
  let share = dot(leaning, n);
  let slide = select(0.0, dot(leaning, t) / share, share > 0.0);
  let tangent = unit(t - slide * n);
  let hand = source_vec4(spot.own.at.x, 2u).w;

  var weights = vec4u(0u);
  var joints = 0u;
  var color = source_vec4(spot.own.at.x, 4u);
  let flags = patches[patch_index * 16u + 15u];
  if ((flags & ONE_COLOR) == 0u) { color = blended(spot.own, 4u); }
  if ((flags & NO_JOINTS) == 0u) {
    // Joints cannot be blended: they and their weights are those of the nearest vertex, of equals the first.
    let w = spot.own.weight;
    var nearest = spot.own.at.x;
    if (w.y > w.x) { nearest = spot.own.at.y; }
    if (w.z > max(w.x, w.y)) { nearest = spot.own.at.z; }
    weights = source[nearest * 8u + 5u];
    joints = source[nearest * 8u + 6u].w;
  }
  let xyz = bitcast<vec3u>(position);
  let up = bitcast<vec3u>(leaning);
  let side = bitcast<vec4u>(vec4f(tangent, hand));
  let uv01 = bitcast<vec4u>(uvs);
  let rgba = bitcast<vec4u>(color);
  return array<u32, VERTEX_WORDS>(
    xyz.x, xyz.y, xyz.z, up.x, up.y, up.z, side.x, side.y, side.z, side.w, uv01.x, uv01.y, uv01.z, uv01.w,
    rgba.x, rgba.y, rgba.z, rgba.w, weights.x, weights.y, weights.z, weights.w, joints,
  );
}
