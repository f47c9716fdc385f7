-- A material made of noise, for scenes that come without pictures: colours from dark to light by height, the heights
-- themselves, and normals of their slopes. Four copies of the noise are faded into each other, so that it repeats seamlessly.
local SIDE = 128

local function byte(part)
  return math.floor(255 * math.min(math.max(part, 0), 1))
end

---@param options { seed: integer, frequency: number, ridged?: boolean, beds?: integer, dark: number[], light: number[], relief: number, tile: number } `beds`: how often heights run through the map downward while once across.
---@return LayerMaterial
return function(options)
  local noise = terrain.to_texture(terrain.noise {
    width = 2 * SIDE, height = 2 * SIDE, seed = options.seed, frequency = options.frequency, ridged = options.ridged,
  })
  local heights = texture.create { width = SIDE, height = SIDE, format = "r16", data = function(col, row)
    local c, r = col, row * (options.beds or 1) % SIDE
    local u, v = c / SIDE, r / SIDE
    local top = noise:read(c + SIDE, r + SIDE) * (1 - u) + noise:read(c, r + SIDE) * u
    local low = noise:read(c + SIDE, r) * (1 - u) + noise:read(c, r) * u
    return byte(0.5 + 0.75 * (top * (1 - v) + low * v)) * 257
  end }
  local function height(col, row)
    return heights:read(col % SIDE, row % SIDE) / 65535
  end
  local function map(texel)
    return texture.create { width = SIDE, height = SIDE, format = "rgba8", data = texel }
  end
  local dark, light, relief = options.dark, options.light, options.relief
  return {
    tile = options.tile,
    roughness = 0.95,
    displacementMap = heights,
    albedoMap = map(function(col, row)
      local h = height(col, row)
      local function mix(part) return byte(dark[part] + (light[part] - dark[part]) * h) end
      return mix(1), mix(2), mix(3), 255
    end),
    normalMap = map(function(col, row)
      local x = relief * (height(col - 1, row) - height(col + 1, row))
      local y = relief * (height(col, row + 1) - height(col, row - 1))
      local z = 1 / math.sqrt(1 + x * x + y * y)
      return byte(0.5 + 0.5 * x * z), byte(0.5 + 0.5 * y * z), byte(0.5 + 0.5 * z), 255
    end),
  }
end
