-- An alpine valley at dawn: ridges of folded noise, a valley with a lake bent between them, and all of it worn by rain.
local SIZE, COUNT = 6000, 400
local function noise(fields)
  fields.width, fields.height, fields.size, fields.octaves = COUNT, COUNT, { SIZE, SIZE }, 8
  return terrain.noise(fields)
end
local crests = noise { seed = 12, frequency = 3.4, amplitude = 520, ridged = true }
local swells = noise { seed = 5, frequency = 1.7, amplitude = 240 }

local function ramp(low, high, x)
  local t = math.min(math.max((x - low) / (high - low), 0), 1)
  return t * t * (3 - 2 * t)
end

-- The valley bends north to its head, under a summit of its own; a sill at its mouth dams the lake.
local raw = terrain.map(terrain.add(crests, swells), function(h, x, z)
  local across = math.abs(x - 380 * math.sin(z / 750 + 0.6))
  local wall, head, sill = ramp(100, 1150, across), ramp(0, -2000, z), ramp(1300, 2300, z)
  local summit = 1100 * math.exp(-math.sqrt((x + 250) ^ 2 + (z + 1700) ^ 2) / 700)
  return -90 + 150 * sill + 300 * head + 800 * wall + summit + h * (0.06 + 0.94 * math.max(wall, 0.8 * head))
end)
local ground = terrain.erode(raw, { seed = 3, iterations = 160, talus = 54 })

local land = entity.create("valley")
local hf = land.component.add("Terrain", { texture = terrain.to_texture(ground), snowLine = 620 }):heightfield()
land.component.add("Water", { level = 60, waves = 0.3 })

local sun = entity.create("sun", { position = { 1, 0.18, 0.25 } })
sun:lookAt { 0, 0, 0 }
sun.component.add("Light", { kind = "sun" })
-- Mist over the lake, thinner by the metre.
entity.create("air").component.add("Fog", { density = 0.0004, height = 60, falloff = 120 })

local view = camera.main()
local lens = view.component.get("Camera")
lens.fov, lens.ev = 45, 0.6
view.position = { 250, hf:heightAt(250, 2200) + 70, 2200 }
view:lookAt { -100, 330, -1000 }
