// Ground with layers: up to 16 materials blended by weight textures, in the same one draw as ground without. A pixel reads
// each layer that has weight there: its maps are laid on from above where the ground is level and from the sides where it is
// steep, shifted from patch to patch so that no repeat is seen, and blended by weight and by height, so that stones stand out
// of the sand between them. Input: group 1. Output: linear radiance, alpha 1. Run by runtime/renderer/forwardPass.ts.
// share_of mirrors FieldLayers.weightsInto (runtime/terrain/fieldLayers.ts), which layersAt answers from.
#include "include/frame.wgsl"
#include "include/object.wgsl"
#include "include/shade.wgsl"
#include "include/noise.wgsl"
#include "include/ground_sight.wgsl"
#include "include/ground_layers.wgsl"

@group(1) @binding(2) var<uniform> layers: GroundLayers;
@group(1) @binding(3) var weights0: texture_2d<f32>;         // over the rect, a layer a channel
@group(1) @binding(4) var weights1: texture_2d<f32>;
@group(1) @binding(5) var weights2: texture_2d<f32>;
@group(1) @binding(6) var weights3: texture_2d<f32>;
@group(1) @binding(7) var clamped: sampler;
@group(1) @binding(8) var colors: texture_2d_array<f32>;     // linear colour, and the height 0..1 in alpha
@group(1) @binding(9) var matters: texture_2d_array<f32>;    // the normal's x and y (0..1 for -1..1), roughness, occlusion
@group(1) @binding(10) var repeated: sampler;

/// Whether maps are read along the pixel's own footprint. A CPU adapter pays for each step of that: there one level of the
/// maps answers, between the one that would shimmer and the one that would blur.
override ANISOTROPIC = true;

/// A weight below this is none: it could not be seen.
const LEAST_WEIGHT = 0.002;

@vertex fn ground_layers_vertex(
  @builtin(instance_index) object: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
) -> Surface {
  return place_vertex(objects[object], position, normal, vec4f(1.0));
}

alias Weights = array<vec4f, 4>;

fn weights_at(uv: vec2f) -> Weights {
  var found: Weights;
  let count = layers.weightTextures;
  if (count > 0u) { found[0] = textureSampleLevel(weights0, clamped, uv, 0.0); }
  if (count > 1u) { found[1] = textureSampleLevel(weights1, clamped, uv, 0.0); }
  if (count > 2u) { found[2] = textureSampleLevel(weights2, clamped, uv, 0.0); }
  if (count > 3u) { found[3] = textureSampleLevel(weights3, clamped, uv, 0.0); }
  return found;
}

/// The weights under a pixel. They have no mip levels: where a pixel spans their texels, four places in it are asked.
fn read_weights(uv: vec2f, dx: vec2f, dy: vec2f) -> Weights {
  if (max(length(dx * layers.finest), length(dy * layers.finest)) < 1.0) { return weights_at(uv); }
  var sum: Weights;
  for (var i = 0u; i < 4u; i++) {
    let side = vec2f(f32(i & 1u), f32(i >> 1u)) * 2.0 - 1.0;
    // Turned a little, so that no two share a row or a column.
    let part = weights_at(uv + dx * (0.27 * side.x - 0.11 * side.y) + dy * (0.27 * side.y + 0.11 * side.x));
    for (var k = 0u; k < 4u; k++) { sum[k] += 0.25 * part[k]; }
  }
  return sum;
}

fn raw_weight(weight: u32, weights: ptr<function, Weights>) -> f32 {
  if (weight == REST) { return 0.0; }
  return (*weights)[weight >> 2u][weight & 3u];
}

/// A layer's share of a place, before heights: its weight over the sum of all, which is `covered`. The first layer has what is
/// missing to 1 where it has no weights of its own, and all where nothing else has weight.
fn share_of(index: u32, weight: u32, raw: f32, covered: f32) -> f32 {
  if (weight == REST) { return max(1.0 - covered, 0.0); }
  let resting = layers.layers[0].weight == REST;
  if (covered <= 0.0) { return select(0.0, 1.0, index == 0u && !resting); }
  return raw / select(covered, max(covered, 1.0), resting);
}

/// What lies at a place of one layer, or of several blended.
struct Lie {
  color: vec4f,   // linear colour, height 0..1
  matter: vec4f,  // the normal's x and y, -1..1, roughness, occlusion
}

/// A pixel on the maps: how a place on them (in repeats) changes along the picture's rows and columns, and how wide a pixel is.
struct Grain {
  dx: vec2f,
  dy: vec2f,
  wide: f32,
}

fn read_map(map: texture_2d_array<f32>, slice: i32, uv: vec2f, grain: Grain) -> vec4f {
  if (ANISOTROPIC) { return textureSampleGrad(map, repeated, uv, slice, grain.dx, grain.dy); }
  return textureSampleLevel(map, repeated, uv, slice, log2(grain.wide * f32(textureDimensions(map).x)));
}

