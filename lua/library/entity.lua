---@meta

---A point or direction as scripts may write it: `{ x =, y =, z = }` or `{ 1, 2, 3 }`. A vector that is a property of a handle
---(`entity.position`) is a value: its parts can be read, and a change is made by assigning a whole one.
---@class Vector
---@field x number
---@field y number
---@field z number

---@class EntityOptions
---@field position? Vector Metres, in the parent's space; default the origin.
---@field rotation? Vector Degrees about X, Y and Z; default none.
---@field scale? Vector Default 1.
---@field parent? Entity

---An entity. `id` and `children` can only be read.
---@class Entity
---@field id integer
---@field name string
---@field position Vector Metres, in the parent's space.
---@field rotation Vector Degrees about X, Y and Z.
---@field scale Vector
---@field parent Entity?
---@field children Entity[] A new list at each read.
---@field component EntityComponents
local instance = {}

---Turns it so that its -Z looks at a point of the world.
---@param point Vector Metres.
function instance:lookAt(point) end

---Destroys it and its children. Using it afterwards is an error.
function instance:destroy() end

---The components of an entity. Called with a dot: `e.component.add("Model", { mesh = guid })`.
---@class EntityComponents
local components = {}

---Puts a component on the entity; an unknown name or field is an error that names the nearest one.
---@overload fun(name: "Model", fields: { mesh: string, material?: string }): Model
---@overload fun(name: "Camera", fields?: table): Camera
---@overload fun(name: "Light", fields?: table): Light
---@overload fun(name: "Sky", fields?: table): Sky
---@overload fun(name: "Fog", fields?: table): Fog
---@overload fun(name: "RigidBody", fields?: table): RigidBody
---@overload fun(name: "Collider", fields?: table): Collider
---@overload fun(name: "Terrain", fields: TerrainFields): Terrain
---@overload fun(name: "Tessellation", fields?: TessellationFields): Tessellation
---@overload fun(name: "Water", fields?: WaterFields): Water
---@overload fun(name: "Scatter", fields: ScatterComponentFields): ScatterComponent
---@param name string
---@param fields? table
---@return Component
function components.add(name, fields) end

---@param name string
---@return Component?
function components.get(name) end

---@param name string
---@return boolean
function components.has(name) end

---@param name string
---@return boolean removed Whether it was there.
function components.remove(name) end

---@return string[] names In the order in which they were added.
function components.list() end

---A component of an entity: its fields are live, and checked when they are set.
---@class Component
---@field entity Entity

---@class Transform: Component
---@field position Vector Metres, in the parent's space.
---@field rotation Vector Degrees about X, Y and Z.
---@field scale Vector

---What an entity looks like.
---@class Model: Component
---@field mesh string A mesh's guid.
---@field material string? A material's guid; without one the mesh wears its ground material, or light grey.

---What a Model made: the mesh that is drawn.
---@class MeshInstance: Component
---@field mesh string
---@field material string?

---@class Camera: Component
---@field fov number Vertical field of view, degrees, 1..170, default 60.
---@field near number Metres, above 0, default 0.1.
---@field orthographic boolean Parallel rays; default false.
---@field height number Metres that an orthographic camera sees from the lower to the upper edge; above 0, default 10.
---@field exposure "sky"|"picture"|"fixed" Default "sky": measured by where the sun stands, the same for every view and at once; dusk is lifted, night stays night. "picture": by what the picture shows, as an eye takes to it. "fixed": as for a clear day.
---@field ev number Stops brighter than that, -20..20, default 0: each doubles the light.
---@field toneMapper "neutral"|"agx" The curve from light to colour: Khronos PBR Neutral, which keeps colours as they are, or AgX, which pales bright ones as film does. Default "neutral".

---@class Light: Component
---@field kind "sun"|"point"|"spot" Default "sun": shines along its own -Z from everywhere.
---@field color Vector Linear colour, default white.
---@field intensity number At least 0, default 1: a clear midday, or what lights a wall 1 m away as that does.
---@field range number Metres where a point or spot light has faded to nothing; above 0, default 50.
---@field angle number Degrees, a spot's full opening; above 0, at most 170, default 40.
---@field softness number 0..1: part of a spot's cone over which its edge fades; default 0.2.
---@field shadows boolean A sun casts shadows; points and spots cast none. Default true.

