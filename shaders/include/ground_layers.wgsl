// The layers of a ground: what each is made of, and how its maps are blended. Filled by runtime/renderer/layerBinding.ts
// from runtime/renderer/layerResources.ts.

const MAX_LAYERS = 16u;
/// `weight` of a layer that has no weights of its own: it lies where the others leave room.
const REST = 16u;

struct GroundLayer {
  albedo: vec3f,      // linear, times its map where there is one
  roughness: f32,     // perceptual 0..1, times its map
  emissive: vec3f,    // linear radiance
  metallic: f32,      // 0..1
  mean: vec3f,        // linear mean of the colour map, each part above 0
  contrast: f32,      // doublings of its weight over the whole reach of its heights; 0 where it has no heights
  fromOrigin: vec3f,  // the camera's place in the world modulo PERIOD repeats, metres
  perMetre: f32,      // repeats a metre, above 0
  colorSlice: i32,    // of the colour array, -1 where it has no colours and no heights
  matterSlice: i32,   // of the matter array, -1 where it has none
  relief: f32,        // 1: its matter has normals, else 0
  weight: u32,        // weight texture × 4 + channel, or REST
  variation: f32,     // 1: it has a colour map, and places are made unlike each other; 0: its colour is one everywhere
}

struct GroundLayers {
  count: u32,         // of `layers`, 1..MAX_LAYERS
  weightTextures: u32, // 0..4
  finest: vec2f,      // texels of the finest weight texture along X and Z
  layers: array<GroundLayer, MAX_LAYERS>,
}
