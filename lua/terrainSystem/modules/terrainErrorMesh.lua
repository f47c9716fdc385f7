-- A heightfield as a mesh whose visible error is bounded, made on the CPU: from a camera, in percent of the picture's height, for
-- drawing; without one, in metres, as few triangles for anything else.

local _, native = ...

local terrainErrorMesh = {}

---How large an error may look. Give one of `quality`, `maxError` and `maxErrorPx`. What looks smaller than half a pixel counts as half a pixel.
---@class ErrorMeshOptions
---@field quality? "high"|"medium"|"low" Bounds of the threshold: 0.1..1, 1..3, 3..8 percent of the picture's height. Default "medium". It stands at the lower bound unless `targetMs` moves it.
---@field maxError? number Percent of the picture's height, at least 0; 0 draws every cell.
---@field maxErrorPx? number Pixels, at least 0; 0 draws every cell.
---@field targetMs? number Milliseconds, above 0: moves the threshold within its quality's bounds toward this time a frame. Pictures then depend on the machine. Default: it stands.
---@field shadows? boolean Ground outside the view casts shadows into it, four times as coarse. Default true.
---@field cull? boolean False: ground outside the view is drawn as finely as that in it. Default true.

---Where a mesh is seen from.
---@class ErrorMeshCamera
---@field position Vector Metres.
---@field forward Vector Where it looks, of any length above 0.
---@field up Vector What is up in the picture; not along `forward`.
---@field fovY number Degrees from the picture's lower to its upper edge, above 0 and under 180.
---@field aspect number The picture's width over its height, above 0.
---@field near number Metres, above 0: nothing counts as nearer.
---@field height? number Pixels, at least 1. Default: the on-screen picture's.
---@field frameMs? number Milliseconds that the last frame took, for `targetMs`. Default: the time since the last update.

---What an update did.
---@class ErrorMeshUpdate
---@field triangles integer In the view.
---@field casting integer Triangles beside them, outside the view, for shadows alone.
---@field drawn integer Nodes drawn.
---@field culled integer Nodes left out with all that is under them, for being outside the view.
---@field split integer Nodes whose error looks too large.
---@field maxErrorPercent number Percent of the picture's height: the largest error of a node that is drawn.
---@field threshold number Percent: what it is under.
---@field rebuilt integer Squares of the field whose triangles were built again.
---@field units integer Squares that have some.
---@field ms number Milliseconds that the update took.

---An error-driven mesh. Its fields can only be read.
---@class ErrorMesh
---@field mesh string The guid that a Model binds. It stays the same while the triangles change.
---@field vertexBuffer Buffer A vertex of 23 words for each texel and, around them, each place on the rim: (width + 2) × (height + 2), row by row from -Z.
---@field indexBuffer Buffer What is in the view comes first. It is another buffer once there are more indices than it holds.
---@field indexCount integer Indices in the view.

---Ground without a camera.
---@class SimplifiedGround
---@field triangles integer
---@field maxError number Metres: the farthest that a texel is from its triangle, along the vertical.
---@field indexBuffer Buffer For `renderer.mesh.create`, as the vertices.
---@field vertexBuffer Buffer

---Makes the vertices and the table of errors. Nothing is drawn before the first update. The heightfield must stay open. Waits.
---@param hf Heightfield
---@param options? ErrorMeshOptions
---@return ErrorMesh mesh
function terrainErrorMesh.create(hf, options)
  return native.create(hf, options)
end

---Chooses the triangles for a camera. Straight down no error shows, since heights are looked at along their own axis: the coarsest mesh is
---right there, and it is drawn.
---@param mesh ErrorMesh
---@param camera? ErrorMeshCamera Default: the on-screen camera.
---@return ErrorMeshUpdate
function terrainErrorMesh.update(mesh, camera)
  return native.update(mesh, camera)
end

---Has an entity drawn as this mesh, wherever the entity stands; it goes with the entity. From then on the mesh follows the on-screen
---camera in each frame in which `update` was not called. Waits.
---@param entityId integer|Entity
---@param mesh ErrorMesh
function terrainErrorMesh.bind(entityId, mesh)
  native.bind(entityId, mesh)
end

---Frees the mesh and its buffers. The heightfield stays open.
---@param mesh ErrorMesh
function terrainErrorMesh.destroy(mesh)
  native.destroy(mesh)
end

---Ground as few triangles: every texel is within `maxErrorMetres` of them, holes are as they are. The buffers are the scene's. Waits.
---@param hf Heightfield
---@param maxErrorMetres number At least 0; 0 is the whole surface, two triangles a cell.
---@return SimplifiedGround
function terrainErrorMesh.simplify(hf, maxErrorMetres)
  return native.simplify(hf, maxErrorMetres)
end

return terrainErrorMesh
