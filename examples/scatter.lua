-- A forest on the gentle slopes of hills, rocks on the steep ones, and a path that both leave free.
-- A mesh of seven-sided bands around the Y axis: { y and radius at the foot, y and radius at the top, colour there and there }.
local function turned(bands)
  local words, indices = {}, {}
  for vertex = 0, #bands * 28 - 1 do
    local y0, r0, y1, r1, low, high = table.unpack(bands[vertex // 28 + 1])
    local side, corner = vertex // 4 % 7, vertex % 4
    local turn, facing, top = (side + corner % 2) / 3.5 * math.pi, (side + 0.5) / 3.5 * math.pi, corner > 1
    local y, r, c = top and y1 or y0, top and r1 or r0, top and high or low
    local slant = math.sqrt((y1 - y0) ^ 2 + (r0 - r1) ^ 2)
    local out, up = (y1 - y0) / slant, (r0 - r1) / slant
    for _, word in ipairs { r * math.cos(turn), y, -r * math.sin(turn), out * math.cos(facing), up, -out * math.sin(facing),
      1, 0, 0, 1, 0, 0, 0, 0, c[1], c[2], c[3], 1, 0, 0, 0, 0, 0 } do words[#words + 1] = word end
    for _, back in ipairs(corner == 3 and { 3, 2, 1, 1, 2, 0 } or {}) do indices[#indices + 1] = vertex - back end
  end
  local buffer = renderer.buffer.create
  return renderer.mesh.create { vertexBuffer = buffer { data = words }, indexBuffer = buffer { data = indices, type = "u32" } }
end

local bark, dark, leaf = { 0.09, 0.05, 0.03 }, { 0.012, 0.035, 0.016 }, { 0.06, 0.13, 0.04 }
local tree = turned { { 0, 0.35, 1.5, 0.3, bark, bark }, { 1.5, 0.3, 1.5, 2.4, dark, dark }, { 1.5, 2.4, 5, 0.9, dark, leaf },
  { 3.7, 1.9, 7.2, 0.6, dark, leaf }, { 6, 1.3, 10, 0, dark, leaf } }
local grey, pale = { 0.07, 0.065, 0.06 }, { 0.17, 0.16, 0.145 }
local rock = turned { { -0.5, 0.8, 0.4, 1, grey, pale }, { 0.4, 1, 0.9, 0.55, pale, pale }, { 0.9, 0.55, 1, 0, pale, pale } }

local hills = terrain.noise { width = 256, height = 256, size = { 800, 800 }, amplitude = 42, frequency = 2, seed = 7 }
local ground = entity.create("hills")
local hf = ground.component.add("Terrain", { texture = terrain.to_texture(hills) }):heightfield()
local matte = renderer.material.create { albedo = { 1, 1, 1 }, roughness = 0.95 }
local function offPath(x, z) return math.abs(z - 60 * math.sin(x / 90)) > 6 end
entity.create("forest", { parent = ground }).component.add("Scatter", { mesh = tree, material = matte, density = 0.04,
  slope = { 0, 24 }, slopeSoft = 8, spacing = 3, scale = { 0.6, 1.3 }, sink = 0.3, filter = offPath })
entity.create("rocks", { parent = ground }).component.add("Scatter", { mesh = rock, material = matte, density = 0.012,
  slope = { 18, 60 }, scale = { 0.3, 2 }, align = 0.8, seed = 1, filter = offPath })

local view = camera.main()
view.position = { -340, hf:heightAt(-340, 35) + 24, 35 }
view:lookAt { -150, hf:heightAt(-150, -50) + 4, -50 }
