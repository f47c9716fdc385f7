// ground_maps: one invocation writes one texel of one level of the ground's textures: of the finest from what ground_relief
// found there and around, of each other from the four texels of the level before.
//
// Dispatch, once a level, finest first: x and y cover the level's texels in workgroups of SIDE × SIDE, z is the slice. Out:
// `colors`: colour as a part of what its cover has, halved (0.5 is as it is), and the height, 0.5 in the middle; `matters`: the
// slopes along u and v (128 of 255 for 0, 127 each way for 1), roughness, occlusion. A level's mean is that of the one before: nothing changes its
// colour with distance. What slopes are averaged away makes the level rougher (Toksvig, "Mipmapping Normal Maps", 2005).
// CPU twin: runtime/renderer/groundReliefTwin.ts.
#include "include/ground_relief.wgsl"

@group(0) @binding(0) var<uniform> plan: ReliefPlan;
@group(0) @binding(1) var<storage, read> relief: array<vec4f>;
@group(1) @binding(0) var finer_colors: texture_2d_array<f32>;   // the level before; at the finest, never read
@group(1) @binding(1) var finer_matters: texture_2d_array<f32>;
@group(1) @binding(2) var colors: texture_storage_2d_array<rgba8unorm, write>;
@group(1) @binding(3) var matters: texture_storage_2d_array<rgba8unorm, write>;

override SIDE: u32 = 8u;

fn relief_at(place: vec2i, slice: u32) -> vec4f {
  let at = vec2u(place) & vec2u(plan.side - 1u);
  return relief[(slice * plan.side + at.y) * plan.side + at.x];
}

/// The slopes that two parts hold.
fn slope_of(parts: vec2f) -> vec2f { return parts * (255.0 / 127.0) - 128.0 / 127.0; }

@compute @workgroup_size(SIDE, SIDE)
fn ground_maps(@builtin(global_invocation_id) id: vec3u) {
  let level = textureDimensions(colors);
  if (any(id.xy >= level) || id.z >= plan.count) { return; }
  var color = vec4f(0.0);
  var matter = vec4f(0.0);
  if (level.x == plan.side) {
    let slice = plan.slices[id.z];
    let place = vec2i(id.xy);
    let own = relief_at(place, id.z);
    let rise = vec2f(
      relief_at(place + vec2i(1, 0), id.z).x - relief_at(place - vec2i(1, 0), id.z).x,
      relief_at(place + vec2i(0, 1), id.z).x - relief_at(place - vec2i(0, 1), id.z).x);
    // Hollows by what stands around: some hundredths of the square away.
    let reach = i32(max(plan.side / 48u, 1u));
    var around = 0.0;
    for (var i = 0; i < 8; i++) {
      let turn = f32(i) * 0.78539816;
      around += 0.125 * relief_at(place + vec2i(round(vec2f(cos(turn), sin(turn)) * f32(reach))), id.z).x;
    }
    let occlusion = saturate(1.0 - slice.hollow * max(around - own.x, 0.0) * 2.5);
    let slopes = rise * (0.5 * f32(plan.side) * slice.steepness);
    let tinted = (1.0 + own.y) * (1.0 + own.z * slice.tint);
    color = vec4f(0.5 * tinted, 0.5 + 0.5 * own.x);
    matter = vec4f(128.0 / 255.0 + slopes * (127.0 / 255.0), slice.roughness, occlusion);
  } else {
    var slopes2 = 0.0;
    for (var i = 0u; i < 4u; i++) {
      let finer = vec2i(2u * id.xy + vec2u(i & 1u, i >> 1u));
      color += 0.25 * textureLoad(finer_colors, finer, id.z, 0);
      let part = textureLoad(finer_matters, finer, id.z, 0);
      let slope = slope_of(part.xy);
      slopes2 += 0.25 * dot(slope, slope);
      let alpha = part.z * part.z;
      matter += 0.25 * vec4f(part.xy, alpha * alpha, part.w);
    }
    let slope = slope_of(matter.xy);
    let lost = max(slopes2 - dot(slope, slope), 0.0);
    matter.z = sqrt(sqrt(min(matter.z + lost, 1.0)));
  }
  textureStore(colors, id.xy, id.z, saturate(color));
  textureStore(matters, id.xy, id.z, saturate(matter));
}