---The sky above a scene: by a published model of the air, from where its sun stands to night. Without one there is the same sky with
---the defaults. Of several the one counts whose entity has the lowest slot, as with suns.
---@class Sky: Component
---@field turbidity number How hazy the air is, 1.8..10: 1.8 on mountains, 2.5 (the default) on a clear day, 4 in summer, 10 in mist.
---@field groundAlbedo Vector What the ground around returns of the light that falls on it, linear 0..1: it lights what faces down.
---@field intensity number Multiplies the sky's light, not its sun's; 0..100, default 1.
---@field night number Multiplies the glow that is left of the sky at night; 0..100, default 1.

---The air between the eye and what it sees: far things melt into the sky's horizon behind them. Without one it is as dense as the
---size of the world asks, at any height. Of several the one counts whose entity has the lowest slot.
---@class Fog: Component
---@field density? number Part of the light that is lost a metre, at `height`: 0 (none) to 1000; without one the size of the world says it.
---@field height number Metres; default 0.
---@field falloff? number Metres up over which it thins out to 1/e, above 0; without one it is as dense at any height.
---@field color Vector Linear colour, multiplies the light of the horizon that it takes on; default white.

---How a Model's mesh is subdivided and displaced.
---@class TessellationFields
---@field level? number Each triangle becomes 4^level, default 1. Brought into 0..6, fractions dropped; of mode "adaptive" the most.
---@field displacementScale? number Metres of the world along the normal for a unit of the material's displacementMap; below 0 inward. Default 0.1.
---@field mode? string "static" or "adaptive", default "static". Any other leaves what is drawn, with the status "rejected_mode".
---@field screenError? number Of mode "adaptive": pixels of a micro-triangle's edge, default 8; 0 or less asks for level 0.
---@field stitch? boolean Its outline follows the coarsest surface that it meets; default true.

---Stands beside a Model, and draws the Model's mesh subdivided and displaced. `Model.mesh` stays what it is made from; the
---MeshInstance has what is drawn. A bake goes on beside the frames: until it is done what stood is drawn. Counts and the level are
---those of the mesh that stands, 0 before one; all five can also be read by `ecs.get(id, ecs.Tessellation)`.
---@class Tessellation: Component, TessellationFields
---@field status string Read only.
---@field activeLevel integer Read only.
---@field outputTriangles integer Read only.
---@field outputVertices integer Read only.
---@field stitchedEdges integer Read only.
local tess = {}

---@return ""|"pending"|"ok"|"clamped"|"too_large"|"rejected_mode" status "" before the first dispatch. "too_large": vertices and indices would pass 64 MiB.
function tess:getStatus() end

---@return integer level Of the mesh that stands.
function tess:getActiveLevel() end

---@return integer triangles Of the mesh that stands: the source's × 4^level.
function tess:getTriangleCount() end

---@return integer vertices Of the mesh that stands: the source's triangles × (n + 1)(n + 2) / 2, n = 2^level.
function tess:getVertexCount() end

---@return integer edges Of its outline that lie on a coarser neighbour's lattice.
function tess:getStitchedEdges() end

entity = {}

---@param name? string Default "entity".
---@param options? EntityOptions
---@return Entity
function entity.create(name, options) end

---The first entity of a name.
---@param name string
---@return Entity?
function entity.find(name) end

---The entity of an id; one that was destroyed is an error that names it.
---@param id integer
---@return Entity
function entity.get(id) end

---A component's name as a value.
---@class ComponentName

---@class ecs
---@field Transform ComponentName
---@field Model ComponentName
---@field MeshInstance ComponentName
---@field Camera ComponentName
---@field Light ComponentName
---@field Sky ComponentName
---@field Fog ComponentName
---@field RigidBody ComponentName
---@field Collider ComponentName
---@field Tessellation ComponentName
ecs = {}

---@param id integer|Entity
---@param component ComponentName
---@return Component? fields Live, as `component.get` answers it.
function ecs.get(id, component) end

---@param id integer|Entity
---@param component ComponentName
---@return boolean
function ecs.has(id, component) end

---@param component ComponentName
---@param ... ComponentName
---@return integer[] ids Of the entities that have all of them.
function ecs.query(component, ...) end
