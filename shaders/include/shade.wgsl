// Metallic-roughness shading: GGX with height-correlated Smith visibility and Schlick's Fresnel, as in Filament's
// "Physically Based Rendering in Filament" 4.4. What microfacets pass on to each other is given back (Turquin, "Practical
// Multiple Scattering Compensation for Microfacet Models", 2019), and what is mirrored is not scattered as well: under light
// from everywhere a white thing is white, whatever its roughness and metal. Needs include/frame.wgsl.
#include "shadow.wgsl"
#include "air.wgsl"

const PI = 3.14159265358979;

/// Whether there may be point and spot lights; where there are none, a CPU adapter is spared their part of every pixel.
override LOCAL_LIGHTS = true;

struct Matter {
  albedo: vec3f,     // linear base colour 0..1
  roughness: f32,    // perceptual, 0..1
  emissive: vec3f,   // linear radiance
  metallic: f32,     // 0..1
  occlusion: f32,    // part of the sky's light that reaches it, 0..1
  surface: vec3f,    // unit normal without fine relief: what turns away from a light by it is dark
  lift: f32,         // metres above the drawn triangle at which the sun's shadows fall, at least 0
}

/// Unit vector from a place toward the eye.
fn toward_eye(relative: vec3f) -> vec3f {
  return normalize(mix(-frame.forward, -relative, frame.perspective));
}

/// Most that the spread of normals over a pixel adds to the square of alpha.
const WIDEST_SPREAD = 0.18;

/// The roughness that a surface has over a whole pixel, so that what shines does not glitter: its own and the spread of its
/// normals (Tokuyoshi and Kaplanyan, "Improved Geometric Specular Antialiasing", 2019, with a filter of half a pixel). Takes
/// derivatives: to be called before any branch.
fn pixel_roughness(roughness: f32, normal: vec3f) -> f32 {
  let dx = dpdx(normal);
  let dy = dpdy(normal);
  let spread = min(0.5 * (dot(dx, dx) + dot(dy, dy)), WIDEST_SPREAD);
  let a2 = roughness * roughness * roughness * roughness;
  return sqrt(sqrt(min(a2 + spread, 1.0)));
}

/// What is the same for every light that a pixel gets.
struct Gloss {
  a2: f32,          // the square of GGX's alpha
  n_v: f32,         // cosine between normal and eye, above 0
  f0: vec3f,        // mirrored of light that falls straight on
  single: vec3f,    // mirrored toward the eye of light from everywhere, by one bounce ..
  several: vec3f,   // .. and by more
  diffuse: vec3f,   // scattered of light from everywhere
  gain: vec3f,      // by which one bounce is raised to stand for all
}

fn gloss_of(matter: Matter, normal: vec3f, eye: vec3f) -> Gloss {
  let n_v = clamp(dot(normal, eye), 1e-3, 1.0);
  let alpha = max(matter.roughness * matter.roughness, 2e-3);
  let f0 = mix(vec3f(0.04), matter.albedo, matter.metallic);
  // What a white mirror of this roughness sends on with one bounce: a polynomial laid through integrals of `direct` by least
  // squares, 1.7 % from them on the average.
  let n_v2 = n_v * n_v;
  let c1 = 0.9215 - 0.7794 * n_v - 0.2663 * n_v2;
  let c2 = -2.1444 + 6.2345 * n_v - 2.0829 * n_v2;
  let c3 = 1.3937 - 4.4572 * n_v + 1.8456 * n_v2;
  let whole = clamp(1.0 - alpha * (c1 + alpha * (c2 + alpha * c3)), 0.05, 1.0);
  // Of it, what Fresnel adds to f0 (Karis, "Physically Based Shading on Mobile", 2014).
  let r = 1.0 - matter.roughness;
  let edge = min(r * r, exp2(-9.28 * n_v)) * r + 0.0425 - 0.0275 * matter.roughness;
  let raised = clamp(1.04 * edge - 0.04 + 0.022 * matter.roughness, 0.0, whole);
  let single = f0 * (whole - raised) + raised;
  let gain = 1.0 + f0 * (1.0 / whole - 1.0);
  let diffuse = (1.0 - single * gain) * (1.0 - matter.metallic) * matter.albedo;
  return Gloss(alpha * alpha, n_v, f0, single, single * (gain - 1.0), diffuse, gain);
}

/// Radiance toward `eye` from light of `irradiance` (facing it) out of unit direction `light`.
fn direct(matter: Matter, normal: vec3f, eye: vec3f, light: vec3f, irradiance: vec3f) -> vec3f {
  return lit_by(gloss_of(matter, normal, eye), normal, eye, light, irradiance);
}

