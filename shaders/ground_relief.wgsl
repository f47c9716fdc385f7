// ground_relief: one invocation finds height, brightness and hue of one texel of one slice of the ground's textures: its
// slice's steps, one after the other, in one loop, so that noise and cells are compiled once.
//
// Dispatch: x and y cover the texels in workgroups of SIDE × SIDE, z is the slice. In: `plan`, `steps`. Out: `relief`, slices ×
// side × side, row-major: height, tone, hue. All of it repeats over the square: cells count modulo its sides.
// CPU twin: runtime/renderer/groundReliefTwin.ts.
#include "include/noise.wgsl"
#include "include/ground_relief.wgsl"

@group(0) @binding(0) var<uniform> plan: ReliefPlan;
@group(0) @binding(1) var<uniform> steps: array<ReliefStep, MAX_STEPS>;
@group(0) @binding(2) var<storage, read_write> relief: array<vec4f>;

override SIDE: u32 = 8u;

/// How a step's cells lie on the square: how many across and along, and by how many a row moves over the height; its seed.
struct Lattice {
  cells: vec2f,
  shear: f32,
  seed: vec2u,
}

/// The linear step of include/noise.wgsl's hash for cells that are one square apart to be the same; `x` and `y` are whole. A row of
/// cells one square down stands `shear` cells further. Counted in floats: a CPU adapter divides whole numbers one by one.
fn seeds_of(x: vec4f, y: vec4f, lattice: Lattice) -> vec4u {
  let turns = floor((y + 0.5) / lattice.cells.y);
  let along = y - turns * lattice.cells.y;
  let far = x - turns * lattice.shear;
  let across = far - floor((far + 0.5) / lattice.cells.x) * lattice.cells.x;
  let v = ((vec4u(across) + lattice.seed.x) * 0x9e3779b1u) ^ ((vec4u(along) + lattice.seed.y) * 0x85ebca77u);
  return (v ^ (v >> vec4u(16u))) * 0x7feb352du;
}

/// Numbers -1..1 of the lower and of all 32 bits.
fn low_parts(bits: vec4u) -> vec4f { return vec4f(bitcast<vec4i>(bits << vec4u(16u))) * (1.0 / 2147483648.0); }
fn high_parts(bits: vec4u) -> vec4f { return vec4f(bitcast<vec4i>(bits)) * (1.0 / 2147483648.0); }

/// Gradient noise that repeats, x, with its slope per cell, yz: noise_slope of include/noise.wgsl on a lattice.
fn square_noise(place: vec2f, lattice: Lattice) -> vec3f {
  let cell = floor(place);
  let f = place - cell;
  var bits = seeds_of(cell.x + vec4f(0.0, 1.0, 0.0, 1.0), cell.y + vec4f(0.0, 0.0, 1.0, 1.0), lattice);
  bits ^= bits >> vec4u(15u);
  let gx = 1.6 * low_parts(bits);
  let gz = 1.6 * high_parts(bits);
  let v = gx * vec4f(f.x, f.x - 1.0, f.x, f.x - 1.0) + gz * vec4f(f.y, f.y, f.y - 1.0, f.y - 1.0);
  let u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  let du = 30.0 * f * f * (f * (f - 2.0) + 1.0);
  let low = vec3f(v.x, gx.x, gz.x) + (vec3f(v.y, gx.y, gz.y) - vec3f(v.x, gx.x, gz.x)) * u.x;
  let high = vec3f(v.z, gx.z, gz.z) + (vec3f(v.w, gx.w, gz.w) - vec3f(v.z, gx.z, gz.z)) * u.x;
  let sum = low + (high - low) * u.y;
  let across = v.y - v.x + (v.w - v.z - v.y + v.x) * u.y;
  return sum + vec3f(0.0, du.x * across, du.y * (high.x - low.x));
}

/// The nearest of points scattered one a cell (Worley, "A Cellular Texture Basis Function", 1996), and how far the border toward
/// the second nearest is.
struct Nearest {
  first: f32,   // distance, cells
  border: f32,  // second distance - first
  toward: vec2f,
  bits: u32,    // its own
}

