-- Sculpting: strokes of a round brush over heightfield:setHeights. Each is one edit of the texels whose centres are nearer to
-- the brush's middle than its radius, fading smoothly to nothing there; texels in the corners of the square around it keep
-- their heights. The GPU's copy and standing meshes have followed when a stroke returns. A height outside a declared
-- heightRange is refused, and nothing changes.

local _, native = ...

local terrainBrush = {}

---@class BrushOptions
---@field radius number Metres, above 0.
---@field strength? number Metres in the middle, at least 0. Default 1.

---@class SoftBrushOptions
---@field radius number Metres, above 0.
---@field strength? number How much of the way in the middle, 0..1. Default 0.5.

---@class FlattenOptions: SoftBrushOptions
---@field height? number Metres to flatten to. Default: the ground in the brush's middle.

---@class StampOptions: BrushOptions
---@field texture Texture Laid over the brush's square, row 0 at -Z; its first channel counts, whole numbers as 0..1.

---Raises the ground.
---@param hf Heightfield
---@param x number Metres: the brush's middle.
---@param z number Metres.
---@param options BrushOptions
---@return Rect? changed As setHeights answers it; nil where no texel is under the brush.
function terrainBrush.raise(hf, x, z, options)
  return native.raise(hf, x, z, options)
end

---Lowers the ground.
---@param hf Heightfield
---@param x number Metres: the brush's middle.
---@param z number Metres.
---@param options BrushOptions
---@return Rect? changed
function terrainBrush.lower(hf, x, z, options)
  return native.lower(hf, x, z, options)
end

---Brings each height nearer to the mean of the 3 × 3 texels around it.
---@param hf Heightfield
---@param x number Metres: the brush's middle.
---@param z number Metres.
---@param options SoftBrushOptions
---@return Rect? changed
function terrainBrush.smooth(hf, x, z, options)
  return native.smooth(hf, x, z, options)
end

---Brings the ground nearer to one height.
---@param hf Heightfield
---@param x number Metres: the brush's middle.
---@param z number Metres.
---@param options FlattenOptions
---@return Rect? changed
function terrainBrush.flatten(hf, x, z, options)
  return native.flatten(hf, x, z, options)
end

---Adds the relief of a picture.
---@param hf Heightfield
---@param x number Metres: the brush's middle.
---@param z number Metres.
---@param options StampOptions
---@return Rect? changed
function terrainBrush.stamp(hf, x, z, options)
  return native.stamp(hf, x, z, options)
end

return terrainBrush
