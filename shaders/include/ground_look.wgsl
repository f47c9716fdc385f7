// What bare ground looks like and where its textures lie. Filled by runtime/renderer/groundLook.ts.

const COVERS = 6u;
const OCTAVES = 4u;

/// One kind of ground. Its colour runs from `dark` to `light`; the textures' are parts of it.
struct GroundCover {
  dark: vec3f,      // linear albedo
  roughness: f32,   // multiplies the texture's
  light: vec3f,     // linear albedo
  contrast: f32,    // doublings of its weight over the whole reach of its heights
  tones: vec4f,     // how far spots, whole regions, hollows and beds of rock move it from dark to light
  near: u32,        // slices of the textures: of the finest octave,
  afar: u32,        // and of the others
  relief: f32,      // multiplies the textures' slopes
  variety: f32,     // multiplies how far the textures' colours are from their mean
}

/// The squares of one octave, laid on along one axis.
struct GroundOctave {
  way: vec2f,       // cosine and sine of its turn, over its square's side in metres
  corner: vec2f,    // the camera's place in the squares, 0..1
}

struct GroundLook {
  covers: array<GroundCover, COVERS>,      // grass, soil, scree, rock, sand, snow
  octaves: array<GroundOctave, OCTAVES * 3u>,   // from the finest, each along X, Y and Z
  soil: vec2f,      // parts of the relief between which grass ends and soil begins
  scree: vec2f,     // the same of soil and scree
  snow: vec2f,      // the same of all and snow
  sand: vec2f,      // parts of the relief between which sand ends, upward
  rock: vec2f,      // slopes (metres a metre) between which rock comes out
  repose: vec2f,    // slopes between which sand and snow slide off
  perMetre: f32,    // squares of the finest octave a metre
  growth: f32,      // log2 of how many times as wide the squares of the next octave are
  side: f32,        // texels of a square's side
}
