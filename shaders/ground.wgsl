// Ground with no layers: colour by slope and height, shaded pixel by pixel with the heightfield's own gradients, so that
// a coarse far node shades as finely as a near one. Input: group 1, the field's texels (height, d/dx, d/dz, coverage;
// rows × columns, row-major). Output: linear radiance, alpha 1. Run by runtime/renderer/forwardPass.ts.
#include "include/frame.wgsl"
#include "include/object.wgsl"
#include "include/shade.wgsl"
#include "include/noise.wgsl"
#include "include/ground.wgsl"

@group(1) @binding(0) var<uniform> ground: Ground;
@group(1) @binding(1) var<storage, read> texels: array<vec4f>;

@vertex fn ground_vertex(
  @builtin(instance_index) object: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
) -> Surface {
  return place_vertex(objects[object], position, normal, vec4f(1.0));
}

/// The number of texel (column, row); past the outermost texels theirs.
fn texel_index(column: i32, row: i32) -> u32 {
  let at = clamp(vec2i(column, row), vec2i(0), vec2i(ground.count) - 1);
  return u32(at.y) * ground.count.x + u32(at.x);
}

/// Where a place (in texels from the first one's centre) lies: the texel below it on both axes and how far past it, 0..1.
struct Cell {
  low: vec2i,
  part: vec2f,
}

/// Past the outermost centres the surface is flat, and they answer.
fn cell_of(place: vec2f) -> Cell {
  let last = vec2f(ground.count) - 1.0;
  let inside = clamp(place, vec2f(0.0), last);
  let low = min(floor(inside), max(last - 1.0, vec2f(0.0)));
  return Cell(vec2i(low), inside - low);
}

/// What the four texels around a place say: their heights (metres) and gradients blended, and how the ground bends (the Laplacian of its
/// height, 1/metre, above 0 in hollows and below on ridges; central differences of the gradients, blended like them).
struct Relief {
  height: f32,
  gradient: vec2f,
  bend: f32,
}

fn read_relief(cell: Cell) -> Relief {
  let at = cell.low;
  let t = cell.part;
  let t00 = texels[texel_index(at.x, at.y)].xyz;
  let t10 = texels[texel_index(at.x + 1, at.y)].xyz;
  let t01 = texels[texel_index(at.x, at.y + 1)].xyz;
  let t11 = texels[texel_index(at.x + 1, at.y + 1)].xyz;
  let blended = mix(mix(t00, t10, t.x), mix(t01, t11, t.x), t.y);
  // Single components: a load is what this costs.
  let left = vec2f(texels[texel_index(at.x - 1, at.y)].y, texels[texel_index(at.x - 1, at.y + 1)].y);
  let right = vec2f(texels[texel_index(at.x + 2, at.y)].y, texels[texel_index(at.x + 2, at.y + 1)].y);
  let above = vec2f(texels[texel_index(at.x, at.y - 1)].z, texels[texel_index(at.x + 1, at.y - 1)].z);
  let below = vec2f(texels[texel_index(at.x, at.y + 2)].z, texels[texel_index(at.x + 1, at.y + 2)].z);
  let alongX = mix(vec2f(t10.y, t11.y) - left, right - vec2f(t00.y, t01.y), t.x);
  let alongZ = mix(vec2f(t01.z, t11.z) - above, below - vec2f(t00.z, t10.z), t.y);
  let bend = 0.5 * (mix(alongX.x, alongX.y, t.y) / ground.texel.x + mix(alongZ.x, alongZ.y, t.x) / ground.texel.y);
  return Relief(blended.x, blended.yz, bend);
}

/// Periods (metres; the first two are scaled by the rect) and directions (cosine, sine) of the octaves of noise: unlike
/// ones, so that nothing repeats within sight.
const PERIODS = array<f32, 7>(0.14, 0.033, 6.1, 1.7, 0.39, 0.11, 0.035);
const TURNS = array<vec2f, 7>(
  vec2f(0.8, 0.6), vec2f(0.28, 0.96), vec2f(0.96, 0.28), vec2f(0.6, 0.8), vec2f(0.936, 0.352), vec2f(0.352, 0.936), vec2f(1.0, 0.0),
);

/// One octave of noise, turned by `turn` (cosine, sine) and gone where a pixel is too wide for it. x: the noise, yz: its slope a metre. `wide`: a pixel's footprint, metres.
fn octave(meters: vec2f, period: f32, turn: vec2f, wide: f32) -> vec3f {
  let seen = 1.0 - smoothstep(0.22, 0.55, wide / period);
  if (seen <= 0.0) { return vec3f(0.0); }
  let along = vec2f(turn.x * meters.x - turn.y * meters.y, turn.y * meters.x + turn.x * meters.y);
  let n = gradient_noise(along / period);
  return vec3f(n.x, vec2f(turn.x * n.y + turn.y * n.z, turn.x * n.z - turn.y * n.y) / period) * seen;
}

struct Cover {
  albedo: vec3f,   // linear
  roughness: f32,
  bump: f32,       // metres of fine relief
}

