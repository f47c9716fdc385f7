---@meta

-- The components that ship as Lua (lua/terrainSystem/components/).

---What a Terrain is made from: one of `data` and `texture`. Setting one later re-makes only what it must.
---@class TerrainFields
---@field data? string Path or guid of a `.terrainData`.
---@field texture? Texture|string An rgba32f texture of ground, or its path or guid.
---@field size? number[] Metres, { width, depth }; outranks what the ground records.
---@field origin? number[] The rect's centre, metres.
---@field heightRange? number[] Metres, { low, high }: the reach that the ground declares.
---@field holes? Texture|string A mask over the rect: only the value 0 cuts.
---@field nodata? "hole" Texels of coverage 0 become holes.
---@field layers? Layer[] What the ground is drawn with, as for `terrainHeightfield.open`.
---@field climate? "temperate"|"desert"|"canyon"|"polar" What the ground looks like without layers, default "temperate".
---@field snowLine? number Metres (world Y): snow lies above, without layers; default by climate and relief.
---@field sandLine? number Metres (world Y): sand lies below, without layers; default by climate.
---@field water? Texture|string rgba32f: surface, flow x, flow z, coverage.
---@field material? string A material's guid, worn in place of the ground's own.
---@field collider? boolean Bodies rest on it, and rays meet it; default true.
---@field maxNodes? integer Slots of the pool, 4..4096, default 512.
---@field minNodeSize? number Metres, above 0: a node of this side does not split.
---@field lodFactor? number Above 0, at most 1000, default 2.
---@field keep? fun(node: TerrainNode): boolean Which nodes are drawn.

---Ground that is drawn, followed by the cut, and solid. Its entity's own transform does nothing to it.
---@class Terrain: LuaComponent, TerrainFields
local ground = {}

---The ground as it stands, for queries and edits.
---@return Heightfield
function ground:heightfield() end

---What draws it.
---@return TerrainMesh
function ground:mesh() end

---Water over the ground of a Terrain on the same entity: a level or a texture, or, with neither, the look of the ground's own water.
---@class WaterFields
---@field level? number Metres: a sheet over the whole ground, wet wherever that lies lower.
---@field texture? Texture|string rgba32f: surface, flow x, flow z, coverage.
---@field color? number[] What deep water scatters back: linear, 0..1.
---@field clarity? number Metres of sight, above 0, default 7.
---@field waves? number Height against the usual, 0..4, default 1; 0 is a mirror.
---@field foam? number At the shore and in fast water, 0..4, default 1; 0 is none.

---@class Water: LuaComponent, WaterFields
local lake = {}

---The water's surface at a place, and its flow; nil where it is dry or there is no ground.
---@param x number Metres.
---@param z number Metres.
---@return number? surface Metres.
---@return number? flowX Metres a second.
---@return number? flowZ Metres a second.
function lake:at(x, z) end

---Takes up the ground of its entity where that is another one than before; else it does nothing. Each frame does so, and a Terrain
---as soon as it has opened other ground. May wait.
function lake:follow() end

---Instances on the ground of a Terrain: of the same entity, or of the nearest above it. The rules are those of scatter.create.
---@class ScatterComponentFields: ScatterFields
---@field mesh string Stands at each place, its origin on the ground and +Y up.
---@field terrain? Entity The entity whose ground they stand on.

---@class ScatterComponent: LuaComponent, ScatterComponentFields
local instances = {}

---How many stand.
---@return integer count
function instances:count() end

---An instance, as scatter's `state:instance(i)`.
---@param i integer 1 to count.
---@return ScatterInstance
function instances:instance(i) end
