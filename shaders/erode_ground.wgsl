// erode_ground: one invocation takes one texel through a step: water and its sediment run on as erode_flow found, running
// water wears the ground or lets sediment fall, ground steeper than the talus slides, some water dries up and rain falls.
//
// Dispatch: x and y cover the texels in workgroups of COLUMNS × ROWS. In: `before`, `rates`. Out: `after`; `flow` and `gone`
// are each invocation's own. What one texel gives, its neighbour takes, by the same expression: nothing is lost between them.
// Water wears with the root of what runs by and with the slope (Whipple and Tucker, "Dynamics of the stream-power river
// incision model", 1999) and holds at most in proportion to both; the sediment's exchange is that of Mei, Decaudin and Hu,
// "Fast hydraulic erosion simulation and visualization on GPU" (2007); slides are Musgrave, Kolb and Mace, "The synthesis
// and rendering of eroded fractal terrains" (1989). CPU twin: runtime/terrain/erosionTwin.ts.
#include "include/erode.wgsl"

@group(0) @binding(0) var<uniform> erosion: Erosion;
@group(0) @binding(1) var<uniform> step: ErosionStep;
@group(1) @binding(1) var<storage, read> rates: array<f32>;
@group(1) @binding(2) var<storage, read_write> after: array<vec4f>;
@group(1) @binding(3) var<storage, read_write> flow: array<f32>;  // texels whose rain runs by, averaged over the last steps
@group(1) @binding(4) var<storage, read_write> gone: array<f32>;  // metres of sediment that ran off here

override COLUMNS: u32 = 32u;
override ROWS: u32 = 4u;

/// What the neighbours of a texel add up to.
struct Around {
  drops: f32,     // shares of drops that water leaves by
  off: f32,       // those of them that lead off the ground
  slope: f32,     // the steepest way down the water's surface
  water: f32,     // metres that run in
  sediment: f32,  // metres that they bring
  slide: f32,     // metres of ground that slide in, less those that slide out
  fall: f32,      // metres down to the lowest neighbour's ground, at least 0
  rise: f32,      // metres up to the highest, at least 0
}

/// Adds one neighbour; `axis` is the component of `share`, `reach` and `talus` that belongs to its direction.
fn visit(around: ptr<function, Around>, place: vec2i, own: vec4f, offset: vec2i, axis: u32) {
  let share = erosion.share[axis];
  let there = place + offset;
  let inside = is_inside(there);
  let at = select(0u, texel_of(there), inside);
  let other = before[at];
  if (inside && other.w >= 0.0) {
    let down = own.x - other.x;
    let drop = down + (own.y - other.y);
    let part = rates[at] * (share * max(0.0, -drop));
    (*around).drops += share * max(0.0, drop);
    (*around).slope = max((*around).slope, drop / erosion.reach[axis]);
    (*around).water += other.y * part;
    (*around).sediment += other.z * part;
    (*around).fall = max((*around).fall, down);
    (*around).rise = max((*around).rise, -down);
    // Only what is past the talus either way.
    let talus = erosion.talus[axis];
    (*around).slide -= erosion.creep * (down - clamp(down, -talus, talus));
  } else if (erosion.closed == 0u && axis != 2u) {
    let drop = own.y + rim_fall(place, own, offset);
    (*around).drops += share * drop;
    (*around).off += share * drop;
    (*around).slope = max((*around).slope, drop / erosion.reach[axis]);
  }
}

@compute @workgroup_size(COLUMNS, ROWS)
fn erode_ground(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= erosion.texels)) { return; }
  let place = vec2i(id.xy);
  let at = texel_of(place);
  let own = before[at];
  if (own.w < 0.0) {
    after[at] = own;
    return;
  }
  var around = Around();
  visit(&around, place, own, vec2i(1, 0), 0u);
  visit(&around, place, own, vec2i(1, 1), 2u);
  visit(&around, place, own, vec2i(0, 1), 1u);
  visit(&around, place, own, vec2i(-1, 1), 2u);
  visit(&around, place, own, vec2i(-1, 0), 0u);
  visit(&around, place, own, vec2i(-1, -1), 2u);
  visit(&around, place, own, vec2i(0, -1), 1u);
  visit(&around, place, own, vec2i(1, -1), 2u);

  let rate = rates[at];
  let leaving = min(1.0, rate * around.drops);
  if (around.off > 0.0) { gone[at] += own.z * rate * around.off; }
  let water = own.y * (1.0 - leaving) + around.water;
  let sediment = own.z * (1.0 - leaving) + around.sediment;

  // Texels' worth of rain that run by in this step.
  let stream = own.y * leaving / erosion.rain;
  if (step.average > 0.0) { flow[at] += step.average * stream; }
  let held = erosion.carry * stream * around.slope;
  var change = 0.0;
  if (sediment < held) {
    let worn = step.fade * erosion.wear * sqrt(stream) * around.slope * (1.0 - sediment / held);
    change = -min(worn, MOST_CHANGE * around.fall);
  } else {
    change = min(SETTLE * (sediment - held), max(MOST_CHANGE * around.rise, own.y));
  }
  // What the ground took is what float32 made of it, so that the sum of both stays.
  let worked = own.x + change;
  let rest = max(0.0, sediment - (worked - own.x));
  let ground = worked + around.slide;
  let loose = max(0.0, own.w + (ground - own.x));
  let rain = erosion.rain * (0.5 + rain_number(at, step.index, erosion.seed));
  after[at] = vec4f(ground, water * erosion.keep + rain, rest, loose);
}