fn nearest(place: vec2f, lattice: Lattice) -> Nearest {
  let cell = floor(place);
  let f = place - cell;
  var found = Nearest(64.0, 0.0, vec2f(0.0), 0u);
  var second = 64.0;
  for (var row = -1.0; row < 1.5; row += 1.0) {
    let bits = seeds_of(cell.x + vec4f(-1.0, 0.0, 1.0, 0.0), vec4f(cell.y + row), lattice);
    let x = vec3f(-0.5, 0.5, 1.5) - f.x + 0.42 * low_parts(bits).xyz;
    let y = row + 0.5 - f.y + 0.42 * high_parts(bits).xyz;
    let d = x * x + y * y;
    let least = min(d.x, min(d.y, d.z));
    second = min(max(least, found.first), min(second, max(min(d.x, d.y), min(max(d.x, d.y), d.z))));
    if (least < found.first) {
      let isX = d.x == least;
      let isY = d.y == least;
      found.first = least;
      found.toward = select(select(vec2f(x.z, y.z), vec2f(x.y, y.y), isY), vec2f(x.x, y.x), isX);
      found.bits = select(select(bits.z, bits.y, isY), bits.x, isX);
    }
  }
  found.first = sqrt(found.first);
  found.border = sqrt(second) - found.first;
  return found;
}

@compute @workgroup_size(SIDE, SIDE)
fn ground_relief(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= vec2u(plan.side)) || id.z >= plan.count) { return; }
  let uv = (vec2f(id.xy) + 0.5) / f32(plan.side);
  let slice = plan.slices[id.z].steps;
  var sum = vec3f(0.0);
  var pushed = vec2f(0.0);
  var kept = 1.0;
  for (var i = 0u; i < slice.y; i++) {
    let at = slice.x + i;
    let kind = steps[at].kind;
    let lattice = Lattice(vec2f(steps[at].cells.xy), f32(steps[at].cells.z), vec2u(613u, 197u) * u32(steps[at].cells.w));
    let q = uv + pushed * steps[at].follow;
    let place = vec2f(lattice.cells.x * q.x + lattice.shear * q.y, lattice.cells.y * q.y);
    var v = 0.0;
    var own = vec3f(0.0);   // what is its cell's own: height, tone, hue
    if (kind == STEP_NOISE) {
      let n = square_noise(place, lattice);
      v = n.x;
      pushed += steps[at].warp * n.yz;
    } else if (kind == STEP_WAVES) {
      let turn = fract(place.x);
      // Up over three quarters, down over one.
      let rising = min(turn / 0.72, (1.0 - turn) / 0.28);
      v = rising * rising * (3.0 - 2.0 * rising) * 2.0 - 1.0;
    } else {
      let near = nearest(place, lattice);
      let bits = vec4u(near.bits) * vec4u(0x9e3779b1u, 0x85ebca77u, 0x9e3779b1u, 0x85ebca77u);
      let some = low_parts(bits);
      let more = high_parts(bits);
      v = smoothstep(0.0, 0.32, near.border);
      if (kind == STEP_CRACKS) { v = 1.0 - smoothstep(0.0, 0.14, near.border); }
      if (kind == STEP_PEBBLES) {
        let radius = 0.32 + 0.12 * more.y;
        v = select(0.0, sqrt(saturate(1.0 - near.first * near.first / (radius * radius))), some.x < 2.0 * steps[at].density - 1.0);
      } else {
        // Each lies a little askew.
        own.x = 0.5 * some.x + 0.9 * dot(near.toward, vec2f(some.y, more.y));
      }
      own = vec3f(own.x, more.x, some.y) * (steps[at].vary * v);
    }
    let fold = steps[at].fold;
    v = select(v, fold * (1.0 - 2.0 * abs(v)), fold != 0.0);
    let range = steps[at].range;
    if (range.y > range.x) { v = smoothstep(range.x, range.y, v); }
    let gate = steps[at].gate;
    let part = select(select(1.0, kept, gate > 0.0), 1.0 - kept, gate < 0.0);
    if (steps[at].keep > 0.0) { kept = v; }
    let amount = steps[at].amount;
    sum += part * (amount * v + abs(amount) * own);
  }
  relief[(id.z * plan.side + id.y) * plan.side + id.x] = vec4f(sum, 0.0);
}
