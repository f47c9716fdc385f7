---@meta

---Heights over a rect. It never changes: each verb answers another one.
---@class Ground
---@field width integer Texels along X.
---@field height integer Texels along Z.
---@field size { width: number, depth: number, x: number, z: number } Metres; also a list.
---@field report GroundReport

---What a ground was read from, and whether that looks right.
---@class GroundReport
---@field source string The file and its kind, or the verb.
---@field encoding string
---@field bitDepth integer Bits a channel of the source.
---@field distinctLevels integer Different heights.
---@field min number Metres, where there is data.
---@field max number Metres.
---@field nodata integer Texels without data.
---@field zeroBorder { left: integer, right: integer, top: integer, bottom: integer } Columns and rows of zeros.
---@field warnings string[]
---@field lines string[] All of it, for a person.

---@class FromTextureOptions
---@field encoding? "metres"|"gray"|"rgb24"|"mapbox"|"terrarium" Default "metres" for float formats; others must say.
---@field range? number[] Metres, `{ low, high }`: the least and the greatest stored number, for "gray" and "rgb24".
---@field channel? integer|"r"|"g"|"b"|"a" Which channel "metres" and "gray" read, from 1; default the first.
---@field size? number[] Metres, `{ width, depth }`; default what the texture records, else one metre a texel.
---@field nodata? number|number[] Stored numbers ("metres", "gray") or metres (the others) that mean no data.

---@class NoiseOptions
---@field width integer Texels.
---@field height integer Texels.
---@field size? number[] Metres, `{ width, depth }`; default one metre a texel.
---@field seed? integer Default 0.
---@field octaves? integer 1..16, default 5.
---@field frequency? number Periods along the longer side, above 0, default 4.
---@field amplitude? number Metres: heights lie in ±amplitude. At least 0, default 1.
---@field ridged? boolean Sharp crests; default false.

---@class ResampleOptions
---@field width integer Texels.
---@field height integer Texels.
---@field smooth? boolean Bicubic without overshoot; false: the surface's own triangles. Default true.

---@class WriteTerrainOptions
---@field heightfield Texture|string An rgba32f texture that was written or loaded, or its path or guid.
---@field size? number[] Metres, `{ width, depth }`; default what the texture records.
---@field origin? number[] Metres, `{ x, z }`: the rect's centre; default `{ 0, 0 }`.
---@field heightRange? number[] Metres, `{ low, high }`; default read off the texels.
---@field holes? Texture|string The mask; only the value 0 cuts.
---@field water? Texture|string The water, rgba32f: surface in metres, flow x, flow z in metres a second, coverage.
---@field layers? Layer[] What the ground is drawn with. Its textures have files; its materials are written out, not guids.

terrain = {}

---Reads any raster as ground. A texel that is nodata, or whose alpha is 0, has no data and its nearest neighbour's height.
---@param tex Texture
---@param options? FromTextureOptions
---@return Ground
function terrain.from_texture(tex, options) end

---Ground of seeded noise: the same numbers everywhere for the same seed.
---@param options NoiseOptions
---@return Ground
function terrain.noise(options) end

---A height for each texel.
---@param ground Ground
---@param height fun(h: number, x: number, z: number): number Metres; x, z from the rect's centre. May not wait.
---@return Ground
function terrain.map(ground, height) end

---@param a Ground
---@param b Ground|number A ground of the same rect, or metres.
---@return Ground
function terrain.add(a, b) end

---@param ground Ground
---@param factor number
---@return Ground
function terrain.scale(ground, factor) end

---@param ground Ground
---@param low number Metres.
---@param high number Metres, at least `low`.
---@return Ground
function terrain.clamp(ground, low, high) end

---@param a Ground What a weight of 0 gives.
---@param b Ground What a weight of 1 gives.
---@param weight Ground|number 0..1.
---@return Ground
function terrain.blend(a, b, weight) end

---The same rect at other texel counts.
---@param ground Ground
---@param options ResampleOptions
---@return Ground
function terrain.resample(ground, options) end

---An rgba32f texture: height, gradient along X and Z, coverage. It records the ground's size.
---@param ground Ground
---@return Texture
function terrain.to_texture(ground) end

---Writes a `.terrainData`: a heightfield's texture and the rect that it stands over. Waits.
---@param path string Ends in `.terrainData`.
---@param options WriteTerrainOptions
---@return string path
function terrain.write(path, options) end
