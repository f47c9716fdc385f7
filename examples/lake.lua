-- A lake among hills of noise: whatever lies below the water's level fills up, and the shore is where ground and water meet.
local terrainHeightfield = require("~terrainSystem.modules.terrainHeightfield")
local terrainMesh = require("~terrainSystem.modules.terrainMesh")
local terrainWater = require("~terrainSystem.modules.terrainWater")

local hills = terrain.noise { width = 512, height = 512, size = { 1400, 1400 }, seed = 23, frequency = 2.2, octaves = 6, amplitude = 120 }
local ground = terrain.map(hills, function(h, x, z)
  local out = (x * x + z * z) / 490000
  local y = h + 100 * out
  -- Flatter near the water's level, as waves would have it: beaches, and shallows before them.
  return y * math.min(1, 0.18 + math.abs(y) / 60)
end)
local hf = terrainHeightfield.open(terrain.to_texture(ground), { water = { level = 0 } })

local view = camera.main()
view.position = { 40, 26, 320 }
view:lookAt({ -60, 0, 0 })

local mesh = terrainMesh.create(hf, { camera = terrainMesh.cameraPosition() })
local land = entity.create("land")
land.component.add("Model", { mesh = mesh.mesh })
terrainMesh.bind(land.id, hf, mesh)
local lake = terrainWater.create(hf, { camera = terrainMesh.cameraPosition() })

scene.onUpdate(function()
  terrainMesh.followCamera(land.id)
  terrainWater.followCamera(lake)
end)
