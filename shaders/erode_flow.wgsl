// erode_flow: one invocation finds how much of one texel's water leaves in a step: water runs to every lower neighbour in
// proportion to the drop between the water's surfaces, all of it on a slope, what levels it on flat ground.
//
// Dispatch: x and y cover the texels in workgroups of COLUMNS × ROWS. In: `before`. Out: `rates`, the part of a texel's water
// that a metre of `share` takes with it, which erode_ground multiplies with each neighbour's drop: it finds the same drops.
// Freeman, "Calculating catchment area with divergent flow" (1991), on the water's surface. CPU twin: runtime/terrain/erosionTwin.ts.
#include "include/erode.wgsl"

@group(0) @binding(0) var<uniform> erosion: Erosion;
@group(1) @binding(1) var<storage, read_write> rates: array<f32>;

override COLUMNS: u32 = 32u;
override ROWS: u32 = 4u;

/// The part of the drop toward one neighbour that counts.
fn outlet(place: vec2i, own: vec4f, offset: vec2i, axis: u32) -> f32 {
  let share = erosion.share[axis];
  let there = place + offset;
  let inside = is_inside(there);
  let other = before[select(0u, texel_of(there), inside)];
  if (inside && other.w >= 0.0) { return share * max(0.0, (own.x - other.x) + (own.y - other.y)); }
  if (erosion.closed != 0u || axis == 2u) { return 0.0; }
  return share * (own.y + rim_fall(place, own, offset));
}

@compute @workgroup_size(COLUMNS, ROWS)
fn erode_flow(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= erosion.texels)) { return; }
  let place = vec2i(id.xy);
  let at = texel_of(place);
  let own = before[at];
  var drops = outlet(place, own, vec2i(1, 0), 0u);
  drops += outlet(place, own, vec2i(1, 1), 2u);
  drops += outlet(place, own, vec2i(0, 1), 1u);
  drops += outlet(place, own, vec2i(-1, 1), 2u);
  drops += outlet(place, own, vec2i(-1, 0), 0u);
  drops += outlet(place, own, vec2i(-1, -1), 2u);
  drops += outlet(place, own, vec2i(0, -1), 1u);
  drops += outlet(place, own, vec2i(1, -1), 2u);
  var rate = 0.0;
  if (own.w >= 0.0 && own.y > 0.0 && drops > 0.0) { rate = min(EASE / own.y, 1.0 / drops); }
  rates[at] = rate;
}
