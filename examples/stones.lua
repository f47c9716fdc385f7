-- Standing stones on a hill in the evening: blocks roughened by tessellation, grass scattered around them, and long shadows.
local SIZE, COUNT = 160, 512
local hills = terrain.noise { width = COUNT, height = COUNT, size = { SIZE, SIZE }, seed = 6, frequency = 5, octaves = 7, amplitude = 2.5 }
local hill = terrain.map(hills, function(h, x, z)
  local away = (x * x + z * z) / 900
  return h * math.min(1, 0.15 + away) + 6 * math.exp(-away)
end)
local land = entity.create("hill")
local hf = land.component.add("Terrain", { texture = terrain.to_texture(hill), heightRange = { -10, 60 } }):heightfield()

local relief = terrain.noise { width = 128, height = 128, seed = 9, frequency = 3, octaves = 5, amplitude = 0.5 }
local heights = terrain.to_texture(relief)
local stone = renderer.material.create { albedo = { 0.3, 0.28, 0.25 }, roughness = 0.92, displacementMap = texture.create {
  width = 128, height = 128, format = "r16", data = function(col, row) return math.floor(65535 * (0.5 + heights:read(col, row))) end } }
local function block(size, position, rotation)
  local e = entity.create("stone", { position = position, rotation = rotation })
  e.component.add("Model", { mesh = renderer.mesh.box { size = size }, material = stone })
  e.component.add("Tessellation", { level = 5, displacementScale = 0.3 })
  return e
end
local places, RING = {}, 9
for i = 0, 12 do
  local angle, tall = i / 13 * 2 * math.pi, 3.2 + 1.3 * math.sin(i * 5.3)
  local x, z = RING * math.cos(angle), RING * math.sin(angle)
  block({ 1.3 + 0.3 * math.sin(i * 3.1), tall, 0.7 }, { x, hf:heightAt(x, z) + 0.42 * tall, z },
    { 4 * math.sin(i * 7.7), 90 - math.deg(angle), 5 * math.sin(i * 2.9) })
end

local sun = entity.create("sun", { position = { -0.85, 0.32, -0.3 } })
sun:lookAt { 0, 0, 0 }
sun.component.add("Light", { kind = "sun" })

local view = camera.main()
view.component.get("Camera").fov = 45
view.position = { 9, hf:heightAt(9, 19) + 4, 19 }
view:lookAt { 0, hf:heightAt(0, 0), 0 }
