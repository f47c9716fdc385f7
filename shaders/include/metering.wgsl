// How a picture is metered. Filled by runtime/renderer/meterPass.ts.

struct Metering {
  size: vec2u,   // of the picture, pixels
  cells: vec2u,  // that it is cut into, each at least a pixel wide and high
  dt: f32,       // seconds since the frame before; large where there was none
}
