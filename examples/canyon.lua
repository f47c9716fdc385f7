-- A canyon in beds of rock. With a Terrarium tile (zoom 11, row 803) as source/grand-canyon.png it is that one, else noise that rain has cut into.
local noiseMaterial = require("modules.noiseMaterial")
local SIZE, COUNT = 15810, 768
local rough
if asset.exists("source/grand-canyon.png") then
  local tile = terrain.from_texture(texture.load("source/grand-canyon.png"), { encoding = "terrarium", size = { SIZE, SIZE } })
  rough = terrain.resample(tile, { width = COUNT, height = COUNT })
else
  local few = COUNT // 3
  local plateau = terrain.noise { width = few, height = few, size = { SIZE, SIZE }, seed = 4, frequency = 5, octaves = 7, amplitude = 500 }
  local cut = terrain.map(plateau, function(h, x, z)
    local river = math.abs(x - 1500 * math.sin(z / 2100)) / 5200
    return math.min(2250, h + 700 + 1700 * math.min(1, river) ^ 0.7)
  end)
  rough = terrain.resample(terrain.erode(cut, { seed = 2, iterations = 200, thermal = 0.3 }), { width = COUNT, height = COUNT })
end
-- Hard beds over soft ones: cliffs with ledges between.
local ground = terrain.terrace(rough, { step = 120, sharpness = 0.6 })

-- Red rock; pale beds at heights of their own, dark rock in the gorge, scrub on the ledges.
local pale = terrain.map(ground, function(h) return math.max(0, math.min(1, 2.2 * math.sin(h / 64 + 1.3 * math.sin(h / 170)) - 0.6)) end)
local dark = terrain.mask(ground, { height = { high = 900 }, soft = { height = 120 } })
local scrub = terrain.mask(ground, { slope = { 0, 14 }, soft = { slope = 12 } })
local weights = terrain.to_weights(pale, dark, terrain.scale(scrub, 0.7))
local function layer(channel, dark, light, beds)
  return { name = "bed " .. (channel or 0), weights = channel and weights, channel = channel, material = noiseMaterial {
    seed = channel or 0, frequency = 22, beds = beds, dark = dark, light = light, relief = 2, tile = 260 } }
end
local land = entity.create("canyon").component.add("Terrain", { texture = terrain.to_texture(ground), layers = {
  layer(nil, { 0.54, 0.33, 0.24 }, { 0.74, 0.5, 0.38 }, 3), layer(1, { 0.72, 0.6, 0.47 }, { 0.87, 0.76, 0.62 }, 3),
  layer(2, { 0.3, 0.23, 0.21 }, { 0.45, 0.36, 0.32 }, 1), layer(3, { 0.4, 0.37, 0.26 }, { 0.62, 0.54, 0.4 }, 1) } })

local sun, view = entity.create("sun", { position = { -0.8, 0.38, 0.35 } }), camera.main()
sun:lookAt { 0, 0, 0 }
sun.component.add("Light", { kind = "sun" })
view.component.get("Camera").fov = 40
view.position = { 6300, 2700, 7200 }
view:lookAt { 1000, 1150, 0 }
