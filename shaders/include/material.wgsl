// The factors of metallic-roughness shading. Filled by runtime/renderer/materialBinding.ts.

struct Material {
  albedo: vec3f,     // linear base colour, 0..1
  roughness: f32,    // perceptual, 0..1
  emissive: vec3f,   // linear radiance, from 0
  metallic: f32,     // 0..1
}
