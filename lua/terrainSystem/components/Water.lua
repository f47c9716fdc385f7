-- The water of a Terrain on the same entity: a level or a texture in place of the ground's own, and how it looks. Terrain draws it.
-- It waits while there is no ground, and takes up what is opened in its place.

local terrainMesh = require("~terrainSystem.modules.terrainMesh")
local terrainWater = require("~terrainSystem.modules.terrainWater")

local Water = {}

Water.fields = {
  level = { type = "number", optional = true, doc = "metres: a sheet over the whole ground, wet wherever that lies lower" },
  texture = { type = "texture", optional = true, doc = "rgba32f: surface, flow x, flow z, coverage" },
  color = { type = "color", default = { 0.022, 0.085, 0.088 }, doc = "what deep water scatters back: linear, 0..1" },
  clarity = { type = "number", default = 7, range = { above = 0 }, doc = "metres of sight: what lies this far in has all but vanished" },
  waves = { type = "number", default = 1, range = { 0, 4 }, doc = "height against the usual; 0 is a mirror" },
  foam = { type = "number", default = 1, range = { 0, 4 }, doc = "at the shore and in fast water, against the usual; 0 is none" },
}

local LOOK = { "color", "clarity", "waves", "foam" }

-- The heightfield that each entity's water was given to, by the entity's id.
local given = {}

local function ownsWater(self)
  return self.level ~= nil or self.texture ~= nil
end

local function checkOne(self)
  if self.level and self.texture then
    error("Water: only one of level and texture may be given, got both", 0)
  end
end

local function giveLook(self, hf)
  local look = {}
  for _, name in ipairs(LOOK) do
    look[name] = self[name]
  end
  local state = terrainWater.of(hf)
  if state then
    terrainWater.setLook(state, look)
  elseif hf.hasWater then
    look.camera = terrainMesh.cameraPosition()
    terrainWater.create(hf, look)
  end
end

local function give(self, hf)
  checkOne(self)
  if ownsWater(self) then
    hf:setWater(self.texture or { level = self.level })
  end
  giveLook(self, hf)
  given[self.entity.id] = hf
end

function Water:onAdd()
  checkOne(self)
  local hf = terrainMesh.forEntity(self.entity.id)
  if hf then
    give(self, hf)
  end
end

function Water:onChange(field)
  local hf = given[self.entity.id]
  if not hf or terrainMesh.forEntity(self.entity.id) ~= hf then
    return checkOne(self)
  end
  if field ~= "level" and field ~= "texture" then
    return giveLook(self, hf)
  end
  if not ownsWater(self) then
    hf:resetWater()
  end
  give(self, hf)
end

function Water:onFrame()
  self:follow()
end

---Takes up the ground of its entity where that is another one than before; else it does nothing. Each frame does so, and a Terrain
---as soon as it has opened other ground. May wait.
function Water:follow()
  local hf = terrainMesh.forEntity(self.entity.id)
  if hf and (given[self.entity.id] ~= hf or not terrainWater.of(hf)) then
    give(self, hf)
  end
end

function Water:onRemove()
  local id = self.entity.id
  local hf = terrainMesh.forEntity(id)
  if hf and given[id] == hf then
    if ownsWater(self) then
      hf:resetWater()
    end
    local state = terrainWater.of(hf)
    if state then
      local look = {}
      for _, name in ipairs(LOOK) do
        look[name] = Water.fields[name].default
      end
      terrainWater.setLook(state, look)
    end
  end
  given[id] = nil
end

---The water's surface at a place, and its flow; nil where it is dry or there is no ground.
---@param x number Metres.
---@param z number Metres.
---@return number? surface Metres.
---@return number? flowX Metres a second.
---@return number? flowZ Metres a second.
function Water:at(x, z)
  local hf = terrainMesh.forEntity(self.entity.id)
  if not hf then
    return nil
  end
  return hf:waterAt(x, z)
end

return Water