fn sample_lie(layer: GroundLayer, uv: vec2f, grain: Grain) -> Lie {
  var lie = Lie(vec4f(1.0, 1.0, 1.0, 0.5), vec4f(0.0, 0.0, 1.0, 1.0));
  if (layer.colorSlice >= 0) { lie.color = read_map(colors, layer.colorSlice, uv, grain); }
  if (layer.matterSlice >= 0) {
    let matter = read_map(matters, layer.matterSlice, uv, grain);
    lie.matter = vec4f((matter.xy * (255.0 / 127.0) - 128.0 / 127.0) * layer.relief, matter.zw);
  }
  return lie;
}

/// Where in its maps patch number `patch` of a layer begins.
fn shift_of(patch_: i32, layer: u32) -> vec2f {
  let way = vec2i(patch_, i32(layer));
  return vec2f(hash_point(way), hash_point(way + vec2i(0, 977)));
}

/// A layer's maps at `uv` (repeats) on one side of the ground. Patches some repeats across, bounded by the level lines of a
/// noise, begin at other places of the maps (after Quilez, "Texture repetition", 2015); along a bound the higher stands out.
fn lay(layer: GroundLayer, index: u32, uv: vec2f, grain: Grain, patches: f32) -> Lie {
  let patch_ = floor(patches);
  let past = smoothstep(0.35, 0.65, patches - patch_);
  let number = i32(patch_) + select(0, 1, past >= 1.0);
  var lie = sample_lie(layer, uv + shift_of(number, index), grain);
  if (past > 0.0 && past < 1.0) {
    let next = sample_lie(layer, uv + shift_of(number + 1, index), grain);
    let rise = next.color.w - lie.color.w;
    let part = saturate(past + 2.0 * rise * past * (1.0 - past));
    lie.color = mix(lie.color, next.color, part);
    lie.matter = mix(lie.matter, next.matter, part);
  }
  return lie;
}

/// Turned by 21.8 degrees and 5.39 times as large. Whole repeats of PERIOD = 29 come out whole, so that the camera's place may be taken modulo them.
fn enlarged(uv: vec2f) -> vec2f {
  return vec2f(5.0 * uv.x + 2.0 * uv.y, 5.0 * uv.y - 2.0 * uv.x) / 29.0;
}

/// What a pixel sees of a layer on all sides: its material, and its normal with the ground's.
struct Cover {
  color: vec4f,      // linear albedo, height 0..1
  normal: vec3f,     // world, not unit
  roughness: f32,
  occlusion: f32,
}

/// The pixel on the maps: places along all three axes, in metres, and how they change along the picture's rows and columns.
struct Footprint {
  relative: vec3f,   // from the camera
  dx: vec3f,
  dy: vec3f,
  fixed: vec3f,      // from the rect's corner and the declared low: for noise, which never repeats
  wide: f32,         // between its shorter and its longer side
}

/// `sides`: how far the ground faces X, Y and Z, in all 1. The side facing an axis is laid on upright: u runs to the right of
/// who looks at it, v down, and from above v runs along +Z.
fn cover_of(layer: GroundLayer, index: u32, print: Footprint, surface: vec3f, sides: vec3f) -> Cover {
  let place = (print.relative + layer.fromOrigin) * layer.perMetre;
  let noise = print.fixed * (layer.perMetre * 0.31) + 7.3 * f32(index);
  let dx = print.dx * layer.perMetre;
  let dy = print.dy * layer.perMetre;
  let wide = print.wide * layer.perMetre;
  // The large copy of the maps comes in where the small one blurs: a tint around their mean.
  let afar = smoothstep(0.01, 0.08, wide);
  var cover = Cover(vec4f(0.0), vec3f(0.0), 0.0, 0.0);
  var sum = 0.0;
  for (var axis = 0u; axis < 3u; axis++) {
    let part = sides[axis];
    if (part <= 0.0) { continue; }
    let level = axis == 1u;
    let alongX = axis != 0u;
    // 1 or -1: which way u runs.
    let sense = select(select(sign(surface.z), -sign(surface.x), axis == 0u), 1.0, level);
    let uv = vec2f(sense * select(place.z, place.x, alongX), select(-place.y, place.z, level));
    let grain = Grain(
      vec2f(sense * select(dx.z, dx.x, alongX), select(-dx.y, dx.z, level)),
      vec2f(sense * select(dy.z, dy.x, alongX), select(-dy.y, dy.z, level)),
      wide);
    let spot = vec2f(select(noise.z, noise.x, alongX), select(noise.y, noise.z, level));
    var lie = lay(layer, index, uv, grain, 2.6 * noise_value(spot));
    if (afar > 0.0 && layer.variation > 0.0) {
      let larger = Grain(enlarged(grain.dx), enlarged(grain.dy), wide / 5.385);
      let large = read_map(colors, layer.colorSlice, enlarged(uv), larger);
      lie.color = vec4f(lie.color.rgb * mix(vec3f(1.0), large.rgb / layer.mean, 0.5 * afar), lie.color.a);
    }
    // The map's normal and the ground's, as in Barré-Brisebois and Hill, "Blending in Detail" (2012), "whiteout", on each side.
    let tilt = lie.matter.xy;
    let up = sqrt(saturate(1.0 - dot(tilt, tilt)));
    let right = sense * tilt.x;
    let above = vec3f(surface.x + right, surface.y * up, surface.z - tilt.y);
    let alongsideX = vec3f(surface.x * up, surface.y + tilt.y, surface.z + right);
    let alongsideZ = vec3f(surface.x + right, surface.y + tilt.y, surface.z * up);
    // Where two sides meet, what stands out on either shows, as between layers.
    let share = part * exp2(layer.contrast * (lie.color.w - 0.5));
    cover.normal += share * select(select(alongsideZ, alongsideX, axis == 0u), above, level);
    cover.color += share * lie.color;
    cover.roughness += share * lie.matter.z;
    cover.occlusion += share * lie.matter.w;
    sum += share;
  }
  return Cover(cover.color / sum, cover.normal / sum, cover.roughness / sum, cover.occlusion / sum);
}

