-- Ground on an entity: opened from a `.terrainData` or a texture, drawn as one draw, followed by the cut, solid. What a component
-- written in Lua looks like: fields, hooks, and helpers over modules. It keeps nothing in `self.state`: its heightfield and its mesh
-- hang on the entity (terrainMesh.bind), so that scene.stop finds and frees them.

local terrainCollider = require("~terrainSystem.modules.terrainCollider")
local terrainHeightfield = require("~terrainSystem.modules.terrainHeightfield")
local terrainMesh = require("~terrainSystem.modules.terrainMesh")
local terrainWater = require("~terrainSystem.modules.terrainWater")

local Terrain = {}

Terrain.fields = {
  data = { type = "string", optional = true, doc = "path or guid of a .terrainData: this or texture" },
  texture = { type = "texture", optional = true, doc = "an rgba32f texture of ground, or its path or guid" },
  size = { type = "pair", names = { "width", "depth" }, optional = true, range = { above = 0 }, doc = "metres; outranks what the ground records" },
  origin = { type = "pair", names = { "x", "z" }, optional = true, doc = "the rect's centre, metres" },
  heightRange = { type = "pair", names = { "low", "high" }, ordered = true, optional = true, doc = "metres: the reach that the ground declares" },
  holes = { type = "texture", optional = true, doc = "a mask over the rect: only the value 0 cuts" },
  nodata = { type = "enum", values = { "hole" }, optional = true, doc = "texels of coverage 0 become holes" },
  layers = { type = "table", optional = true, doc = "a list of { name, weights, channel, material }" },
  climate = { type = "enum", values = { "temperate", "desert", "canyon", "polar" }, default = "temperate", doc = "what it looks like without layers" },
  snowLine = { type = "number", optional = true, doc = "metres: snow lies above, without layers; by climate and relief where left out" },
  sandLine = { type = "number", optional = true, doc = "metres: sand lies below, without layers; by climate where left out" },
  water = { type = "texture", optional = true, doc = "rgba32f: surface, flow x, flow z, coverage" },
  material = { type = "material", optional = true, doc = "worn in place of the ground's own" },
  collider = { type = "boolean", default = true, doc = "bodies rest on it, and rays meet it" },
  maxNodes = { type = "integer", default = 512, range = { 4, 4096 }, doc = "slots of the pool" },
  minNodeSize = { type = "number", optional = true, range = { above = 0 }, doc = "metres: a node of this side does not split" },
  lodFactor = { type = "number", default = 2, range = { above = 0, max = 1000 }, doc = "a node splits nearer than this many of its sides" },
  keep = { type = "function", optional = true, doc = "which nodes are drawn" },
}

-- The fields that only the mesh is made from; the others that have no case of their own in onChange are the ground's.
local OF_MESH = { maxNodes = true, minNodeSize = true, lodFactor = true, keep = true }

-- The fields of the look of ground without layers.
local OF_LOOK = { climate = true, snowLine = true, sandLine = true }

local function openGround(self)
  if (self.data == nil) == (self.texture == nil) then
    error("Terrain: one of data and texture must be given, got " .. (self.data and "both" or "neither"), 0)
  end
  return terrainHeightfield.open(self.data or self.texture, {
    size = self.size,
    origin = self.origin,
    heightRange = self.heightRange,
    holes = self.holes,
    nodata = self.nodata,
    layers = self.layers,
    climate = self.climate,
    snowLine = self.snowLine,
    sandLine = self.sandLine,
    water = self.water,
  })
end

local function makeMesh(self, hf)
  return terrainMesh.create(hf, {
    camera = terrainMesh.cameraPosition(),
    maxNodes = self.maxNodes,
    minNodeSize = self.minNodeSize,
    lodFactor = self.lodFactor,
    keep = self.keep,
  })
end

-- Opens the ground and makes its mesh; where that fails nothing stays open.
local function make(self)
  local hf = openGround(self)
  local made, mesh = pcall(makeMesh, self, hf)
  if not made then
    hf:close()
    error(mesh, 0)
  end
  return hf, mesh
end

-- Bodies rest on the ground and rays meet it, or not; it goes with the heightfield.
local function makeSolid(self, hf)
  if self.collider then
    terrainCollider.add(self.entity.id, hf)
  else
    terrainCollider.remove(self.entity.id)
  end
end

-- Puts new ground in the old one's place, which is freed. Where it has none any more (the component was removed while its files were
-- read) the new one is.
local function bind(self, hf, mesh)
  local bound, message = pcall(function()
    local id = self.entity.id
    terrainMesh.unbind(id)
    terrainMesh.bind(id, hf, mesh)
  end)
  if not bound then
    terrainMesh.destroy(mesh)
    hf:close()
    error(message, 0)
  end
end

-- Draws the ground's water as soon as there is some; it goes with the heightfield.
local function drawWater(hf)
  if hf.hasWater and not terrainWater.of(hf) then
    terrainWater.create(hf, { camera = terrainMesh.cameraPosition() })
  end
end

-- A Water on the same entity takes up new ground at once; what it has against it, it says itself in the next frame.
local function tellWater(self)
  local water = ecs.get(self.entity.id, ecs.Water)
  if water then
    pcall(water.follow, water)
  end
end

function Terrain:onAdd()
  local hf, mesh = make(self)
  bind(self, hf, mesh)
  local made, message = pcall(function()
    self:make("Model", { mesh = mesh.mesh, material = self.material })
    makeSolid(self, hf)
    drawWater(hf)
  end)
  if not made then
    terrainMesh.unbind(self.entity.id)
    error(message, 0)
  end
  tellWater(self)
end

function Terrain:onChange(field)
  local components = self.entity.component
  if field == "material" then
    components.get("Model").material = self.material
    return
  end
  local hf, mesh = terrainMesh.forEntity(self.entity.id), nil
  -- Without ground (it was unbound by hand) any field opens it again.
  if hf and field == "layers" then
    if self.layers then
      hf:setLayers(self.layers)
    else
      hf:resetLayers()
    end
    return
  elseif hf and OF_LOOK[field] then
    hf:setLook { climate = self.climate, snowLine = self.snowLine, sandLine = self.sandLine }
    return
  elseif hf and field == "water" then
    hf:setOwnWater(self.water)
    return
  elseif hf and field == "collider" then
    makeSolid(self, hf)
    return
  end
  if hf and OF_MESH[field] then
    mesh = makeMesh(self, hf)
    terrainMesh.bind(self.entity.id, hf, mesh)
  else
    hf, mesh = make(self)
    bind(self, hf, mesh)
    makeSolid(self, hf)
    tellWater(self)
  end
  components.get("Model").mesh = mesh.mesh
end

function Terrain:onFrame()
  local id = self.entity.id
  local hf = terrainMesh.forEntity(id)
  terrainMesh.followCamera(id)
  drawWater(hf)
  local water = terrainWater.of(hf)
  if water then
    terrainWater.followCamera(water)
  end
end

function Terrain:onRemove()
  terrainMesh.unbind(self.entity.id)
end

---The ground as it stands: for queries and edits.
---@return Heightfield
function Terrain:heightfield()
  return (terrainMesh.forEntity(self.entity.id))
end

---What draws it.
---@return TerrainMesh
function Terrain:mesh()
  local _, mesh = terrainMesh.forEntity(self.entity.id)
  return mesh
end

return Terrain
