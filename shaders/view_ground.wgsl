// Ground as a view shows it (include/view.wgsl), in its one draw: triangles, nodes by level with the part that their vertices
// have gone toward the coarser one, stitched edges, normals, slope and height. One draw of `indexCount` vertices without an
// index buffer; a node is found by its slot, which a vertex's number tells. Output: the picture's own colours. Run by
// runtime/renderer/viewPass.ts.
#include "include/frame.wgsl"
#include "include/object.wgsl"
#include "include/view.wgsl"

/// A node by the slot of the pool that its vertices stand in.
struct ViewNode {
  ix: u32,          // counted from the cut's corner
  iz: u32,
  level: u32,
  coarseMask: u32,  // 1 -X, 2 +X, 4 -Z, 8 +Z
}

@group(1) @binding(3) var<storage, read> nodes: array<ViewNode>;
@group(1) @binding(4) var<storage, read> texels: array<vec4f>;  // columns × rows: height, d/dx, d/dz, coverage

/// A vertex's column and row in its node.
fn grid_place(vertex: u32) -> vec2u {
  let own = vertex % (mesh.nodeVerts * mesh.nodeVerts);
  return vec2u(own % mesh.nodeVerts, own / mesh.nodeVerts);
}

/// The sides of a node that a place of its grid stands on, as bits of a coarse mask.
fn sides_of(place: vec2u) -> u32 {
  let last = mesh.nodeVerts - 1u;
  return select(0u, 1u, place.x == 0u) | select(0u, 2u, place.x == last)
    | select(0u, 4u, place.y == 0u) | select(0u, 8u, place.y == last);
}

/// Where a vertex stands by now: quads from the corner of its node, and the level whose vertex it is, between two while it moves.
struct Standing {
  place: vec2f,
  level: f32,
}

/// Follows the vertex of column and row `place` of a node through its morphs. Mirrors the loop of terrain_vertex with indices in
/// place of stops.
fn standing_of(node: ViewNode, place: vec2u) -> Standing {
  let stitched = (sides_of(place) & node.coarseMask) != 0u;
  let first = vec2u(node.ix, node.iz) * (mesh.nodeVerts - 1u);
  let index = first + place;
  // The far edge's stop answers for the last quarter of a texel.
  let own = vec2f(index) * (mesh.rootSpacing * exp2(-f32(node.level)));
  let onEdge = own > mesh.cutExtent - 0.25 * mesh.texel;
  var q = Standing(vec2f(0.0), 0.0);
  for (var l = 0u; l <= node.level - select(0u, 1u, stitched); l++) {
    let up = node.level - l;
    let at = (index + select(vec2u(0u), vec2u((1u << up) - 1u), onEdge)) >> vec2u(up);
    let part = exp2(-f32(l));
    let local = min(vec2f(at) * (mesh.rootSpacing * part), mesh.cutExtent);
    let texel = vec2u(clamp(vec2i(floor((local + mesh.cutOffset) / mesh.texel)), vec2i(0), vec2i(mesh.count) - 1));
    let height = texels[texel.y * mesh.count.x + texel.x].x;
    let away = distance(vec3f(local.x, height, local.y), mesh.cutCamera);
    let band = mesh.lodFactor * mesh.rootSize * part * 2.0;
    let m = select(saturate((away - 0.7 * band) / ((1.0 - 0x1p-11 - 0.7) * band)), 0.0, l == 0u);
    q.place = mix(vec2f(vec2i(at << vec2u(up)) - vec2i(first)), q.place, m);
    q.level = mix(f32(l), q.level, m);
  }
  return q;
}

@vertex fn view_ground_vertex(@builtin(vertex_index) number: u32, @builtin(instance_index) index: u32) -> ViewSurface {
  let vertex = indices[number];
  let object = objects[index];
  var out = view_surface(number, object_relative(object, vertex_position(vertex)), object.normal * vertex_normal(vertex));
  if (mesh.nodeVerts > 0u) {
    let node = nodes[vertex / (mesh.nodeVerts * mesh.nodeVerts)];
    let standing = standing_of(node, grid_place(vertex));
    out.place = standing.place;
    out.level = standing.level;
    out.node = node.coarseMask | (((node.ix ^ node.iz) & 1u) << 4u);
  }
  return out;
}

