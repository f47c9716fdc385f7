-- Desert dunes: crests that wander across the wind, long backs, and slip faces as steep as sand lies.
local SIZE, COUNT = 1500, 1000
local function noise(seed, frequency, amplitude)
  return terrain.noise { width = COUNT, height = COUNT, size = { SIZE, SIZE }, seed = seed, frequency = frequency, octaves = 2, amplitude = amplitude }
end

-- Straight dunes first, one a period downwind: a back that rises to the crest, and a fall of 27 degrees. Where the two meet,
-- the crest is round over a few texels.
local LENGTH, TALL, FALL, ROUND = 170, 44, math.tan(math.rad(27)), 6
local straight = terrain.map(noise(8, 5, 0.6), function(h, x, z)
  local height = TALL * math.max(0.12, 0.6 + h)
  local along = (0.94 * x + 0.34 * z) % LENGTH
  local back = height * (along / (LENGTH - height / FALL - ROUND)) ^ 1.5
  local fall = FALL * (math.sqrt((LENGTH - along) ^ 2 + ROUND ^ 2) - ROUND)
  return math.min(back, fall) - math.max(ROUND - math.abs(back - fall), 0) ^ 2 / (4 * ROUND)
end)
-- Then noise pulls them about, which makes some falls steeper, over ground that swells.
local sand = terrain.add(terrain.warp(straight, { amplitude = 110, frequency = 4, octaves = 1, seed = 2 }), noise(6, 4, 9))

local hf = entity.create("dunes").component.add("Terrain", {
  texture = terrain.to_texture(sand), climate = "desert", maxNodes = 2000, lodFactor = 3,
}):heightfield()

local sun = entity.create("sun", { position = { 0.9, 0.3, 0.45 } })
sun:lookAt { 0, 0, 0 }
sun.component.add("Light", { kind = "sun" })
entity.create("sky").component.add("Sky", { turbidity = 2 })

local view = camera.main()
view.component.get("Camera").fov = 45
view.position = { -420, 75, 480 }
view:lookAt { -100, 12, 0 }
