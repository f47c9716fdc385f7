// The curves between exposed linear radiance and a display's linear light, 0..1, and the sRGB code on top of them.

/// Khronos PBR Neutral (github.com/KhronosGroup/ToneMapping, specification of 2024): keeps colours as they are up to 0.76, rolls
/// brighter ones off toward white. In: linear, from 0. Out: linear 0..1.
fn pbr_neutral(color: vec3f) -> vec3f {
  let start = 0.8 - 0.04;
  let desaturation = 0.15;
  let least = min(color.r, min(color.g, color.b));
  let offset = select(0.04, least - 6.25 * least * least, least < 0.08);
  let shifted = color - offset;
  let peak = max(shifted.r, max(shifted.g, shifted.b));
  if (peak < start) { return shifted; }
  let d = 1.0 - start;
  let newPeak = 1.0 - d * d / (peak + d - start);
  let scaled = shifted * newPeak / peak;
  let g = 1.0 - 1.0 / (desaturation * (peak - newPeak) + 1.0);
  return mix(scaled, vec3f(newPeak), g);
}

/// AgX's primaries, drawn in so that what is bright pales as film does; columns, from linear Rec. 2020 and back.
const AGX_INSET = mat3x3f(
  vec3f(0.856627153315983, 0.137318972929847, 0.11189821299995),
  vec3f(0.0951212405381588, 0.761241990602591, 0.0767994186031903),
  vec3f(0.0482516061458583, 0.101439036467562, 0.811302368396859));
const AGX_OUTSET = mat3x3f(
  vec3f(1.1271005818144368, -0.1413297634984383, -0.1413297634984383),
  vec3f(-0.1106066430966032, 1.1578237022162720, -0.1106066430966032),
  vec3f(-0.0164939387178346, -0.0164939387178346, 1.2519364065950405));
/// Linear sRGB to Rec. 2020 and back (ITU-R BT.2407).
const TO_REC2020 = mat3x3f(
  vec3f(0.6274039, 0.0690973, 0.0163914),
  vec3f(0.3292830, 0.9195406, 0.0880133),
  vec3f(0.0433131, 0.0113623, 0.8955953));
const FROM_REC2020 = mat3x3f(
  vec3f(1.6604910, -0.1245505, -0.0181508),
  vec3f(-0.5876411, 1.1328999, -0.1005789),
  vec3f(-0.0728499, -0.0083494, 1.1187297));
/// Of the log axis: 10 stops below middle grey to 6.5 above; where grey lies on it, what becomes of it, how steep it is there.
const AGX_DARKEST = -12.473931188;
const AGX_STOPS = 16.5;
const AGX_GREY = 10.0 / 16.5;
const AGX_GREY_OUT = 0.5;
const AGX_SLOPE = 2.0;

/// One end of AgX's curve: away from grey along its slope, bent so that it meets 0 or 1 just at the axis's end, the later the
/// higher `power` is. `run` and `rise`: how far that end is from grey, both above 0; `x` from grey toward it, 0..run.
fn agx_half(x: vec3f, run: f32, rise: f32, power: f32) -> vec3f {
  // x / (1 + (x / scale)^power)^(1 / power) rises by `rise` over `run` for this scale.
  let steep = pow(AGX_SLOPE * run / rise, power);
  let scale = AGX_SLOPE * run * pow(steep - 1.0, -1.0 / power);
  let straight = AGX_SLOPE * x;
  return straight * pow(1.0 + pow(straight / scale, vec3f(power)), vec3f(-1.0 / power));
}

/// AgX (Troy Sobotka, 2022), the base look, over Rec. 2020 as Blender has it. In: linear, from 0. Out: linear 0..1.
fn agx(color: vec3f) -> vec3f {
  let inset = max(AGX_INSET * (TO_REC2020 * color), vec3f(1e-10));
  let x = saturate((log2(inset) - AGX_DARKEST) / AGX_STOPS) - AGX_GREY;
  let shoulder = agx_half(max(x, vec3f(0.0)), 1.0 - AGX_GREY, 1.0 - AGX_GREY_OUT, 3.25);
  let toe = agx_half(max(-x, vec3f(0.0)), AGX_GREY, AGX_GREY_OUT, 3.0);
  let display = AGX_OUTSET * (AGX_GREY_OUT + shoulder - toe);
  return saturate(FROM_REC2020 * pow(max(display, vec3f(0.0)), vec3f(2.2)));
}

fn to_srgb(linear: vec3f) -> vec3f {
  let c = saturate(linear);
  return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, c * 12.92, c <= vec3f(0.0031308));
}
