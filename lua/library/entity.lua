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
---@overload fun(name: "RigidBody", fields?: table): RigidBody
---@overload fun(name: "Collider", fields?: table): Collider
---@overload fun(name: "Terrain", fields: TerrainFields): Terrain
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

---@class Light: Component
---@field kind "sun"|"point"|"spot" Default "sun": shines along its own -Z from everywhere.
---@field color Vector Linear colour, default white.
---@field intensity number At least 0, default 1: a clear midday, or what lights a wall 1 m away as that does.
---@field range number Metres where a point or spot light has faded to nothing; above 0, default 50.
---@field angle number Degrees, a spot's full opening; above 0, at most 170, default 40.
---@field softness number 0..1: part of a spot's cone over which its edge fades; default 0.2.

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
---@field RigidBody ComponentName
---@field Collider ComponentName
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

camera = {}

---The on-screen camera. It frames the whole world until a script moves it.
---@return Entity
function camera.main() end
