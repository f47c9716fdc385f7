-- A lake among hills of noise: whatever lies below the water's level fills up, and the shore is where ground and water meet.
local hills = terrain.noise { width = 512, height = 512, size = { 1400, 1400 }, seed = 23, frequency = 2.2, octaves = 6, amplitude = 120 }
local ground = terrain.map(hills, function(h, x, z)
  local y = h + 100 * (x * x + z * z) / 490000
  -- Flatter near the water's level, as waves would have it: beaches, and shallows before them.
  return y * math.min(1, 0.18 + math.abs(y) / 60)
end)

local land = entity.create("land")
land.component.add("Terrain", { texture = terrain.to_texture(ground) })
land.component.add("Water", { level = 0 })

local view = camera.main()
view.position = { 262, 20, 84 }
view:lookAt { 100, -4, 230 }
