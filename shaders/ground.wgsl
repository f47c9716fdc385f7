// Ground with no layers: colour by slope and height, shaded pixel by pixel with the heightfield's own gradients, so that
// a coarse far node shades as finely as a near one. Input: group 1, the field's texels (height, d/dx, d/dz, coverage;
// rows × columns, row-major). Output: linear radiance, alpha 1. Run by runtime/renderer/forwardPass.ts.
#include "include/frame.wgsl"
#include "include/object.wgsl"
#include "include/shade.wgsl"
#include "include/noise.wgsl"

struct Ground {
  fromCorner: vec2f,   // the camera's x, z minus the rect's -X, -Z corner, metres
  texel: vec2f,        // a texel's sides, metres
  count: vec2u,        // texels along X and Z
  cameraHeight: f32,   // y of the camera minus `low`, metres
  relief: f32,         // the declared height range's extent, metres, above 0
  extent: f32,         // the rect's longer side, metres
}

@group(1) @binding(0) var<uniform> ground: Ground;
@group(1) @binding(1) var<storage, read> texels: array<vec4f>;

/// What the texels say of a place: the gradient blended across the four around it, and how the ground bends there.
struct Relief {
  gradient: vec2f,   // d/dx, d/dz, metres a metre
  bend: f32,         // Laplacian of the height, 1/metre: above 0 in hollows, below on ridges
}

@vertex fn ground_vertex(
  @builtin(instance_index) object: u32,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
) -> Surface {
  return place_vertex(objects[object], position, normal, vec4f(1.0));
}

fn texel_at(column: i32, row: i32) -> vec4f {
  return texels[u32(row) * ground.count.x + u32(column)];
}

/// `place` in texels from the first texel's centre. Past the outermost centres the surface is flat, and they answer.
fn read_relief(place: vec2f) -> Relief {
  let last = vec2f(ground.count) - 1.0;
  let clamped = clamp(place, vec2f(0.0), last);
  let cell = min(floor(clamped), max(last - 1.0, vec2f(0.0)));
  let f = clamped - cell;
  let low = vec2i(cell);
  let high = min(low + 1, vec2i(ground.count) - 1);
  let t00 = texel_at(low.x, low.y).yz;
  let t10 = texel_at(high.x, low.y).yz;
  let t01 = texel_at(low.x, high.y).yz;
  let t11 = texel_at(high.x, high.y).yz;
  let bendX = mix(t10.x - t00.x, t11.x - t01.x, f.y) / ground.texel.x;
  let bendZ = mix(t01.y - t00.y, t11.y - t10.y, f.x) / ground.texel.y;
  return Relief(mix(mix(t00, t10, f.x), mix(t01, t11, f.x), f.y), bendX + bendZ);
}

/// One octave of noise, gone where a pixel is too wide for it. x: the noise, yz: its slope a metre. `wide`: a pixel's footprint, metres.
fn octave(place: vec2f, period: f32, wide: f32) -> vec3f {
  let seen = 1.0 - smoothstep(0.25, 0.6, wide / period);
  if (seen <= 0.0) { return vec3f(0.0); }
  let n = value_noise(place / period);
  return vec3f(n.x, n.yz / period) * seen;
}

struct Cover {
  albedo: vec3f,   // linear
  roughness: f32,
  bump: f32,       // metres of fine relief
}

fn blend_cover(a: Cover, b: Cover, weight: f32) -> Cover {
  return Cover(mix(a.albedo, b.albedo, weight), mix(a.roughness, b.roughness, weight), mix(a.bump, b.bump, weight));
}

@fragment fn ground_fragment(surface: Surface, @builtin(front_facing) front: bool) -> @location(0) vec4f {
  let meters = surface.relative.xz + ground.fromCorner;
  let place = meters / ground.texel - 0.5;
  // A pixel's footprint along its longer side, in metres and in texels.
  let dx = dpdx(meters);
  let dy = dpdy(meters);
  let wide = max(length(dx), length(dy));
  let texelsWide = max(length(dx / ground.texel), length(dy / ground.texel));

  let relief = read_relief(place);
  let vertexNormal = normalize(surface.normal);
  let vertexGradient = -vertexNormal.xz / max(vertexNormal.y, 0.02);
  let far = smoothstep(1.0, 3.0, texelsWide);
  let gradient = mix(relief.gradient, vertexGradient, far);
  let slope = length(gradient);
  let height = clamp((surface.relative.y + ground.cameraHeight) / ground.relief, 0.0, 1.0);

  // Noise of unlike periods, so that nothing repeats within sight: whole slopes, patches, tufts and stones.
  let region = octave(meters + 37.0, max(ground.extent * 0.14, 40.0), wide);
  let patches = octave(meters.yx + 11.0, max(ground.extent * 0.031, 17.0), wide);
  let clump = octave(meters + 5.0, 7.3, wide);
  let tuft = octave(meters.yx, 1.9, wide);
  let grain = octave(meters, 0.43, wide);
  let mottle = 0.5 * patches.x + 0.35 * clump.x + 0.3 * tuft.x;
  // Hollows keep soil and water; ridges are scoured.
  let hollow = clamp(relief.bend * sqrt(ground.texel.x * ground.extent) * 0.35, -1.0, 1.0) * (1.0 - far);

  let grass = Cover(mix(vec3f(0.075, 0.105, 0.03), vec3f(0.15, 0.155, 0.05), saturate(0.5 + 0.5 * region.x + 0.35 * mottle)), 0.92, 0.05);
  let dry = Cover(mix(vec3f(0.23, 0.185, 0.095), vec3f(0.30, 0.245, 0.14), saturate(0.5 + 0.6 * mottle)), 0.95, 0.04);
  let rock = Cover(mix(vec3f(0.115, 0.10, 0.09), vec3f(0.235, 0.21, 0.185), saturate(0.45 + 0.35 * mottle - 0.3 * hollow + 0.25 * grain.x)), 0.82, 0.16);
  let scree = Cover(mix(vec3f(0.36, 0.335, 0.305), vec3f(0.50, 0.48, 0.45), saturate(0.5 + 0.5 * mottle)), 0.9, 0.07);

  let line = height + 0.10 * region.x + 0.05 * patches.x + 0.02 * clump.x - 0.06 * hollow;
  var cover = blend_cover(grass, dry, smoothstep(0.30, 0.62, line));
  cover = blend_cover(cover, scree, smoothstep(0.74, 0.92, line));
  let bare = slope + 0.10 * mottle - 0.10 * hollow + 0.05 * tuft.x;
  cover = blend_cover(cover, rock, smoothstep(0.48, 0.82, bare));

  // Fine relief: the noise's slopes tilt the normal, as far as its octaves are seen.
  let bump = cover.bump * (tuft.yz.yx + 0.35 * grain.yz + 1.6 * clump.yz);
  let tilted = gradient + bump;
  let upward = normalize(vec3f(-tilted.x, 1.0, -tilted.y));
  let normal = select(-upward, upward, front);
  let occlusion = clamp(1.0 - 0.3 * hollow, 0.6, 1.0);
  let tone = 1.0 + 0.12 * grain.x + 0.10 * tuft.x;
  let matter = Matter(cover.albedo * tone, cover.roughness, vec3f(0.0), 0.0, select(0.4, occlusion, front));
  return vec4f(with_fog(shade(matter, normal, surface.relative), surface.relative), 1.0);
}
