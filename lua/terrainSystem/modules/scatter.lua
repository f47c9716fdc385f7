-- Instances of one mesh over a heightfield: trees, rocks, tufts, placed by rules and a seed, drawn in one draw, culled on the
-- GPU. They follow the ground: an edit places only what it covers anew, and they go when the heightfield closes.

local _, native = ...

local scatter = {}

---Where instances stand and how they are drawn. The ground is asked first: none stands over a hole or outside the rect.
---@class ScatterFields
---@field mesh? string Guid of the mesh, its origin on the ground, +Y up. `create` needs it.
---@field density? number Places a square metre, at least 0 (0.01 is 100 a hectare); rules leave some out. `create` needs it.
---@field material? string|false Guid of a material; default the standard one.
---@field seed? integer Default 0. The same seed gives the same places.
---@field slope? number[]|false Degrees from level, { low, high } within 0..90.
---@field slopeSoft? number Degrees inside those bounds over which instances thin out, default 0.
---@field height? number[]|false Metres of the ground, { low, high }.
---@field heightSoft? number Metres inside those bounds over which instances thin out, default 0.
---@field layer? string|false Name of a layer of the ground.
---@field layerMin? number The least weight of that layer, 0..1, default 0.5.
---@field scale? number[] Factors above 0, { low, high }, default { 1, 1 }.
---@field yaw? number[] Degrees about the instance's own up, { low, high }, default { 0, 360 }.
---@field align? number How far up turns from the world's (0) to the ground's normal (1), default 0.
---@field sink? number Metres below the ground, default 0: hides the foot on slopes and where far ground is coarse.
---@field spacing? number Metres: no two are nearer to each other on the map; at most 8 / sqrt(density). Default 0.
---@field underwater? boolean Whether they stand under water too, default false.
---@field rect? { size: number[], origin?: number[] }|false The part of the ground they stand on, metres.
---@field max? integer More instances than this are refused, default 1000000.
---@field maxDistance? number|false Metres past which nothing is drawn; one by one they shrink away from half of it on. Default 250 diameters of the mesh.
---@field filter? (fun(x: number, z: number, y: number): boolean)|false Asked last, y being the ground's height; may not wait.

---@class ScatterInstance
---@field position Vector World metres: the mesh's origin.
---@field rotation Vector Degrees, as an entity's.
---@field scale number

---A standing scatter. Its fields can only be read.
---@class Scatter
---@field count integer Instances that stand.
---@field mesh string
---@field material? string
local standing = {}

---An instance. Numbers hold until the next edit, refresh or update.
---@param i integer 1 to count.
---@return ScatterInstance
function standing:instance(i) end

---Places instances; they stand when it returns.
---@param hf Heightfield
---@param fields ScatterFields
---@return Scatter state
function scatter.create(hf, fields)
  return native.create(hf, fields)
end

---Swaps fields; those left out stay, `false` takes an optional one back to its default. Other rules place all anew.
---@param state Scatter
---@param fields ScatterFields
function scatter.update(state, fields)
  return native.update(state, fields)
end

---How many instances the last frame drew. Waits for it.
---@param state Scatter
---@return integer count
function scatter.visible(state)
  return native.visible(state)
end

---Records that a scatter belongs to an entity: it goes with it. Another one that the entity had is destroyed.
---@param entityId integer
---@param state Scatter
function scatter.bind(entityId, state)
  return native.bind(entityId, state)
end

---The scatter of an entity; nil where it has none, or its ground has closed.
---@param entityId integer
---@return Scatter? state
function scatter.forEntity(entityId)
  return native.forEntity(entityId)
end

---Destroys the scatter of an entity.
---@param entityId integer
---@return boolean bound Whether it had one.
function scatter.unbind(entityId)
  return native.unbind(entityId)
end

---Frees it. The heightfield stays open.
---@param state Scatter
function scatter.destroy(state)
  return native.destroy(state)
end

return scatter
