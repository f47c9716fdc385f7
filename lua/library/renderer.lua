---@meta

---Words on the GPU. Its fields can only be read.
---@class Buffer
---@field size integer Bytes.
---@field label string

---A vertex is 23 words: position 3, normal 3, tangent 4, uv0 2, uv1 2, color 4, joint weights 4, joints 1.
---@class MeshFields
---@field vertexBuffer? Buffer
---@field indexBuffer? Buffer u32, three a triangle, counter-clockwise seen from outside.
---@field firstIndex? integer From 0; default 0.
---@field indexCount? integer A multiple of 3; default the rest of the buffer.
---@field bounds? { min: Vector, max: Vector } Metres, in the mesh's own space; default computed once, which waits.

---Maps are textures of 8 or 16 bits a channel, in hand or by path or guid. Models read them by uv0, top row first. A
---colour map holds sRGB. Where a map is given, its factor is 1 by
---default. `false` in an update takes a map off.
---@class MaterialFields
---@field albedo? number[] Linear colour, 0..1; default light grey, or white with an `albedoMap`.
---@field roughness? number 0..1, default 0.7.
---@field metallic? number 0..1, default 0.
---@field emissive? number[] Linear radiance, at least 0; default none.
---@field albedoMap? Texture|string|false Colour, times `albedo`. One or two channels are grey.
---@field normalMap? Texture|string|false x, y, z in red, green, blue; green points up the picture (as in glTF).
---@field roughnessMap? Texture|string|false Its first channel, times `roughness`.
---@field metallicMap? Texture|string|false Its first channel, times `metallic`. Models only.
---@field metallicRoughnessMap? Texture|string|false Roughness in green and metal in blue, as glTF has them, in place of the two maps above. Models only.
---@field occlusionMap? Texture|string|false Its first channel: how much of the sky's light arrives.
---@field emissiveMap? Texture|string|false Colour, times `emissive`. Models only.
---@field displacementMap? Texture|string|false Its first channel: height, 0..1, by which Tessellation displaces and layers of ground blend.
---@field wrap? "repeat"|"clamp" How a model's maps, the displacementMap too, go on outside 0..1 of its uvs: again, or as their edge. Default "repeat"; ground repeats them always.
---@field tile? number Metres that a repeat of the maps takes on ground, above 0, default 4.
---@field contrast? number How sharply a layer of ground stands out by its heights: doublings of its weight from the lowest to the highest, 0..32, default 8.

---What the last frame cost.
---@class RendererStats
---@field draws integer
---@field triangles integer Submitted: of a scatter those of all its instances (scatter.visible says how many were drawn).
---@field passes table<string, { draws: integer, triangles: integer }>
---@field dispatches integer
---@field bytes integer Live bytes on the GPU, now.

renderer = {
  mesh = {},
  buffer = {},
  material = {},
}

---@param fields MeshFields Both buffers are needed.
---@return string guid
function renderer.mesh.create(fields) end

---Swaps fields under the same guid; those left out stay.
---@param guid string
---@param fields MeshFields
function renderer.mesh.update(guid, fields) end

---@param guid string
function renderer.mesh.destroy(guid) end

---A flat grid in XZ around the origin, facing +Y.
---@param options? { width?: number, depth?: number, columns?: integer, rows?: integer } Metres and cells, each 1 by default.
---@return string guid
function renderer.mesh.plane(options) end

---@param options? { size?: Vector } Metres, default 1 each.
---@return string guid
function renderer.mesh.box(options) end

---@param options? { radius?: number, segments?: integer, rings?: integer } Default 0.5 m, 32 around, 16 from pole to pole.
---@return string guid
function renderer.mesh.sphere(options) end

---A cylinder around the Y axis and the origin, closed; a cone where topRadius is 0.
---@param options? { radius?: number, topRadius?: number, height?: number, segments?: integer } Default 0.5 m, as wide at the top, 1 m high, 32 around.
---@return string guid
function renderer.mesh.cylinder(options) end

