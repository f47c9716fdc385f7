// What the erosion kernels share: one texel's state, the numbers of a run and of a step, and how water finds its way.
// A texel has eight neighbours; where the ground ends (the rim, or a texel without data) water runs off along the four axes.

/// The numbers of one run.
struct Erosion {
  share: vec4f,       // of a drop that a step may move toward a neighbour along X, along Z, across a corner; eight make 1
  reach: vec4f,       // metres to that neighbour
  talus: vec4f,       // metres of drop to that neighbour that loose ground bears
  texels: vec2u,      // columns and rows
  seed: u32,
  closed: u32,        // 1: nothing runs off
  rain: f32,          // metres of water that fall on a texel in a step, on average, above 0
  keep: f32,          // part of the water that a step's evaporation leaves, 0..1
  wear: f32,          // metres a step at slope 1 and one texel's rain: what water takes from the ground, at most
  carry: f32,         // metres at slope 1 and one texel's rain: what water holds
  creep: f32,         // part of a drop past talus that slides in a step, 0..1/16
}

/// The numbers of one step.
struct ErosionStep {
  index: u32,     // from 0
  fade: f32,      // 1, going to 0 in the last steps: how much of `wear` acts
  average: f32,   // weight of this step in the flow that comes back
}

/// Of what lies above a level, the part that a step moves.
const EASE = 0.5;
/// Part of the sediment past `carry` that settles in a step.
const SETTLE = 0.3;
/// Part of the drop to the lowest neighbour, or of the rise to the highest, that a step takes or fills at most.
const MOST_CHANGE = 0.25;

// A texel's state: x ground, metres; y water, metres; z sediment in the water, metres; w loose ground, metres, or below 0: no data.

/// A number in 0..1 for a texel and a step.
fn rain_number(texel: u32, step: u32, seed: u32) -> f32 {
  var h = (texel * 0x9e3779b1u) ^ (step * 0x85ebca77u) ^ (seed * 0x27d4eb2du);
  h = (h ^ (h >> 16u)) * 0x7feb352du;
  h = (h ^ (h >> 15u)) * 0x846ca68bu;
  return f32((h ^ (h >> 16u)) >> 8u) / 16777216.0;
}

/// The texels' states before this step. Every kernel of erosion reads them.
@group(1) @binding(0) var<storage, read> before: array<vec4f>;

/// Whether a place is among the texels; a negative coordinate is a large one here.
fn is_inside(place: vec2i) -> bool { return all(bitcast<vec2u>(place) < erosion.texels); }

fn texel_of(place: vec2i) -> u32 { return u32(place.y) * erosion.texels.x + u32(place.x); }

/// Off the rim the ground goes down as it does from the texel opposite.
fn rim_fall(place: vec2i, own: vec4f, offset: vec2i) -> f32 {
  let behind = place - offset;
  if (!is_inside(behind)) { return 0.0; }
  let back = before[texel_of(behind)];
  return select(0.0, max(0.0, back.x - own.x), back.w >= 0.0);
}
