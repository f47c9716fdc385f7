// What the views of a picture (wireframe, levels of detail, ...) share: a mesh whose corners are pulled out of its buffers, so
// that each triangle knows all three of them in the one draw that it is part of anyway, and the colours that views show.
// Colours are the picture's own sRGB, 0..1: no light, fog or tone mapping is in them. Needs include/frame.wgsl. Group 1 is
// filled by runtime/renderer/viewBinding.ts; run by runtime/renderer/viewPass.ts.

struct ViewMesh {
  offsetHigh: vec3f,   // of water: the world's origin minus the camera's place, metres, rounded to f32 ...
  kind: u32,           // GROUND, MODEL, SCATTER, WATER
  offsetLow: vec3f,    // ... and what the rounding left
  tessellated: f32,    // its level over the finest that there is, 0..1; -1: it is not a tessellated surface
  // The rest is ground's.
  cutCamera: vec3f,    // where the cut was taken from: x and z from the cut's corner, y above world zero, metres
  lodFactor: f32,      // of the cut
  fromCorner: vec2f,   // the camera's x, z minus the field's -X, -Z corner, metres
  texel: vec2f,        // a texel's sides, metres
  count: vec2u,        // texels along X and Z
  cutExtent: vec2f,    // the cut's rect, metres
  cutOffset: vec2f,    // from the field's corner to the cut's, metres
  rootSize: f32,       // side of a level 0 node, metres
  rootSpacing: f32,    // between its vertices, metres
  nodeVerts: u32,      // vertices along a node's side; 0: the mesh is not made of nodes
  maxLevel: u32,       // the finest level of the cut
  cameraHeight: f32,   // y of the camera above world zero, metres
  low: f32,            // the declared heights' lower end, metres
  relief: f32,         // their extent, metres, above 0
  contour: f32,        // metres between contour lines
}

const GROUND = 0u;
const MODEL = 1u;
const SCATTER = 2u;
const WATER = 3u;

@group(1) @binding(0) var<uniform> mesh: ViewMesh;
@group(1) @binding(1) var<storage, read> vertices: array<f32>;  // 23 words each, as runtime/renderer/vertex.ts has them
@group(1) @binding(2) var<storage, read> indices: array<u32>;   // three a triangle

/// Which view: one of those below, in the order of VIEWS in runtime/renderer/viewPass.ts.
override VIEW: u32 = 1u;
const WIREFRAME = 1u;
const LOD = 2u;
const STITCHING = 3u;
const NORMALS = 4u;
const SLOPE = 5u;
const HEIGHT = 6u;
const OVERDRAW = 7u;

const VERTEX_WORDS = 23u;

struct ViewSurface {
  @builtin(position) clip: vec4f,
  @location(0) relative: vec3f,  // from the camera, metres
  @location(1) normal: vec3f,    // world, not unit
  @location(2) corner: vec3f,    // 1 at the triangle's own corner of that number, 0 at the others
  @location(3) place: vec2f,     // of ground made of nodes: quads from the node's -X, -Z corner, as its vertices have moved
  @location(4) level: f32,       // of the same: the node's level, moved toward the coarser one's as its vertices are
  @location(5) @interpolate(flat) node: u32,  // of the same: its coarse mask, and in bit 4 its colour on a checkerboard
}

fn vertex_position(vertex: u32) -> vec3f {
  let at = vertex * VERTEX_WORDS;
  return vec3f(vertices[at], vertices[at + 1u], vertices[at + 2u]);
}

fn vertex_normal(vertex: u32) -> vec3f {
  let at = vertex * VERTEX_WORDS + 3u;
  return vec3f(vertices[at], vertices[at + 1u], vertices[at + 2u]);
}

/// 1 at the corner that the `number`-th index is of its triangle. Any three numbers in a row differ modulo 3.
fn own_corner(number: u32) -> vec3f {
  let corner = number % 3u;
  return vec3f(f32(corner == 0u), f32(corner == 1u), f32(corner == 2u));
}

/// What a vertex of anything but ground hands on.
fn view_surface(number: u32, relative: vec3f, normal: vec3f) -> ViewSurface {
  return ViewSurface(frame.viewProjection * vec4f(relative, 1.0), relative, normal, own_corner(number), vec2f(0.0), 0.0, 0u);
}

/// How the edges of a triangle lie around a pixel.
struct Edges {
  away: vec3f,    // pixels to the edge across from each corner
  height: f32,    // the triangle's least height, pixels
}

/// Takes derivatives.
fn edges_at(corner: vec3f) -> Edges {
  let dx = dpdx(corner);
  let dy = dpdy(corner);
  let steep = max(sqrt(dx * dx + dy * dy), vec3f(1e-9));
  return Edges(corner / steep, 1.0 / max(steep.x, max(steep.y, steep.z)));
}

