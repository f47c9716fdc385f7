-- How a rect of ground is tiled with square roots, the top of the quadtree that terrainMesh cuts.

local _, native = ...

local quadtree = {}

---The options of `rootGrid`.
---@class RootGridOptions
---@field maxNodes? integer Slots in the pool; the grid takes at most a quarter of them. At least 1, default 512.
---@field minNodeSize? number Metres: the sides' common measure is a root only while it is at least this. At least 0, default 0.
---@field rootSize? number Metres, above 0: states the root's side. Its squares may fill the pool, not pass it.

---A grid of squares that covers a rect from its -X, -Z corner.
---@class RootGrid
---@field size number Side of a square, metres.
---@field columns integer Squares along X.
---@field rows integer Squares along Z.

---The squares that root a rect: one where it is square, else the largest measure that both sides divide into, else the
---shorter side with a last row or column that reaches past the far edge.
---@param width number Metres along X, above 0.
---@param depth number Metres along Z, above 0.
---@param options? RootGridOptions
---@return RootGrid
function quadtree.rootGrid(width, depth, options)
  return native.rootGrid(width, depth, options)
end

return quadtree