fn lit_by(gloss: Gloss, normal: vec3f, eye: vec3f, light: vec3f, irradiance: vec3f) -> vec3f {
  let n_l = dot(normal, light);
  if (n_l <= 0.0) { return vec3f(0.0); }
  let half_ = normalize(eye + light);
  let n_v = gloss.n_v;
  let n_h = clamp(dot(normal, half_), 0.0, 1.0);
  let l_h = clamp(dot(light, half_), 0.0, 1.0);
  let a2 = gloss.a2;
  let spread = (n_h * a2 - n_h) * n_h + 1.0;
  let distribution = a2 / (PI * spread * spread);
  let visibility = 0.5 / (n_l * sqrt((n_v - a2 * n_v) * n_v + a2) + n_v * sqrt((n_l - a2 * n_l) * n_l + a2));
  let m = 1.0 - l_h;
  let fresnel = gloss.f0 + (1.0 - gloss.f0) * (m * m * m * m * m);
  return (gloss.diffuse / PI + gloss.gain * fresnel * (distribution * visibility)) * irradiance * n_l;
}

/// Irradiance from the sky and the ground around, by a unit normal.
fn hemisphere(normal: vec3f) -> vec3f {
  let s = dot(normal.xz, frame.sunLevel);
  let even = frame.ambient[0] + normal.y * (frame.ambient[1] + normal.y * frame.ambient[3]);
  return max(even + s * (frame.ambient[2] + normal.y * frame.ambient[4] + s * frame.ambient[5]), vec3f(0.0));
}

/// What a surface mirrors of the sky and the ground around, radiance. The rougher, the more of the whole hemisphere; from a roughness of 0.8 on that alone.
fn mirrored_around(roughness: f32, normal: vec3f, eye: vec3f, irradiance: vec3f) -> vec3f {
  let mirrored = reflect(-eye, normal);
  let sharp = mix(frame.groundRadiance, sky_radiance(mirrored), smoothstep(-0.25, 0.15, mirrored.y));
  return mix(sharp, irradiance / PI, saturate(roughness * 1.25));
}

/// Radiance of the light from all around: `irradiance` for what is scattered, `around` for what is mirrored.
fn ambient(gloss: Gloss, occlusion: f32, irradiance: vec3f, around: vec3f) -> vec3f {
  return (gloss.single * around + (gloss.several + gloss.diffuse) * irradiance / PI) * occlusion;
}

/// Everything that leaves a place toward the eye, fog not included. `normal` and `eye` (toward_eye) are unit, `relative` in
/// metres from the camera, `irradiance` the hemisphere's, `around` the radiance that is mirrored: mirrored_around's, or for
/// matte things irradiance / PI.
fn shade(matter: Matter, normal: vec3f, eye: vec3f, relative: vec3f, irradiance: vec3f, around: vec3f) -> vec3f {
  let gloss = gloss_of(matter, normal, eye);
  var radiance = matter.emissive + ambient(gloss, matter.occlusion, irradiance, around);
  // The sun is the light before the first, so that `direct` is compiled once. The end is tested at the end: a CPU adapter
  // runs through a loop's body to find that it is done.
  let count = select(0u, min(frame.lightCount, MAX_LIGHTS), LOCAL_LIGHTS);
  var i = 0u;
  loop {
    var way = frame.sunDirection;
    var arriving = frame.sunColor;
    if (LOCAL_LIGHTS && i > 0u) {
      let light = frame.lights[i - 1u];
      let to = light.position - relative;
      let distance2 = max(dot(to, to), 1e-4);
      way = to * inverseSqrt(distance2);
      // Inverse square, with a window that brings it to 0 at the range (Karis, "Real Shading in Unreal Engine 4").
      let fade = saturate(1.0 - distance2 * distance2 / (light.range * light.range * light.range * light.range));
      let cone = smoothstep(light.cosOuter, light.cosInner, dot(-way, light.direction));
      arriving = light.color * (fade * fade * cone / distance2);
    }
    let turned_to = smoothstep(-0.05, 0.1, dot(matter.surface, way));
    arriving *= turned_to;
    if (i == 0u && turned_to > 0.0) { arriving *= sunlit(relative + vec3f(0.0, matter.lift, 0.0), matter.surface); }
    radiance += lit_by(gloss, normal, eye, way, arriving);
    continuing {
      i++;
      break if i > count;
    }
  }
  return radiance;
}
