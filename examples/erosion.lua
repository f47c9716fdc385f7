-- Mountains out of noise: rain cuts valleys and ridges into it, slides bring slopes down to what they bear, and what the water took
-- lies as fans and flats at their feet.
local SIZE, COUNT = 8000, 320
local function noise(fields)
  fields.width, fields.height, fields.size, fields.octaves = COUNT, COUNT, { SIZE, SIZE }, 8
  return terrain.noise(fields)
end
local hills = noise { seed = 8, frequency = 1.6, amplitude = 650 }
local crests = noise { seed = 4, frequency = 2.2, amplitude = 450, ridged = true }

local ground, flow, sediment = terrain.erode(terrain.add(hills, crests), { seed = 1, progress = function(done, all)
  if done == all then print(("%d steps of rain"):format(done)) end
end })
print(("the largest river drains %.1f km², and the deepest fan lies %.0f m thick"):format(flow.report.max / 1e6, sediment.report.max))

-- Rivers stand where most of a square kilometre drains by.
local land = entity.create("mountains").component.add("Terrain", {
  texture = terrain.to_texture(ground),
  water = terrain.to_water(ground, flow, { catchment = 8e5, depth = 1.5 }),
})
local view = camera.main()
view.position = { 400, land:heightfield():heightAt(400, 3000) + 850, 3000 }
view:lookAt { -200, 60, 600 }