/// Part of a pixel that a line covers which reaches `reach` pixels to each side, seen from `away` pixels.
fn line(away: f32, reach: f32) -> f32 { return 1.0 - smoothstep(reach - 0.5, reach + 0.5, away); }

/// The edges of all triangles, a pixel wide. Where these are too small for lines they melt into their mean.
fn wires(edges: Edges) -> f32 {
  let apart = smoothstep(1.0, 4.0, edges.height);
  return mix(0.4, line(min(edges.away.x, min(edges.away.y, edges.away.z)), 0.55), apart);
}

/// Light and dark by which the form of a surface is read, about 0.55..1. It stands in the world, so that a turn of the camera leaves it.
fn form(normal: vec3f) -> f32 {
  return 0.55 + 0.45 * saturate(dot(normal, vec3f(0.48, 0.8, 0.36)) * 0.75 + 0.25);
}

/// Colours between those of a list, evenly spaced. `at` 0..1.
fn ramp(colors: array<vec3f, 6>, at: f32) -> vec3f {
  var list = colors;
  let place = saturate(at) * 5.0;
  let below = min(u32(place), 4u);
  return mix(list[below], list[below + 1u], place - f32(below));
}

/// From far and coarse (blue) to near and fine (red).
fn level_color(at: f32) -> vec3f {
  return ramp(array(vec3f(0.23, 0.30, 0.66), vec3f(0.16, 0.55, 0.72), vec3f(0.24, 0.68, 0.45), vec3f(0.66, 0.76, 0.29), vec3f(0.94, 0.66, 0.24), vec3f(0.83, 0.29, 0.24)), at);
}

/// Level (green), gentle, steep (red) to upright (violet): a colour each 18 degrees.
fn slope_color(degrees: f32) -> vec3f {
  return ramp(array(vec3f(0.13, 0.40, 0.24), vec3f(0.52, 0.70, 0.30), vec3f(0.95, 0.82, 0.32), vec3f(0.91, 0.45, 0.19), vec3f(0.72, 0.15, 0.25), vec3f(0.31, 0.14, 0.44)), degrees / 90.0);
}

/// From the lowest ground to the highest, as maps have it.
fn height_color(at: f32) -> vec3f {
  return ramp(array(vec3f(0.16, 0.36, 0.34), vec3f(0.38, 0.56, 0.35), vec3f(0.76, 0.73, 0.47), vec3f(0.68, 0.51, 0.35), vec3f(0.52, 0.38, 0.33), vec3f(0.93, 0.92, 0.91)), at);
}

/// What a surface is made of shows in its lines.
fn line_color(kind: u32) -> vec3f {
  var color = vec3f(0.88, 0.91, 0.94);
  if (kind == MODEL) { color = vec3f(0.98, 0.72, 0.36); }
  if (kind == SCATTER) { color = vec3f(0.58, 0.84, 0.50); }
  if (kind == WATER) { color = vec3f(0.42, 0.74, 0.98); }
  return color;
}

/// A surface of triangles alone: dark between its lines.
fn wireframe(kind: u32, edges: Edges, normal: vec3f) -> vec4f {
  let color = line_color(kind);
  let fill = mix(vec3f(0.13, 0.15, 0.18), color, 0.10) * form(normal);
  return vec4f(mix(fill, color, wires(edges) * 0.8), 1.0);
}

/// A picture's red counts how often it was drawn to.
const DRAWN_ONCE = vec4f(1.0, 0.0, 0.0, 1.0);

/// Degrees between a unit normal and straight up, 0..90; overhangs count as upright.
fn degrees_of(normal: vec3f) -> f32 {
  return degrees(acos(clamp(normal.y, 0.0, 1.0)));
}

/// What every view but that of ground shows of a surface. Takes derivatives.
fn view_body(surface: ViewSurface) -> vec4f {
  let edges = edges_at(surface.corner);
  let normal = normalize(surface.normal);
  if (VIEW == OVERDRAW) { return DRAWN_ONCE; }
  if (VIEW == WIREFRAME) { return wireframe(mesh.kind, edges, normal); }
  if (VIEW == NORMALS) { return vec4f(normal * 0.5 + 0.5, 1.0); }
  if (VIEW == SLOPE) { return vec4f(slope_color(degrees_of(normal)), 1.0); }
  var color = vec3f(0.5, 0.51, 0.53);
  var lines = 0.0;
  if (VIEW == LOD && mesh.tessellated >= 0.0) {
    color = level_color(mesh.tessellated);
    lines = 0.35 * wires(edges);
  }
  return vec4f(mix(color * form(normal), vec3f(0.06), lines), 1.0);
}