---A glTF 2.0 file (.gltf or .glb) as one mesh: all triangles of its scene, each where its node places it, with normals, tangents,
---two uvs, colours, joints and weights. Normals that the file has not are flat, tangents are made in the manner of MikkTSpace. A
---skinned mesh stands as it was bound; morph targets, and what the file says of materials, are not read: make those with
---`renderer.material.create`. Draco and meshopt compression, points and lines are refused. Waits.
---@param path string Under a mount, or relative to the project's folder; its buffers may be beside it.
---@return string guid
function renderer.mesh.load(path) end

---A buffer of zeros, or of data. It goes with the scene.
---@param options { size?: integer, data?: number[], type?: "f32"|"u32" } Bytes (a multiple of 4), or words of `type` (default "f32").
---@return Buffer
function renderer.buffer.create(options) end

---@param buffer Buffer One that `create` made.
---@param options { first?: integer, data: number[], type?: "f32"|"u32" } `first` counts words from 0, default 0.
function renderer.buffer.write(buffer, options) end

---Reads words back from the GPU. Waits.
---@param buffer Buffer
---@param options? { first?: integer, count?: integer, type?: "f32"|"u32" } Words from 0; default all of them, as "f32".
---@return number[] words
function renderer.buffer.read(buffer, options) end

---@param buffer Buffer One that `create` made.
function renderer.buffer.destroy(buffer) end

---Waits where a map is a file.
---@param fields? MaterialFields
---@return string guid
function renderer.material.create(fields) end

---Swaps fields under the same guid; those left out stay. Its maps are read again, which shows what `texture.update` changed; a
---ground that has it as a layer reads it at its next `refresh` or `setLayers`. Waits where a map is a file.
---@param guid string
---@param fields MaterialFields
function renderer.material.update(guid, fields) end

---Models that name it wear the standard material from then on.
---@param guid string
function renderer.material.destroy(guid) end

---@return RendererStats
function renderer.stats() end

---What frames show:
--- - `shaded`: the picture itself;
--- - `wireframe`: the triangles of all that is drawn; ground is white, models are orange, scatters green, water blue;
--- - `lod`: ground by the level of its nodes, from coarse (blue) to fine (red), toward the coarser one's colour where vertices morph;
---   black lines between nodes, white ones where a node is stitched to a coarser one; tessellated surfaces by their level;
--- - `stitching`: ground with its nodes, stitched edges in orange on the side that is stitched;
--- - `normals`: world normals, x, y, z as red, green, blue (-1..1 as 0..255);
--- - `slope`: degrees from level (green) over 36 (yellow), 54 (orange) and 72 (red) to upright (violet);
--- - `height`: ground by height over its declared range, with contour lines;
--- - `overdraw`: how often a pixel is drawn to: once blue, twice green, 4 times yellow, 8 times red, from 12 on white.
---@alias ViewName "shaded"|"wireframe"|"lod"|"stitching"|"normals"|"slope"|"height"|"overdraw"

---Has frames, and what is captured of them, show something else from the next one on. It goes back to `shaded` with the scene.
---@param view ViewName
function renderer.setView(view) end

---@return ViewName
function renderer.getView() end

---How a frame is captured.
---@class CaptureOptions
---@field width? integer Pixels, from 1 to the adapter's limit. With one side alone the other follows the picture's shape, up to that limit too; default the picture's size.
---@field height? integer
---@field channel? "color"|"depth"|"normal" Default "color". Depth is along the camera's view axis, normals are the surfaces' own in world directions; both at the pixels' middles, as if there were no water.
---@field bits? 8|16 Bits a channel of a PNG; default 8, of depth always 16.
---@field step? number Of depth in a PNG: metres a step, 1e-6 to 1e6, default 0.1. 0 is where nothing stands, 65535 that far or farther.

---Writes the next finished frame, beside the picture on the screen if it is to be another than that. Answers at once: that frame
---comes after the script. One of a scene that is closed before is not written.
---@param path string A .png: colour in sRGB, depth in grey, normals with -1..1 onto each channel's whole range and alpha 0 where nothing stands. Depth and normals also a .texture of floats: r32f in metres, rgba32f x, y, z, 1; 0 where nothing stands.
---@param options? CaptureOptions
function renderer.capture(path, options) end
