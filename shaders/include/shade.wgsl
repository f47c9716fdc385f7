// Metallic-roughness shading: GGX with height-correlated Smith visibility and Schlick's Fresnel, as in Filament's
// "Physically Based Rendering in Filament" 4.4; the sky's specular by Karis's fit of the split sum ("Physically Based
// Shading on Mobile", 2014). Needs include/frame.wgsl.
#include "shadow.wgsl"

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

/// Radiance toward `eye` from light of `irradiance` (facing it) out of unit direction `light`.
fn direct(matter: Matter, normal: vec3f, eye: vec3f, light: vec3f, irradiance: vec3f) -> vec3f {
  let n_l = dot(normal, light);
  if (n_l <= 0.0) { return vec3f(0.0); }
  let half_ = normalize(eye + light);
  let n_v = max(dot(normal, eye), 1e-3);
  let n_h = clamp(dot(normal, half_), 0.0, 1.0);
  let l_h = clamp(dot(light, half_), 0.0, 1.0);
  let alpha = max(matter.roughness * matter.roughness, 2e-3);
  let a2 = alpha * alpha;
  let spread = (n_h * a2 - n_h) * n_h + 1.0;
  let distribution = a2 / (PI * spread * spread);
  let visibility = 0.5 / (n_l * sqrt((n_v - a2 * n_v) * n_v + a2) + n_v * sqrt((n_l - a2 * n_l) * n_l + a2));
  let f0 = mix(vec3f(0.04), matter.albedo, matter.metallic);
  let m = 1.0 - l_h;
  let fresnel = f0 + (1.0 - f0) * (m * m * m * m * m);
  let diffuse = (1.0 - fresnel) * (1.0 - matter.metallic) * matter.albedo / PI;
  return (diffuse + fresnel * distribution * visibility) * irradiance * n_l;
}

/// Irradiance from the sky and the ground around.
fn hemisphere(normal: vec3f) -> vec3f {
  return mix(frame.groundAmbient, frame.skyAmbient, normal.y * 0.5 + 0.5);
}

/// What a surface mirrors of the sky and the ground around, radiance. The rougher, the more of the whole hemisphere; from a roughness of 0.8 on that alone.
fn mirrored_around(roughness: f32, normal: vec3f, eye: vec3f, irradiance: vec3f) -> vec3f {
  let mirrored = reflect(-eye, normal);
  let sharp = mix(frame.groundAmbient / PI, sky_radiance(mirrored), smoothstep(-0.25, 0.15, mirrored.y));
  return mix(sharp, irradiance / PI, saturate(roughness * 1.25));
}

/// Radiance of the light from all around: `irradiance` for the diffuse part, `around` for the mirrored one.
fn ambient(matter: Matter, normal: vec3f, eye: vec3f, irradiance: vec3f, around: vec3f) -> vec3f {
  let n_v = clamp(dot(normal, eye), 1e-3, 1.0);
  let c0 = vec4f(-1.0, -0.0275, -0.572, 0.022);
  let c1 = vec4f(1.0, 0.0425, 1.04, -0.04);
  let r = matter.roughness * c0 + c1;
  let a = min(r.x * r.x, exp2(-9.28 * n_v)) * r.x + r.y;
  let split = vec2f(-1.04, 1.04) * a + r.zw;
  let f0 = mix(vec3f(0.04), matter.albedo, matter.metallic);
  let specular = around * (f0 * split.x + split.y);
  let diffuse = matter.albedo * (1.0 - matter.metallic) * irradiance / PI;
  return (diffuse + specular) * matter.occlusion;
}

/// Everything that leaves a place toward the eye, fog not included. `normal` and `eye` (toward_eye) are unit, `relative` in
/// metres from the camera, `irradiance` the hemisphere's, `around` the radiance that is mirrored: mirrored_around's, or for
/// matte things irradiance / PI.
fn shade(matter: Matter, normal: vec3f, eye: vec3f, relative: vec3f, irradiance: vec3f, around: vec3f) -> vec3f {
  var radiance = matter.emissive + ambient(matter, normal, eye, irradiance, around);
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
    radiance += direct(matter, normal, eye, way, arriving);
    continuing {
      i++;
      break if i > count;
    }
  }
  return radiance;
}
