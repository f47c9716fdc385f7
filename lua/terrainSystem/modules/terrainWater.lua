-- The water of a heightfield on screen: one transparent draw over its own surface, cut where water stands above the ground.

local _, native = ...

local terrainWater = {}

---How water looks.
---@class WaterLook
---@field color? number[] What deep water scatters back: linear, 0..1. Default a green blue.
---@field clarity? number Metres of sight, above 0, default 7: what lies this far in has all but vanished.
---@field waves? number Height of the waves against the usual, 0..4, default 1; 0 is a mirror.
---@field foam? number Foam at the shore and in fast water against the usual, 0..4, default 1; 0 is none.

---@class TerrainWaterOptions: WaterLook
---@field camera Vector Metres: where the first cut is taken from.
---@field maxNodes? integer Slots in the pool, 4..4096, default 256.
---@field nodeVerts? integer Vertices along a node's side: 3, 5, 9, 17, 33, 65 or 129, default 17.
---@field minNodeSize? number Metres, above 0: a node of this size does not split. Default (nodeVerts - 1) × half a texel of the water.
---@field lodFactor? number A node splits while the camera is nearer than this many of its sides. Above 0, at most 1000, default 2.

---A water that is drawn. It follows setWater, refresh and edits of the ground by itself. Its fields can only be read.
---@class TerrainWater
---@field cut TerrainNode[] The nodes drawn; a new list at each read.
---@field look WaterLook

---Draws a heightfield's water from the next frame on, once a heightfield; while there is none it draws nothing. Waits for its
---pipelines. It goes with the heightfield.
---@param hf Heightfield
---@param options TerrainWaterOptions
---@return TerrainWater state
function terrainWater.create(hf, options)
  return native.create(hf, options)
end

---What draws a heightfield's water; nil where nothing does.
---@param hf Heightfield
---@return TerrainWater? state
function terrainWater.of(hf)
  return native.of(hf)
end

---Takes the cut from a camera and builds what that changes. From the place it was last taken from it builds nothing.
---@param state TerrainWater
---@param hf Heightfield The one that the water was created from.
---@param camera Vector Metres.
---@return CutUpdate
function terrainWater.updateCut(state, hf, camera)
  return native.updateCut(state, hf, camera)
end

---Takes the cut from the on-screen camera; once a frame.
---@param state TerrainWater
---@return CutUpdate
function terrainWater.followCamera(state)
  return native.followCamera(state)
end

---Changes what is given of the look, from the next frame on.
---@param state TerrainWater
---@param look WaterLook
function terrainWater.setLook(state, look)
  return native.setLook(state, look)
end

---Frees what draws it. The heightfield keeps its water.
---@param state TerrainWater
function terrainWater.destroy(state)
  return native.destroy(state)
end

return terrainWater
