-- A heightfield on screen as one draw: a pool of node slots, filled by a quadtree cut that follows a camera.

local _, native = ...

local terrainMesh = {}

---A node of the cut. Level 0 is a root.
---@class TerrainNode
---@field level integer
---@field ix integer Nodes of this level from the cut's -X edge, from 0.
---@field iz integer Nodes of this level from the cut's -Z edge, from 0.
---@field x number Metres: the node's -X edge.
---@field z number Metres: the node's -Z edge.
---@field size number Side, metres.
---@field slot integer Its place in the pool, from 0: slot s starts at word s × nodeVerts² × 23 of the vertex buffer.
---@field coarseMask integer Edges that meet a coarser node: 1 -X, 2 +X, 4 -Z, 8 +Z.

---@class TerrainMeshOptions
---@field camera Vector Metres: where the first cut is taken from.
---@field maxNodes? integer Slots in the pool, 4..4096, default 512.
---@field nodeVerts? integer Vertices along a node's side: 3, 5, 9, 17, 33, 65 or 129, default 33.
---@field minNodeSize? number Metres, above 0: a node of this size does not split. Default (nodeVerts - 1) × half a texel.
---@field rootSize? number Metres, above 0: states the side of the root squares.
---@field lodFactor? number A node splits while the camera is nearer than this many of its sides. Above 0, at most 1000, default 2.
---@field keep? fun(node: TerrainNode): boolean Which nodes are drawn; asked once a node, may not wait. Default: all.
---@field rect? { size: number[], origin?: number[] } Cuts and draws this part of the world only, metres.

---What an update did.
---@class CutUpdate
---@field changed boolean The nodes, a mask or the index run differ from the last update's.
---@field nodes integer Nodes drawn.
---@field remeshed integer Nodes whose vertices were built again.
---@field lodFactor number The factor this cut was taken with: less than asked where the pool ran out.

---A terrain mesh. Its fields can only be read.
---@class TerrainMesh
---@field cut TerrainNode[] The nodes drawn; a new list at each read.
---@field vertexBuffer Buffer maxNodes × nodeVerts² vertices of 23 words.
---@field indexBuffer Buffer
---@field mesh string The guid that a Model binds. It stays the same while the cut changes.
---@field maxNodes integer
---@field nodeVerts integer

---Makes the pool and takes the first cut. Waits for its kernels. The heightfield must stay open.
---@param hf Heightfield
---@param options TerrainMeshOptions
---@return TerrainMesh state
function terrainMesh.create(hf, options)
  return native.create(hf, options)
end

---Takes the cut from a camera and builds what that changes. From the place it was last taken from it builds nothing.
---@param state TerrainMesh
---@param hf Heightfield The one that the mesh was created from.
---@param camera Vector Metres.
---@return CutUpdate
function terrainMesh.updateCut(state, hf, camera)
  return native.updateCut(state, hf, camera)
end

---Builds exactly these nodes; what updateCut does with the nodes it chose. Refuses one that is off the cut's grid.
---@param state TerrainMesh
---@param hf Heightfield The one that the mesh was created from.
---@param nodes TerrainNode[]
function terrainMesh.build(state, hf, nodes)
  return native.build(state, hf, nodes)
end

---Marks the nodes that meet a rect of world, grown by one texel, to be built again at the next update.
---@param state TerrainMesh
---@param rect Rect
---@return integer marked How many nodes.
function terrainMesh.invalidate(state, rect)
  return native.invalidate(state, rect)
end

---Where the on-screen camera stands.
---@return Vector position Metres.
function terrainMesh.cameraPosition()
  return native.cameraPosition()
end

---Records that an entity's geometry is this heightfield, drawn through this mesh. Both go when the entity does.
---@param entityId integer
---@param hf Heightfield
---@param state TerrainMesh
function terrainMesh.bind(entityId, hf, state)
  return native.bind(entityId, hf, state)
end

---What an entity is bound to; nil where it is not.
---@param entityId integer
---@return Heightfield? hf
---@return TerrainMesh? state
function terrainMesh.forEntity(entityId)
  return native.forEntity(entityId)
end

---@param entityId integer
---@return boolean
function terrainMesh.isBound(entityId)
  return native.isBound(entityId)
end

---Releases an entity's mesh, its pool and its heightfield together.
---@param entityId integer
---@return boolean bound Whether it was bound.
function terrainMesh.unbind(entityId)
  return native.unbind(entityId)
end

---Takes the cut of an entity's terrain from the on-screen camera; once a frame.
---@param entityId integer
---@return CutUpdate
function terrainMesh.followCamera(entityId)
  return native.followCamera(entityId)
end

---Frees the mesh and its buffers. The heightfield stays open.
---@param state TerrainMesh
function terrainMesh.destroy(state)
  return native.destroy(state)
end

return terrainMesh
