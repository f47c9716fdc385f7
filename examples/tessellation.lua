-- A cobbled yard and a boulder: tiles of 32 triangles and a ball of 624, displaced close up by heights that are written here.
local N, STONES, heights, colours = 192, 6, {}, {}
local function hash(i, j, k) return math.sin(i * 127.1 + j * 311.7 + k * 74.7) * 43758.5453 % 1 end
for at = 0, N * N - 1 do -- each texel's nearest stone, and how far it is to the gap between that and the next
  local x, y, near, next, id = at % N / N * STONES, at // N / N * STONES, 9, 9, 0
  for k = 0, 8 do
    local i, j = math.floor(x) + k % 3 - 1, math.floor(y) + k // 3 - 1
    local u, v = i % STONES, j % STONES
    local d = math.sqrt((i + 0.2 + 0.6 * hash(u, v, 1) - x) ^ 2 + (j + 0.2 + 0.6 * hash(u, v, 2) - y) ^ 2)
    if d < near then near, next, id = d, near, hash(u, v, 3) elseif d < next then next = d end
  end
  local h = (1 - (1 - math.min((next - near) * 1.7, 1)) ^ 3) * (0.75 + 0.2 * id) + 0.03 * hash(at, 0, 4)
  local tone = 45 + (60 + 55 * id + 10 * hash(at, 0, 5)) * math.min(1, math.max(0, 2.5 * h - 0.6))
  for part = 1, 4 do colours[at * 4 + part] = math.floor(tone * (1 - (part - 1) % 3 * (0.04 + 0.05 * hash(id, 0, 6)))) end
  heights[at + 1] = math.floor(h * 65535)
end
local cobble = renderer.material.create { displacementMap = texture.create { width = N, height = N, format = "r16", data = heights },
  roughness = 0.85, albedoMap = texture.create { width = N, height = N, format = "rgba8", data = colours } }
local tile = renderer.mesh.plane { width = 1.5, depth = 1.5, columns = 4, rows = 4 }
for i = 0, 34 do
  local e = entity.create("tile", { position = { (i % 7 - 3) * 1.5, 0, (i // 7 - 3) * 1.5 } })
  e.component.add("Model", { mesh = tile, material = cobble })
  e.component.add("Tessellation", { mode = "adaptive", level = 6, screenError = 3, displacementScale = 0.09 })
end
local function boulder(col, row) -- how far a ball that planes have cut reaches, by longitude and latitude
  local turn, fall, reach = col / 255 * 2 * math.pi, row / 127 * math.pi, 1
  local x, y, z = math.sin(fall) * math.cos(turn), math.cos(fall), -math.sin(fall) * math.sin(turn)
  for k = 1, 40 do
    local along = (x * math.cos(2.4 * k) + z * math.sin(2.4 * k)) * math.sqrt(1 - (k / 20.5 - 1) ^ 2) + y * (k / 20.5 - 1)
    if along > 0.2 then reach = math.min(reach, (0.7 + 0.18 * hash(k, 0, 12)) / along) end
  end
  return math.floor(65535 * reach * (0.99 + 0.007 * math.sin(13 * x + 4 * math.sin(9 * z + 2 * y)) * math.sin(11 * y + 12 * x)))
end
local stone = renderer.material.create { albedo = { 0.26, 0.24, 0.21 }, roughness = 0.9, wrap = "clamp",
  displacementMap = texture.create { width = 256, height = 128, format = "r16", data = boulder } }
local rock = entity.create("boulder", { position = { 0.35, 0.24, -0.55 }, rotation = { 0, 40, 12 } })
rock.component.add("Model", { mesh = renderer.mesh.sphere { radius = 0.05, segments = 24, rings = 14 }, material = stone })
rock.component.add("Tessellation", { level = 5, displacementScale = 0.5 })
camera.main().position = { 0, 1.1, 1.0 }
camera.main():lookAt({ 0.2, 0.02, -0.35 })
