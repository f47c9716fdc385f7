-- Ground read from a texture that stands over a rect of world: what a scene asks for heights, and what terrainMesh draws.

local _, native = ...

local terrainHeightfield = {}

---How a heightfield is opened. A `.terrainData` brings its own rect; what is written here outranks it.
---@class HeightfieldOptions
---@field size? number[] Metres, `{ width, depth }`, each above 0. Default: what the container or the texture records.
---@field origin? number[] Metres, `{ x, z }`: the rect's centre. Default `{ 0, 0 }`.
---@field heightRange? number[] Metres, `{ low, high }`: must hold every height. Default: read off the texels.
---@field holes? Texture|string A mask over the same rect, in hand or by path or guid; only the value 0 cuts.
---@field nodata? "hole" Cuts out the texels whose coverage is 0 as well.
---@field water? Texture|string|WaterLevel Water over the same rect: an rgba32f texture of any size (surface in metres, flow along X and Z in metres a second, coverage), in hand or by path or guid; or a level.
---@field layers? Layer[] What it is drawn with, at most 16; `{}` is none, also where the container has some.
---@field climate? "temperate"|"desert"|"canyon"|"polar" What it looks like without layers, default "temperate".
---@field snowLine? number Metres (world Y) above which snow lies on it without layers. Default: by climate and relief.
---@field sandLine? number Metres (world Y) below which sand lies on it without layers. Default: by climate.

---Still water at one height over the whole rect: wet wherever the ground lies lower.
---@class WaterLevel
---@field level number Metres.

---A material of the ground and where it lies. Along a border of two layers the one whose `displacementMap` stands higher shows:
---a layer's share is its weight times 2^(contrast × (height − 1/2)), over the sum of all.
---@class Layer
---@field name string What `layersAt` calls it; its own.
---@field weights? Texture|string r8, rg8 or rgba8 over the rect, of any size, in hand or by path or guid; 0..255, read bilinearly. At most 4 textures in all. Only the first layer may have none: it lies where the others leave room.
---@field channel? integer Which channel of `weights`, 1..4. Default 1.
---@field material? LayerMaterial|string Fields as of `renderer.material.create`, or the guid of a material. Default light grey.

---The fields of a material; maps may also be given by path or guid. `metallicMap`, `metallicRoughnessMap` and `emissiveMap` are for models only. All maps
---of a ground are brought to one size, a power of two of at most 1024 texels a side.
---@class LayerMaterial: MaterialFields

---A rect of world in metres.
---@class Rect
---@field minX number
---@field minZ number
---@field maxX number
---@field maxZ number

---A grid of evenly spaced samples, as a physics heightfield takes it.
---@class ColliderTile
---@field minX number Metres: its -X, -Z corner.
---@field minZ number
---@field sizeX number Metres.
---@field sizeZ number
---@field xs integer[] The texel column of each column of samples, from 0; an edge strip repeats the outermost one.
---@field zs integer[] The texel row of each row of samples, from 0.

---The pixels that queries answer from.
---@class HeightfieldPixels
local pixels = {}

---A texel's height in metres, its gradients along X and Z in metres a metre, and its coverage.
---@param col integer From 0.
---@param row integer From 0.
---@return number height
---@return number gradientX
---@return number gradientZ
---@return number coverage
function pixels:read(col, row) end

---An open heightfield. Its fields can only be read. Places outside the rect answer for its nearest point.
---@class Heightfield
---@field width integer Texels along X.
---@field height integer Texels along Z.
---@field size { width: number, depth: number, x: number, z: number } Metres; also a list `{ width, depth }`.
---@field origin { x: number, z: number } The rect's centre, metres; also a list.
---@field heightRange { low: number, high: number } Metres; also a list.
---@field hasWater boolean Whether it has water at all, wherever that stands.
---@field gen integer How often the texels have been read; 1 once open.
---@field texels Buffer 16 bytes a texel on the GPU: height, gradient along X, along Z, coverage; rows from -Z.
---@field cpu HeightfieldPixels The same texels, for the CPU.
local heightfield = {}

