-- Heightfields as solid ground. What has been added is met by rays (physics.raycast) at once, in edit and in play, and bodies rest
-- on it in play. It follows edits (setHeights) and refresh, and goes when its heightfield closes or its entity is destroyed. A
-- Terrain component does this for its own ground.

local _, native = ...

local terrainCollider = {}

---Makes a heightfield the ground of an entity, in place of what it had. Where the entity itself stands does not matter.
---@param entityId integer|Entity
---@param hf Heightfield
function terrainCollider.add(entityId, hf)
  native.add(entityId, hf)
end

---Takes an entity's ground away: what lay on it falls. The heightfield stays open.
---@param entityId integer|Entity
---@return boolean removed Whether it had any.
function terrainCollider.remove(entityId)
  return native.remove(entityId)
end

return terrainCollider
