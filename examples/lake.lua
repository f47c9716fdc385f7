-- A lake among hills of noise: the hollows below the water's level fill up, and the shore is where ground and water meet.
local terrainHeightfield = require("~terrainSystem.modules.terrainHeightfield")
local terrainMesh = require("~terrainSystem.modules.terrainMesh")
local terrainWater = require("~terrainSystem.modules.terrainWater")

local hills = terrain.noise { width = 512, height = 512, size = { 1400, 1400 }, seed = 23, frequency = 3, octaves = 7, amplitude = 120 }
local ground = terrain.map(hills, function(h, x, z)
  -- Higher toward the rim, so that the lake lies in a bowl.
  local out = math.sqrt(x * x + z * z) / 700
  return h + 130 * out * out
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
