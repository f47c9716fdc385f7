-- An island whose ground ends at the seabed: what lies wholly in the deep is not kept, so none of it is meshed or drawn.
local SIZE, COUNT, DEEP = 4000, 512, -30
local function noise(fields)
  fields.width, fields.height, fields.size = COUNT, COUNT, { SIZE, SIZE }
  return terrain.noise(fields)
end

-- How far inland a place is, 1 at most: from a crooked spine out over bays and headlands to islets and the deep.
local inland = terrain.map(noise { seed = 3, frequency = 7, octaves = 5, amplitude = 0.8 }, function(bay, x, z)
  local along = math.max(-430, math.min(430, x))
  return 0.95 - math.sqrt((x - along) ^ 2 + (z - 190 * math.sin(along / 240)) ^ 2) / 520 + bay
end)
local crests = terrain.add(noise { seed = 14, frequency = 8, octaves = 7, amplitude = 85, ridged = true }, 12)
local hills = terrain.blend(terrain.scale(crests, 0), crests, terrain.clamp(inland, 0, 1))
local worn = terrain.erode(terrain.add(terrain.clamp(terrain.scale(inland, 130), -150, 200), hills), { seed = 5, iterations = 80 })
-- Waves keep the shore gentle: beaches, and shallows before them.
local ground = terrain.map(worn, function(h) return h * math.min(1, 0.2 + math.abs(h) / 30) end)

local land = entity.create("island")
local island = land.component.add("Terrain", { texture = terrain.to_texture(ground), sandLine = 2 })
local hf = island:heightfield()
island.keep = function(node)
  local _, high = hf:minMax { minX = node.x, minZ = node.z, maxX = node.x + node.size, maxZ = node.z + node.size }
  return high > DEEP
end
land.component.add("Water", { level = 0, clarity = 9, waves = 0.8 })

local sun = entity.create("sun", { position = { -0.35, 0.5, -0.8 } })
sun:lookAt { 0, 0, 0 }
sun.component.add("Light", { kind = "sun" })
entity.create("sky").component.add("Sky", { turbidity = 2 })

local view = camera.main()
local lens = view.component.get("Camera")
lens.fov, lens.ev = 45, 0.2
view.position = { -1150, 160, 250 }
view:lookAt { 0, 15, 0 }