---The surface at a place.
---@param x number Metres.
---@param z number Metres.
---@return number y Metres.
function heightfield:heightAt(x, z) end

---The unit normal at a place.
---@param x number Metres.
---@param z number Metres.
---@return number nx
---@return number ny
---@return number nz
function heightfield:normalAt(x, z) end

---How steep a place is.
---@param x number Metres.
---@param z number Metres.
---@return number slope Radians; 0 is level.
function heightfield:slopeAt(x, z) end

---Whether there is ground at a place, and if not, why.
---@param x number Metres.
---@param z number Metres.
---@return boolean ground
---@return "hole"|"outside"? reason Only where there is none.
function heightfield:hasGroundAt(x, z) end

---The water at a place. It is dry outside the rect, where the water has no coverage, and where the ground stands as high as
---its surface; under a hole the ground's heights count as they are.
---@param x number Metres.
---@param z number Metres.
---@return number? surface Metres; nil where it is dry.
---@return number? flowX Metres a second.
---@return number? flowZ Metres a second.
function heightfield:waterAt(x, z) end

---Other water in place of what there is, or none. What draws it has followed when this returns, and `refresh` reads it again.
---Waits.
---@param water? Texture|string|WaterLevel As in `open`; nil takes the water away.
function heightfield:setWater(water) end

---Other water of the ground's own, which `resetWater` goes back to. It stands at once unless what `setWater` gave stands over it.
---Waits.
---@param water? Texture|string|WaterLevel As in `open`; nil: what its `.terrainData` says, whatever `open` was given.
function heightfield:setOwnWater(water) end

---Goes back to the ground's own water: what it was opened with, or `setOwnWater` gave. Does not wait: it stands by the end of the
---frame.
function heightfield:resetWater() end

---Heights over the whole rect. The first and last samples stand on its edges, a single one in its middle.
---@param cols integer At least 1.
---@param rows integer At least 1.
---@return number[] heights Metres, row by row from -Z.
function heightfield:sampleGrid(cols, rows) end

---Heights of many places in one call.
---@param points number[]|number[][] `x, z, x, z, …`, or a list of pairs, metres.
---@return number[] heights Metres.
function heightfield:heightsAt(points) end

---The lowest and the highest ground over a rect of world.
---@param rect Rect|{ size: number[], origin?: number[] }
---@return number low Metres.
---@return number high Metres.
function heightfield:minMax(rect) end

---The physics tiles that together hold this ground exactly.
---@param perTile? integer Most cells along a tile's side, at least 1, default 64.
---@return ColliderTile[]
function heightfield:colliderTiles(perTile) end

---The heights of the texels at the named columns and rows, as they are.
---@param xs integer[] Columns, from 0.
---@param zs integer[] Rows, from 0.
---@return number[] heights Metres, row by row.
function heightfield:texelLattice(xs, zs) end

---Sets the heights of a block of texels in this heightfield's own copy. Their coverage becomes 1, the gradients in and around
---the block are taken again, holes stay. When it returns, the GPU's copy and the meshes drawn from it have followed.
---A refused call changes nothing. `refresh` drops edits, `toTexture` keeps them.
---@param col integer The block's first column, from 0.
---@param row integer Its first row, from 0.
---@param cols integer Columns of it, at least 1.
---@param rows integer Rows of it, at least 1.
---@param heights number[] Metres, cols × rows of them, row by row; within the heightRange, where one was declared.
---@return Rect changed Outside it no height or normal is another than before.
function heightfield:setHeights(col, row, cols, rows, heights) end

---What lies at a place: each layer's weight over the sum of all, before heights are looked at. Where all weights are 0 the first
---layer has everything.
---@param x number Metres.
---@param z number Metres.
---@return table<string, number> shares 0..1 by layer name, in all 1; empty where there are no layers.
function heightfield:layersAt(x, z) end

---Draws the ground with other layers from the next frame on; meshes stay. A refused list changes nothing. Weight textures and
---maps are copied: after `texture.update` a `refresh`, or this again, shows it. Waits for files.
---@param layers? Layer[] `nil` or `{}`: none, whatever its container says.
function heightfield:setLayers(layers) end