/// Level ground is laid on from above alone, up to a slope of 30 degrees; from 60 on from the sides alone.
fn sides_of(surface: vec3f) -> vec3f {
  let facing = max(abs(surface) - 0.5, vec3f(0.0));
  let squared = facing * facing;
  return squared / (squared.x + squared.y + squared.z);
}

@fragment fn ground_layers_fragment(surface: Surface, @builtin(front_facing) facing: bool) -> @location(0) vec4f {
  let sight = see_ground(surface, facing);
  let dx = dpdx(surface.relative);
  let dy = dpdy(surface.relative);
  let longer = max(length(dx), length(dy));
  let wide = max(min(length(dx), length(dy)), 0.5 * longer);
  let fixed = vec3f(sight.meters.x, surface.relative.y + ground.cameraHeight, sight.meters.y);
  let print = Footprint(surface.relative, dx, dy, fixed, wide);
  let rect = ground.texel * vec2f(ground.count);
  var weights = read_weights(sight.meters / rect, dx.xz / rect, dy.xz / rect);
  var covered = 0.0;
  for (var i = 0u; i < layers.count; i++) { covered += raw_weight(layers.layers[i].weight, &weights); }
  let bare = ground_normal(sight.gradient, true);
  let sides = sides_of(bare);

  var color = vec3f(0.0);
  var emissive = vec3f(0.0);
  var normal = vec3f(0.0);
  var roughness = 0.0;
  var metallic = 0.0;
  var occlusion = 0.0;
  var sum = 0.0;
  // No two places of one layer are quite alike, at sizes that no map has.
  let macro_ = 0.11 * noise_value(turned(sight.meters, vec2f(0.8, 0.6)) / 61.0) * seen(wide, 61.0)
    + 0.08 * noise_value(turned(sight.meters, vec2f(0.28, 0.96)) / 13.0) * seen(wide, 13.0);
  let tint = 1.0 + macro_ * vec3f(1.15, 1.0, 0.7);
  for (var i = 0u; i < layers.count; i++) {
    let layer = layers.layers[i];
    let own = share_of(i, layer.weight, raw_weight(layer.weight, &weights), covered);
    if (own < LEAST_WEIGHT) { continue; }
    let cover = cover_of(layer, i, print, bare, sides);
    let part = own * exp2(layer.contrast * (cover.color.w - 0.5));
    color += part * layer.albedo * cover.color.rgb * mix(vec3f(1.0), tint, layer.variation);
    emissive += part * layer.emissive;
    normal += part * normalize(cover.normal);
    roughness += part * layer.roughness * cover.roughness;
    metallic += part * layer.metallic;
    occlusion += part * cover.occlusion;
    sum += part;
  }
  let scale = 1.0 / sum;
  let up = select(vec3f(0.0, -1.0, 0.0), normalize(normal), sight.front);
  let matter = Matter(
    color * scale, pixel_roughness(roughness * scale, up), emissive * scale, metallic * scale,
    occlusion * scale * ground_occlusion(sight), ground_normal(sight.gradient, sight.front), sight.lift);
  let irradiance = hemisphere(up);
  var around = irradiance / PI;
  // Wet, icy or metal ground mirrors the sky.
  if (matter.roughness < 0.8) { around = mirrored_around(matter.roughness, up, sight.eye, irradiance); }
  return vec4f(with_fog(shade(matter, up, sight.eye, surface.relative, irradiance, around), surface.relative), 1.0);
}
