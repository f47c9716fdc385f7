-- Instances of a mesh on the ground of a Terrain: the one of its own entity, or else of the nearest entity above it, so that one
-- ground has any number of them, each on a child. They are made again when that ground is opened again, by the next frame or
-- the first to ask for them, and wait while there is none.

local scatter = require("~terrainSystem.modules.scatter")
local terrainMesh = require("~terrainSystem.modules.terrainMesh")

local Scatter = {}

local BOUNDS = { "low", "high" }

Scatter.fields = {
  mesh = { type = "mesh", doc = "stands at each place, its origin on the ground and +Y up" },
  material = { type = "material", optional = true, doc = "default the standard one" },
  density = { type = "number", default = 0.01, range = { 0, math.huge }, doc = "places a square metre; the rules leave some out" },
  seed = { type = "integer", default = 0, range = { -2 ^ 31, 2 ^ 32 - 1 }, doc = "the same seed gives the same places" },
  slope = { type = "pair", names = BOUNDS, ordered = true, optional = true, range = { 0, 90 }, doc = "degrees from level" },
  slopeSoft = { type = "number", default = 0, range = { 0, 90 }, doc = "degrees inside those bounds over which they thin out" },
  height = { type = "pair", names = BOUNDS, ordered = true, optional = true, doc = "metres of the ground" },
  heightSoft = { type = "number", default = 0, range = { 0, math.huge }, doc = "metres inside those bounds over which they thin out" },
  layer = { type = "string", optional = true, doc = "name of a layer of the ground" },
  layerMin = { type = "number", default = 0.5, range = { 0, 1 }, doc = "the least weight of that layer" },
  scale = { type = "pair", names = BOUNDS, ordered = true, default = { 1, 1 }, range = { above = 0 }, doc = "factors" },
  yaw = { type = "pair", names = BOUNDS, ordered = true, default = { 0, 360 }, doc = "degrees about the instance's own up" },
  align = { type = "number", default = 0, range = { 0, 1 }, doc = "how far up turns to the ground's normal" },
  sink = { type = "number", default = 0, doc = "metres below the ground" },
  spacing = { type = "number", default = 0, range = { 0, math.huge }, doc = "metres: no two are nearer to each other on the map" },
  underwater = { type = "boolean", default = false, doc = "whether they stand under water too" },
  rect = { type = "table", optional = true, doc = "{ size, origin? }: the part of the ground they stand on, metres" },
  max = { type = "integer", default = 1000000, range = { 1, 16000000 }, doc = "more instances than this are refused" },
  maxDistance = { type = "number", optional = true, range = { above = 0 }, doc = "metres past which nothing is drawn" },
  filter = { type = "function", optional = true, doc = "filter(x, z, y) -> boolean, asked last" },
  terrain = { type = "entity", optional = true, doc = "the entity whose ground they stand on; default its own, or the nearest above" },
}

-- The ground to stand on, or nil.
local function groundOf(self)
  if self.terrain then
    return (terrainMesh.forEntity(self.terrain.id))
  end
  local entity = self.entity
  while entity do
    local hf = terrainMesh.forEntity(entity.id)
    if hf then
      return hf
    end
    entity = entity.parent
  end
end

local function make(self, hf)
  local fields = {}
  for name in pairs(Scatter.fields) do
    if name ~= "terrain" then
      fields[name] = self[name]
    end
  end
  scatter.bind(self.entity.id, scatter.create(hf, fields))
  self.state.stood = true
end

-- What stands, made now if there is ground by now; nil where there is none.
local function stateOf(self)
  local state = scatter.forEntity(self.entity.id)
  if not state then
    local hf = groundOf(self)
    if hf then
      make(self, hf)
      state = scatter.forEntity(self.entity.id)
    end
  end
  return state
end

function Scatter:onAdd()
  stateOf(self)
end

function Scatter:onChange(field)
  if field == "terrain" then
    scatter.unbind(self.entity.id)
    stateOf(self)
    return
  end
  local state = scatter.forEntity(self.entity.id)
  if state then
    local value = self[field]
    if value == nil then
      value = false
    end
    scatter.update(state, { [field] = value })
  end
end

function Scatter:onFrame()
  if not stateOf(self) and not self.state.stood then
    error("Scatter: there is no ground to stand on; add a Terrain to this entity or to one above it, or name it as terrain", 0)
  end
end

function Scatter:onRemove()
  scatter.unbind(self.entity.id)
end

---How many stand.
---@return integer count
function Scatter:count()
  local state = stateOf(self)
  return state and state.count or 0
end

---An instance, as scatter's `state:instance(i)`.
---@param i integer 1 to count.
---@return ScatterInstance
function Scatter:instance(i)
  local state = stateOf(self)
  if not state then
    error("Scatter.instance: nothing stands", 2)
  end
  return state:instance(i)
end

return Scatter