/// The field's own gradient under a pixel, where that spans texels the triangle's. Takes derivatives.
fn ground_gradient(relative: vec3f, normal: vec3f) -> vec2f {
  let place = (relative.xz + mesh.fromCorner) / mesh.texel - 0.5;
  let wide = max(length(dpdx(place)), length(dpdy(place)));
  let last = vec2f(mesh.count) - 1.0;
  let inside = clamp(place, vec2f(0.0), last);
  let low = vec2u(min(floor(inside), max(last - 1.0, vec2f(0.0))));
  let high = min(low + 1u, mesh.count - 1u);
  let part = inside - vec2f(low);
  let rows = vec2u(low.y, high.y) * mesh.count.x;
  let near = mix(texels[rows.x + low.x].yz, texels[rows.x + high.x].yz, part.x);
  let far = mix(texels[rows.y + low.x].yz, texels[rows.y + high.x].yz, part.x);
  return mix(mix(near, far, part.y), -normal.xz / max(normal.y, 0.02), smoothstep(1.0, 3.0, wide));
}

/// What a pixel sees of the sides of its node: part of it that a side covers, part that a stitched one does, and how near a
/// stitched side is, 1 on it and 0 from two quads away on. Takes derivatives.
fn sides_seen(place: vec2f, node: u32) -> vec3f {
  let last = f32(mesh.nodeVerts) - 1.0;
  let away = vec4f(place.x, last - place.x, place.y, last - place.y);
  let steep = sqrt(dpdx(place) * dpdx(place) + dpdy(place) * dpdy(place));
  let pixels = away / max(steep.xxyy, vec4f(1e-9));
  let coarse = ((vec4u(node) >> vec4u(0u, 1u, 2u, 3u)) & vec4u(1u)) != vec4u(0u);
  let nearest = min(min(pixels.x, pixels.y), min(pixels.z, pixels.w));
  let far = vec4f(1e9);
  let stitched = select(far, pixels, coarse);
  let quads = select(far, away, coarse);
  return vec3f(
    line(nearest, 0.9),
    line(min(min(stitched.x, stitched.y), min(stitched.z, stitched.w)), 1.8),
    saturate(1.0 - 0.5 * min(min(quads.x, quads.y), min(quads.z, quads.w))),
  );
}

/// Part of a pixel that lines cover at whole multiples of the contour's height, every fifth of them thicker. Takes derivatives.
fn contours(height: f32) -> f32 {
  let steps = height / mesh.contour;
  let steep = max(length(vec2f(dpdx(steps), dpdy(steps))), 1e-9);
  let away = abs(fract(steps + 0.5) - 0.5) / steep;
  let fifth = abs(fract(steps / 5.0 + 0.5) - 0.5) * 5.0 / steep;
  let thin = line(away, 0.7) * (1.0 - smoothstep(0.15, 0.4, steep));
  let thick = line(fifth, 1.2) * (1.0 - smoothstep(0.08, 0.25, steep));
  // Level ground at just such a height is no line.
  return max(0.45 * thin, 0.75 * thick) * smoothstep(0.0003, 0.002, steep);
}

@fragment fn view_ground_fragment(surface: ViewSurface) -> @location(0) vec4f {
  let edges = edges_at(surface.corner);
  let drawn = normalize(surface.normal);
  let gradient = ground_gradient(surface.relative, drawn);
  let normal = normalize(vec3f(-gradient.x, 1.0, -gradient.y));
  if (VIEW == OVERDRAW) { return DRAWN_ONCE; }
  if (VIEW == WIREFRAME) { return wireframe(GROUND, edges, normal); }
  if (VIEW == NORMALS) { return vec4f(normal * 0.5 + 0.5, 1.0); }
  if (VIEW == SLOPE) { return vec4f(slope_color(degrees_of(normal)), 1.0); }
  if (VIEW == HEIGHT) {
    let height = surface.relative.y + mesh.cameraHeight;
    let color = height_color((height - mesh.low) / mesh.relief) * form(normal);
    return vec4f(mix(color, vec3f(0.1, 0.07, 0.05), contours(height)), 1.0);
  }
  var color = vec3f(0.45, 0.47, 0.5);
  var stitches = vec3f(1.0, 0.55, 0.12);
  var sides = vec3f(0.0);
  if (mesh.nodeVerts > 0u) { sides = sides_seen(surface.place, surface.node); }
  if (VIEW == LOD) {
    color = level_color(surface.level / f32(max(mesh.maxLevel, 1u)));
    color *= select(1.0, 0.88, (surface.node & 16u) != 0u);
    stitches = vec3f(1.0);
  } else {
    color = mix(color, stitches, 0.6 * sides.z);
  }
  let dark = vec3f(0.05, 0.06, 0.08);
  color = mix(color * form(normal), dark, max(0.3 * wires(edges), sides.x));
  return vec4f(mix(color, stitches, sides.y), 1.0);
}