---Draws the ground with the layers of its `.terrainData`, whatever `open` was given; with none where it was opened from a texture.
---Waits for files.
function heightfield:resetLayers() end

---Draws the ground with another look from the next frame on, where it has no layers; what is left out goes by the climate.
---@param look? { climate?: "temperate"|"desert"|"canyon"|"polar", snowLine?: number, sandLine?: number } As for `open`.
function heightfield:setLook(look) end

---The texels as they are now, edits included, as a new rgba32f texture that records the size.
---@return Texture
function heightfield:toTexture() end

---Reads the texels (the mask, the water, the layers) again, which drops edits, and bumps `gen`; meshes drawn from it follow at their next
---update. Waits.
function heightfield:refresh() end

---Lets go of the pixels and of the GPU's copy; the asset stays. Closing twice is fine, any other use is an error.
function heightfield:close() end

---Opens ground. A container states its own rect; a bare texture takes its size from `options`, or from what it records.
---Waits for files.
---@param ground Texture|string An rgba32f texture, or the path or guid of a `.texture` or a `.terrainData`.
---@param options? HeightfieldOptions
---@return Heightfield
function terrainHeightfield.open(ground, options)
  return native.open(ground, options)
end

---The ground inside one cell: two flat triangles that meet on the diagonal from the h01 corner to the h10 corner.
---@param h00 number Metres, the -X, -Z corner.
---@param h10 number Metres, one texel along +X.
---@param h01 number Metres, one texel along +Z.
---@param h11 number Metres, one texel along both.
---@param fx number 0..1 along X.
---@param fz number 0..1 along Z.
---@return number height Metres.
function terrainHeightfield.cellHeight(h00, h10, h01, h11, fx, fz)
  return native.cellHeight(h00, h10, h01, h11, fx, fz)
end

---@class CheckOptions
---@field samples? integer Places of each kind, 1..1000000, default 2000.
---@field seed? integer 0..4294967295, default 0: the same seed asks at the same places.
---@field views? integer Default 0: takes the mesh's cut from so many more places over the ground, and back, since what is drawn is fine enough to be held to the surface only near the camera.

---How far two of them are apart: `"queried/drawn"`, `"queried/collided"`, `"queried/ray"`, `"drawn/collided"`, or `"placed/drawn"`: where
---the rules of level of detail place a vertex, and where it is.
---@class CheckPair
---@field pair string
---@field ok boolean
---@field compared integer Places where both have a height.
---@field empty integer Places where both have no ground.
---@field over integer Places where the heights are further apart than the bound.
---@field missing integer Places where only one has ground.
---@field worst number? Metres, at the worst place of all; infinite where only one has ground.
---@field bound number? Metres allowed there: 4 units in the last place of the largest coordinate, times 1 + the slope.
---@field place { x: number, z: number }?
---@field kind string? `"random"`, `"line"`, `"texel"`, `"rim"`, `"hole"` or `"vertex"`.
---@field a number? Metres: the height of the pair's first there, and of its second; nil without ground.
---@field b number?

---@class CheckResult
---@field ok boolean
---@field lines string[] For a person.
---@field pairs CheckPair[]
---@field places table<string, integer> Places asked at, by kind.
---@field detail { places: integer, worst: number?, place: { x: number, z: number }? } Places drawn coarser than half a texel, morphing or stitched, and how far off.
---@field samples integer
---@field seed number
---@field pair string? The pair of the worst place of all.
---@field worst number? Metres, as in a pair.
---@field bound number? Metres.
---@field place { x: number, z: number }?
---@field kind string?

---Holds what queries answer, what is drawn, what bodies rest on and what rays meet to each other, at many places. Waits.
---@param hf Heightfield
---@param state? TerrainMesh What draws it. Default: a terrain mesh of it, if one stands.
---@param options? CheckOptions
---@return CheckResult
function terrainHeightfield.check(hf, state, options)
  return native.check(hf, state, options)
end

return terrainHeightfield
