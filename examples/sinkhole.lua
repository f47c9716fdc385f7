-- A sinkhole: a round hole cut out of the ground, a wall of rock that hangs from its rim, and a pool at its bottom.
local SIZE, RADIUS, DEPTH = 240, 17, 18
local hills = terrain.noise { width = 480, height = 480, size = { SIZE, SIZE }, amplitude = 9, frequency = 3, octaves = 7, seed = 31 }
local holes = texture.create { width = 480, height = 480, format = "r8", data = function(col, row)
  local x, z = (col + 1) / 480 * SIZE - SIZE / 2, (row + 1) / 480 * SIZE - SIZE / 2
  return x * x + z * z < (RADIUS + 0.5) ^ 2 and 0 or 255
end }
local hf = entity.create("land").component.add("Terrain", { texture = terrain.to_texture(hills), holes = holes }):heightfield()

-- The wall: rings from a lip on the ground over the rim down to the pool, { metres out, metres up }, roughened by noise that is read
-- around circles, so that a ring closes.
local SIDES, words, indices = 160, {}, {}
local rings = { { 1.5, -0.5 }, { 1, 0.1 }, { 0.3, 0.15 }, { -0.6, -0.2 }, { -0.9, -1.2 }, { -0.3, -3 }, { -0.9, -5 }, { 0.3, -8 }, { -0.3, -11 }, { 0.5, -15 }, { -0.6, -19 } }
local crags = terrain.to_texture(terrain.noise { width = 128, height = 128, frequency = 14, octaves = 4, seed = 4 })
local function place(ring, side)
  local angle, out, up = side / SIDES * 2 * math.pi, rings[ring][1], rings[ring][2]
  local across, along = math.cos(angle), math.sin(angle)
  local crag = crags:read(math.floor(64 + (20 + 3.8 * ring) * across), math.floor(64 + (20 + 3.8 * ring) * along))
  -- On the ground at the lip; by itself, and rougher, further down.
  local deep = math.min(math.max(-up / 5, 0), 1)
  local r = RADIUS + out + (0.3 + 1.5 * deep) * crag
  local y = hf:heightAt(r * across, r * along) * (1 - deep) + up + (0.2 + 0.6 * deep) * crag
  return { r * across, y, r * along }, 0.3 + 0.25 * crag
end
local function minus(a, b) return { a[1] - b[1], a[2] - b[2], a[3] - b[3] } end
for ring = 1, #rings - 1 do
  for side = 0, SIDES - 1 do
    local first, corners = #words // 23, { { place(ring, side) }, { place(ring, side + 1) }, { place(ring + 1, side) }, { place(ring + 1, side + 1) } }
    local a, b = minus(corners[3][1], corners[2][1]), minus(corners[4][1], corners[1][1])
    local n = { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
    local size = math.sqrt(n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2)
    for _, corner in ipairs(corners) do
      local p, shade = corner[1], corner[2]
      for _, word in ipairs { p[1], p[2], p[3], n[1] / size, n[2] / size, n[3] / size, 1, 0, 0, 1, 0, 0, 0, 0,
        shade, shade * 0.84, shade * 0.68, 1, 0, 0, 0, 0, 0 } do words[#words + 1] = word end
    end
    for _, at in ipairs { 0, 2, 1, 1, 2, 3 } do indices[#indices + 1] = first + at end
  end
end
local wall = renderer.mesh.create { vertexBuffer = renderer.buffer.create { data = words },
  indexBuffer = renderer.buffer.create { data = indices, type = "u32" } }
local stone = renderer.material.create { albedo = { 1, 1, 1 }, roughness = 0.9 }
entity.create("wall").component.add("Model", { mesh = wall, material = stone })

-- The pool: a small ground of its own, under water.
local floor = terrain.noise { width = 64, height = 64, size = { 60, 60 }, amplitude = 3, seed = 8 }
local pool = entity.create("pool").component.add("Terrain", { texture = terrain.to_texture(terrain.map(floor, function(h) return h - DEPTH end)) })
pool:heightfield():setWater { level = 4 - DEPTH }

local view = camera.main()
view.position = { 8, hf:heightAt(8, 36) + 24, 36 }
view:lookAt({ 0, -8, -2 })
