// What a pixel of ground sees of the heightfield's texels: the relief under it, how wide it is, from which side. Shared by
// the two materials of the ground, shaders/ground.wgsl and shaders/ground_layers.wgsl. Needs include/frame.wgsl, object.wgsl and shade.wgsl.
#include "ground.wgsl"

@group(1) @binding(0) var<uniform> ground: Ground;
@group(1) @binding(1) var<storage, read> texels: array<vec4f>;

/// Where a place (in texels from the first one's centre) lies: the texel below it on both axes and how far past it, 0..1.
struct Cell {
  low: vec2u,
  part: vec2f,
}

/// Past the outermost centres the surface is flat, and they answer.
fn cell_of(place: vec2f) -> Cell {
  let last = vec2f(ground.count) - 1.0;
  let inside = clamp(place, vec2f(0.0), last);
  let low = min(floor(inside), max(last - 1.0, vec2f(0.0)));
  return Cell(vec2u(low), inside - low);
}

/// What the four texels around a place say: their heights (metres) and gradients blended, and how the ground bends (the Laplacian of its
/// height, 1/metre, above 0 in hollows and below on ridges; central differences of the gradients, blended like them).
struct Relief {
  height: f32,
  gradient: vec2f,
  bend: f32,
}

fn read_relief(cell: Cell) -> Relief {
  let t = cell.part;
  // Texel columns and first texels of rows, from the one before the cell to the one after it; past the outermost theirs.
  let last = ground.count - 1u;
  let column = vec4u(max(cell.low.x, 1u) - 1u, cell.low.x, min(cell.low.xx + vec2u(1u, 2u), last.xx));
  let row = vec4u(max(cell.low.y, 1u) - 1u, cell.low.y, min(cell.low.yy + vec2u(1u, 2u), last.yy)) * ground.count.x;
  let t00 = texels[row.y + column.y].xyz;
  let t10 = texels[row.y + column.z].xyz;
  let t01 = texels[row.z + column.y].xyz;
  let t11 = texels[row.z + column.z].xyz;
  let blended = mix(mix(t00, t10, t.x), mix(t01, t11, t.x), t.y);
  // Single components: a load is what this costs.
  let left = vec2f(texels[row.y + column.x].y, texels[row.z + column.x].y);
  let right = vec2f(texels[row.y + column.w].y, texels[row.z + column.w].y);
  let above = vec2f(texels[row.x + column.y].z, texels[row.x + column.z].z);
  let below = vec2f(texels[row.w + column.y].z, texels[row.w + column.z].z);
  let alongX = mix(vec2f(t10.y, t11.y) - left, right - vec2f(t00.y, t01.y), t.x);
  let alongZ = mix(vec2f(t01.z, t11.z) - above, below - vec2f(t00.z, t10.z), t.y);
  let bend = 0.5 * (mix(alongX.x, alongX.y, t.y) / ground.texel.x + mix(alongZ.x, alongZ.y, t.x) / ground.texel.y);
  return Relief(blended.x, blended.yz, bend);
}

/// How far an octave of noise is seen: gone where a pixel (`wide`, metres) is too wide for its period.
fn seen(wide: f32, period: f32) -> f32 {
  return 1.0 - smoothstep(0.22, 0.55, wide / period);
}

/// `meters` turned by `way` (cosine, sine). Octaves are turned unlike, so that nothing repeats within sight.
fn turned(meters: vec2f, way: vec2f) -> vec2f {
  return vec2f(way.x * meters.x - way.y * meters.y, way.y * meters.x + way.x * meters.y);
}

/// What both materials of the ground ask of a pixel first.
struct Sight {
  meters: vec2f,     // from the rect's -X, -Z corner
  wide: f32,         // a pixel's footprint, metres
  far: f32,          // 1: a pixel spans texels, and the mesh answers in their stead
  gradient: vec2f,   // metres a metre
  above: f32,        // metres above the declared range's lower end
  hollow: f32,       // -1 on ridges .. 1 in hollows
  lift: f32,         // metres by which the texels stand above the triangle that is drawn
  eye: vec3f,        // unit, toward the eye
  front: bool,       // seen from above
}

/// Takes derivatives: to be called before any branch.
fn see_ground(surface: Surface, facing: bool) -> Sight {
  let meters = surface.relative.xz + ground.fromCorner;
  let place = meters / ground.texel - 0.5;
  // A pixel's footprint in metres, between its shorter and its longer side so that detail lasts at grazing angles; in texels, the longer.
  let dx = dpdx(meters);
  let dy = dpdy(meters);
  let longer = max(length(dx), length(dy));
  let shorter = min(length(dx), length(dy));
  let wide = max(shorter, longer * 0.35);
  let texelsWide = max(length(dx / ground.texel), length(dy / ground.texel));

  // Where a pixel spans texels, single ones would shimmer: there the mesh's own normal answers.
  let far = smoothstep(1.0, 3.0, texelsWide);
  let relief = read_relief(cell_of(place));
  let vertexNormal = normalize(surface.normal);
  // From below it is dark. A sliver that turns away at a ridge seen from above is no underside, and would be a dark dot.
  let eye = toward_eye(surface.relative);
  let front = facing || (ground.submerged == 0u && dot(vertexNormal, eye) > -0.15);
  let gradient = mix(relief.gradient, -vertexNormal.xz / max(vertexNormal.y, 0.02), far);
  // The texels' height, not the mesh's: a node that changes its density does not change its colours.
  let above = mix(relief.height - ground.low, surface.relative.y + ground.cameraHeight, far);
  // Hollows keep soil and water; ridges are scoured.
  let hollow = clamp(relief.bend * sqrt(ground.texel.x * ground.extent) * 0.35, -1.0, 1.0) * (1.0 - far);
  // Triangles of a coarse node cut hilltops off: what they hide from the sun there stands in it.
  let drawn = surface.relative.y + ground.cameraHeight + ground.low;
  let lift = max(relief.height - drawn, 0.0) * (1.0 - far);
  return Sight(meters, wide, far, gradient, above, hollow, lift, eye, front);
}

/// The unit normal of a gradient; seen from below it points down.
fn ground_normal(gradient: vec2f, front: bool) -> vec3f {
  return select(vec3f(0.0, -1.0, 0.0), normalize(vec3f(-gradient.x, 1.0, -gradient.y)), front);
}

/// How much of the sky's light reaches a place.
fn ground_occlusion(sight: Sight) -> f32 {
  return select(0.4, clamp(1.0 - 0.3 * sight.hollow, 0.6, 1.0), sight.front);
}
