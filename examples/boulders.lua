-- Boulders let go on a hillside: they roll, bump into each other and the walls of a sheepfold, and come to rest in the valley.
local land = terrain.map(terrain.noise { width = 256, height = 256, size = { 160, 160 }, seed = 5, frequency = 3, octaves = 5, amplitude = 4 },
  function(h, x, z)
    local across = math.min(math.abs(x + 10) / 60, 1)
    return h + 34 * across * across
  end)
local hf = entity.create("land").component.add("Terrain", { texture = terrain.to_texture(land) }):heightfield()

local granite = renderer.material.create { albedo = { 0.24, 0.23, 0.22 }, roughness = 0.9 }
local sandstone = renderer.material.create { albedo = { 0.4, 0.2, 0.1 }, roughness = 0.9 }
local ball = renderer.mesh.sphere { radius = 1 }
local block = renderer.mesh.box { size = { 2, 2, 2 } }

for i = 0, 59 do
  local x, z = 24 + 2.9 * (i % 10), -26 + 5.2 * (i // 10) + i % 3
  local size = 0.6 + (i * 37 % 11) / 11
  local round = i % 3 > 0
  local boulder = entity.create("boulder", {
    position = { x, hf:heightAt(x, z) + 2 * size, z }, rotation = { 40 * i, 70 * i, 0 }, scale = { size, size, size },
  })
  boulder.component.add("Model", { mesh = round and ball or block, material = round and granite or sandstone })
  boulder.component.add("Collider", round and { shape = "sphere", radius = 1 } or { size = { 2, 2, 2 } })
  boulder.component.add("RigidBody", { angularDamping = 0.4 })
end

-- The fold: four walls that stay where they are.
for i, wall in ipairs { { -16, 0, 1, 14 }, { -4, 0, 1, 14 }, { -10, -7, 13, 1 }, { -10, 7, 13, 1 } } do
  local x, z, wide, deep = table.unpack(wall)
  local e = entity.create("wall " .. i, { position = { x, hf:heightAt(x, z) + 0.6, z } })
  e.component.add("Model", { mesh = renderer.mesh.box { size = { wide, 4, deep } }, material = granite })
  e.component.add("Collider", { size = { wide, 4, deep } })
end

local view = camera.main()
view.position = { -36, hf:heightAt(-36, 22) + 8, 22 }
view:lookAt { 0, 1, -5 }

scene.play()
physics.step(6)
