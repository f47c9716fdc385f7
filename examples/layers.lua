-- Terraces of grass, gravel and rock: three materials blended by slope and by what stands out, each cliff laid on from its side.
local noiseMaterial = require("modules.noiseMaterial")

local function ramp(low, high, x)
  local t = math.min(math.max((x - low) / (high - low), 0), 1)
  return t * t * (3 - 2 * t)
end

local SIZE, STEP = 400, 12
local hills = terrain.noise { width = 512, height = 512, size = { SIZE, SIZE }, amplitude = 40, frequency = 2, octaves = 6, seed = 11 }
local terraces = terrain.map(hills, function(h)
  local step = math.floor(h / STEP)
  return STEP * (step + ramp(0.375, 1, h / STEP - step))
end)
local ground = entity.create("terraces").component.add("Terrain", { texture = terrain.to_texture(terraces) })

-- Rock where it is steep, gravel around it, dry grass here and there; green grass where these leave room.
local hf, count = ground:heightfield(), 256
local dryness = terrain.to_texture(terrain.noise { width = count, height = count, frequency = 9, seed = 4 })
local weights = texture.create { width = count, height = count, format = "rgba8", data = function(col, row)
  local slope = hf:slopeAt(((col + 0.5) / count - 0.5) * SIZE, ((row + 0.5) / count - 0.5) * SIZE)
  local rock, gravel, dry = ramp(0.5, 0.8, slope), ramp(0.2, 0.5, slope), ramp(0.0, 0.35, dryness:read(col, row))
  return math.floor(255 * rock), math.floor(220 * gravel * (1 - rock)), math.floor(230 * dry * (1 - gravel)), 0
end }
local function layer(name, channel, options)
  return { name = name, weights = channel and weights, channel = channel, material = noiseMaterial(options) }
end
ground.layers = {
  layer("grass", nil, { seed = 1, frequency = 24, dark = { 0.14, 0.19, 0.06 }, light = { 0.42, 0.46, 0.2 }, relief = 2.5, tile = 3 }),
  layer("rock", 1, { seed = 2, frequency = 7, ridged = true, beds = 3, dark = { 0.2, 0.17, 0.16 }, light = { 0.62, 0.56, 0.5 }, relief = 6, tile = 9 }),
  layer("gravel", 2, { seed = 3, frequency = 20, ridged = true, dark = { 0.34, 0.27, 0.2 }, light = { 0.72, 0.62, 0.48 }, relief = 4, tile = 2.5 }),
  layer("dry grass", 3, { seed = 5, frequency = 30, dark = { 0.26, 0.22, 0.08 }, light = { 0.62, 0.55, 0.27 }, relief = 3, tile = 2.2 }),
}

local view = camera.main()
view.position = { -120, hf:heightAt(-120, 150) + 22, 150 }
view:lookAt({ 40, hf:heightAt(40, -60) - 8, -60 })