fn blend_cover(a: Cover, b: Cover, weight: f32) -> Cover {
  return Cover(mix(a.albedo, b.albedo, weight), mix(a.roughness, b.roughness, weight), mix(a.bump, b.bump, weight));
}

@fragment fn ground_fragment(surface: Surface, @builtin(front_facing) facing: bool) -> @location(0) vec4f {
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
  let eye = cell_of(ground.fromCorner / ground.texel - 0.5).low;
  let submerged = ground.cameraHeight + ground.low < texels[texel_index(eye.x, eye.y)].x;
  let front = facing || (!submerged && dot(vertexNormal, toward_eye(surface.relative)) > -0.15);
  let gradient = mix(relief.gradient, -vertexNormal.xz / max(vertexNormal.y, 0.02), far);
  let slope = length(gradient);
  // The texels' height, not the mesh's: a node that changes its density does not change its colours.
  let above = mix(relief.height - ground.low, surface.relative.y + ground.cameraHeight, far);
  let height = clamp(above / ground.relief, 0.0, 1.0);

  // Whole slopes, patches, clumps, tufts, grain, pebbles; last the beds of rock, which come out at one height along a
  // slope, a little warped. One loop, so that the noise is compiled once.
  var noises: array<vec3f, 7>;
  for (var i = 0; i < 7; i++) {
    var at = meters;
    var period = PERIODS[i];
    if (i < 2) { period = max(period * ground.extent, select(40.0, 17.0, i == 1)); }
    if (i == 6) {
      period *= ground.relief;
      at = vec2f(above + 1.2 * period * noises[1].x, period * noises[0].x);
    }
    noises[i] = octave(at, period, TURNS[i], wide);
  }
  let region = noises[0].x;
  let patches = noises[1].x;
  let clump = noises[2];
  let tuft = noises[3];
  let grain = noises[4];
  let pebble = noises[5];
  let beds = noises[6].x;
  let mottle = 0.55 * patches + 0.4 * clump.x + 0.35 * tuft.x + 0.25 * grain.x + 0.2 * pebble.x;
  // Hollows keep soil and water; ridges are scoured.
  let hollow = clamp(relief.bend * sqrt(ground.texel.x * ground.extent) * 0.35, -1.0, 1.0) * (1.0 - far);

  let grass = Cover(mix(vec3f(0.062, 0.098, 0.022), vec3f(0.165, 0.17, 0.045), saturate(0.45 + 0.55 * region + 0.5 * mottle)), 0.92, 0.16);
  let dry = Cover(mix(vec3f(0.20, 0.155, 0.07), vec3f(0.37, 0.30, 0.155), saturate(0.5 + 0.7 * mottle)), 0.95, 0.13);
  let rock = Cover(mix(vec3f(0.105, 0.08, 0.058), vec3f(0.34, 0.28, 0.21), saturate(0.42 + 0.5 * mottle - 0.2 * hollow + 0.4 * beds)), 0.8, 0.22);
  // Low hills end in pale scree, mountains in snow.
  let alpine = smoothstep(300.0, 900.0, ground.relief);
  let scree = Cover(mix(vec3f(0.34, 0.305, 0.26), vec3f(0.56, 0.53, 0.48), saturate(0.5 + 0.6 * mottle)), 0.9, 0.2);
  let snow = Cover(mix(vec3f(0.78, 0.82, 0.88), vec3f(0.9, 0.91, 0.93), saturate(0.5 + mottle)), 0.6, 0.05);

  let line = height + 0.11 * region + 0.06 * patches + 0.02 * clump.x - 0.05 * hollow;
  let bare = slope + 0.11 * mottle - 0.12 * hollow + 0.05 * beds;
  var cover = blend_cover(grass, dry, smoothstep(0.30, 0.62, line));
  cover = blend_cover(cover, scree, smoothstep(0.70, 0.90, line) * (1.0 - alpine));
  cover = blend_cover(cover, rock, smoothstep(0.48, 0.78, bare));
  cover = blend_cover(cover, snow, smoothstep(0.52, 0.66, line) * (1.0 - smoothstep(0.85, 1.25, bare)) * alpine);

  // Fine relief: the noise's slopes tilt the normal, as far as its octaves are seen.
  let tilted = gradient + cover.bump * (tuft.yz + 0.3 * grain.yz + 0.12 * pebble.yz + 1.5 * clump.yz);
  let upward = normalize(vec3f(-tilted.x, 1.0, -tilted.y));
  let normal = select(vec3f(0.0, -1.0, 0.0), upward, front);
  let macro_normal = select(normal, normalize(vec3f(-gradient.x, 1.0, -gradient.y)), front);
  let occlusion = clamp(1.0 - 0.3 * hollow, 0.6, 1.0);
  let tone = 1.0 + 0.2 * (grain.x + pebble.x) + 0.12 * tuft.x;
  let matter = Matter(cover.albedo * tone, cover.roughness, vec3f(0.0), 0.0, select(0.4, occlusion, front), macro_normal);
  return vec4f(with_fog(shade(matter, normal, surface.relative), surface.relative), 1.0);
}
