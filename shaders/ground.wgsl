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
  let eye = toward_eye(surface.relative);
  let front = facing || (ground.submerged == 0u && dot(vertexNormal, eye) > -0.15);
  let gradient = mix(relief.gradient, -vertexNormal.xz / max(vertexNormal.y, 0.02), far);
  let slope = length(gradient);
  // The texels' height, not the mesh's: a node that changes its density does not change its colours.
  let above = mix(relief.height - ground.low, surface.relative.y + ground.cameraHeight, far);
  let height = clamp(above / ground.relief, 0.0, 1.0);

  // Whole slopes and patches; then the beds of rock, which come out at one height along a slope, a little warped.
  let regions = max(0.14 * ground.extent, 40.0);
  let region = noise_value(turned(meters, vec2f(0.8, 0.6)) / regions) * seen(wide, regions);
  let patchy = max(0.033 * ground.extent, 17.0);
  let patches = noise_value(turned(meters, vec2f(0.28, 0.96)) / patchy) * seen(wide, patchy);
  let bed = 0.035 * ground.relief;
  let beds = noise_value(vec2f(above / bed + 1.2 * patches, region)) * seen(wide, bed);

  // Clumps, tufts, grain, pebbles, as far as a pixel is fine enough for them. One loop, so that the noise is compiled
  // once; its constants move up a place a turn, which costs a CPU adapter less than an index does.
  var periods = vec4f(6.1, 1.7, 0.39, 0.11);
  var wayX = vec4f(0.96, 0.6, 0.936, 0.352);
  var wayY = vec4f(0.28, 0.8, 0.352, 0.936);
  var mottles = vec4f(0.4, 0.35, 0.25, 0.2);
  var tilts = vec4f(1.5, 1.0, 0.3, 0.12);
  var tones = vec4f(0.0, 0.12, 0.2, 0.2);
  var lines = 0.02;
  var mottle = 0.55 * patches;
  var line = 0.11 * region + 0.06 * patches;
  var tone = 1.0;
  var tilt = vec2f(0.0);
  loop {
    let way = vec2f(wayX.x, wayY.x);
    let n = noise_slope(turned(meters, way) / periods.x) * seen(wide, periods.x);
    mottle += mottles.x * n.x;
    line += lines * n.x;
    tone += tones.x * n.x;
    tilt += tilts.x / periods.x * vec2f(way.x * n.y + way.y * n.z, way.x * n.z - way.y * n.y);
    periods = vec4f(periods.yzw, 0.0);
    wayX = wayX.yzww;
    wayY = wayY.yzww;
    mottles = mottles.yzww;
    tilts = tilts.yzww;
    tones = tones.yzww;
    lines = 0.0;
    continuing {
      // Tested at the end, for a CPU adapter runs through a loop's body to find that it is done.
      break if wide >= 0.55 * periods.x;
    }
  }
  // Hollows keep soil and water; ridges are scoured.
  let hollow = clamp(relief.bend * sqrt(ground.texel.x * ground.extent) * 0.35, -1.0, 1.0) * (1.0 - far);

  let grass = Cover(mix(vec3f(0.062, 0.098, 0.022), vec3f(0.165, 0.17, 0.045), saturate(0.45 + 0.55 * region + 0.5 * mottle)), 0.92, 0.16);
  let dry = Cover(mix(vec3f(0.20, 0.155, 0.07), vec3f(0.37, 0.30, 0.155), saturate(0.5 + 0.7 * mottle)), 0.95, 0.13);
  let rock = Cover(mix(vec3f(0.105, 0.08, 0.058), vec3f(0.34, 0.28, 0.21), saturate(0.42 + 0.5 * mottle - 0.2 * hollow + 0.4 * beds)), 0.8, 0.22);
  // Low hills end in pale scree, mountains in snow.
  let alpine = smoothstep(300.0, 900.0, ground.relief);
  let scree = Cover(mix(vec3f(0.34, 0.305, 0.26), vec3f(0.56, 0.53, 0.48), saturate(0.5 + 0.6 * mottle)), 0.9, 0.2);
  let snow = Cover(mix(vec3f(0.78, 0.82, 0.88), vec3f(0.9, 0.91, 0.93), saturate(0.5 + mottle)), 0.8, 0.05);

  line += height - 0.05 * hollow;
  let bare = slope + 0.11 * mottle - 0.12 * hollow + 0.05 * beds;
  var cover = blend_cover(grass, dry, smoothstep(0.30, 0.62, line));
  cover = blend_cover(cover, scree, smoothstep(0.70, 0.90, line) * (1.0 - alpine));
  cover = blend_cover(cover, rock, smoothstep(0.48, 0.78, bare));
  cover = blend_cover(cover, snow, smoothstep(0.52, 0.66, line) * (1.0 - smoothstep(0.85, 1.25, bare)) * alpine);

  // Fine relief: the noise's slopes tilt the normal, as far as its octaves are seen.
  let tilted = gradient + cover.bump * tilt;
  let upward = normalize(vec3f(-tilted.x, 1.0, -tilted.y));
  let normal = select(vec3f(0.0, -1.0, 0.0), upward, front);
  let macro_normal = select(normal, normalize(vec3f(-gradient.x, 1.0, -gradient.y)), front);
  let occlusion = clamp(1.0 - 0.3 * hollow, 0.6, 1.0);
  let matter = Matter(cover.albedo * tone, cover.roughness, vec3f(0.0), 0.0, select(0.4, occlusion, front), macro_normal);
  // All of it is matte.
  let irradiance = hemisphere(normal);
  return vec4f(with_fog(shade(matter, normal, eye, surface.relative, irradiance, irradiance / PI), surface.relative), 1.0);
}
