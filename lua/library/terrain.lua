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

---@class TerraceOptions
---@field step number Metres between treads, which lie at its whole multiples. At least 1e-6.
---@field sharpness? number 0: the ground as it was, 1: level treads and upright risers; default 0.7.

---@class RidgeOptions
---@field level? number Metres: the contour that becomes a crest; default halfway between lowest and highest.
---@field round? number Metres from the level at which the crest begins to round off; at least 0, default 0, sharp.
---@field valleys? boolean Folds upwards: the contour becomes a valley. Default false.

---@class WarpOptions
---@field amplitude number Metres, at least 0: how far places move at most, along X and along Z.
---@field frequency? number Periods of the coarsest wave along the longer side, above 0, default 4.
---@field seed? integer Default 0.
---@field octaves? integer 1..16, default 3.

---A band: `{ low, high }`, `{ low = 30 }` or `{ high = 30 }`. A bound that is left out is none.
---@alias Band number[]|{ low?: number, high?: number }

---@class MaskOptions
---@field height? Band Metres.
---@field slope? Band Degrees, 0..90.
---@field curvature? Band One a metre: above 0 on ridges and summits, below 0 in valleys and hollows.
---@field soft? { height?: number, slope?: number, curvature?: number } How far outside its band a weight falls to 0; default 0.

---@class ErodeOptions
---@field seed? integer Where rain falls when. Default 0.
---@field iterations? integer Steps, 1..20000, default 250. Water runs one texel a step, so large grids want more of them.
---@field hydraulic? number How strongly water wears, 0..10, default 1; 0: not at all.
---@field thermal? number How fast ground slides that is steeper than `talus`, 0..1, default 1; 0: not at all.
---@field talus? number Degrees, 1..89, default 42: the steepest slope that does not slide.
---@field rain? number How much rain falls, above 0, at most 100, default 1.
---@field capacity? number How much sediment water holds, 0..100, default 1: with less, valleys and fans fill up sooner.
---@field evaporation? number Part of the water that dries up in a step, 0..1, default 0.001.
---@field closed? boolean Nothing runs off at the rim or where there is no data. Default false.
---@field progress? fun(done: integer, iterations: integer) Told now and then. May wait; its error is erode's.

---@class ToWaterOptions
---@field catchment? number Square metres, above 0: what must drain by for water to stand; default a hundredth of the ground.
---@field depth? number Metres of water where just so much drains by, above 0, default 1; it deepens downstream.

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

---Steps, as of beds of rock: each height is drawn to the nearest multiple of `step`, and higher stays at least as high.
---@param ground Ground
---@param options TerraceOptions
---@return Ground
function terrain.terrace(ground, options) end

---Folds ground at a level: what lay above lies as far below, and the contour between becomes a crest.
---@param ground Ground
---@param options? RidgeOptions
---@return Ground
function terrain.ridge(ground, options) end

---The land on a plane that noise has pulled about. No height is new.
---@param ground Ground
---@param options WarpOptions
---@return Ground
function terrain.warp(ground, options) end

---Ground whose heights are the slope in degrees, 0..90.
---@param ground Ground
---@return Ground
function terrain.slope(ground) end

---Ground whose heights are weights: 1 within all the bands that are given, 0 away from one of them.
---@param ground Ground
---@param options MaskOptions
---@return Ground
function terrain.mask(ground, options) end

---Wears ground by rain, rivers and slides. Waits, without counting against a budget. The same land, options and adapter give
---the same bits. `flow` has as heights the square metres whose rain runs by, `sediment` the metres of loose ground on rock.
---@param ground Ground
---@param options? ErodeOptions
---@return Ground ground
---@return Ground flow
---@return Ground sediment
function terrain.erode(ground, options) end

---A texture of weights as layers take them: one ground makes r8, two rg8, three or four rgba8; 0..1 becomes 0..255.
---@param a Ground
---@param b? Ground
---@param c? Ground
---@param d? Ground
---@return Texture
function terrain.to_weights(a, b, c, d) end

---Rivers: the flow of an erosion as water, an rgba32f texture of surface, flow along X and Z and coverage, for `water` of a Terrain.
---@param ground Ground
---@param flow Ground
---@param options? ToWaterOptions
---@return Texture
function terrain.to_water(ground, flow, options) end

---An rgba32f texture: height, gradient along X and Z, coverage. It records the ground's size.
---@param ground Ground
---@return Texture
function terrain.to_texture(ground) end

---Writes a `.terrainData`: a heightfield's texture and the rect that it stands over. Waits.
---@param path string Ends in `.terrainData`.
---@param options WriteTerrainOptions
---@return string path
function terrain.write(path, options) end
