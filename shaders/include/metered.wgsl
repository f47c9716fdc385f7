// What a metered picture is exposed by: kept from frame to frame by shaders/meter.wgsl, read by tonemap.wgsl.

struct Metered {
  stops: f32,   // doublings on top of the frame's own exposure
  factor: f32,  // 2 to that power
}
