---@meta

---What moves: the entity falls, is pushed, or pushes others, while the scene plays. Its Colliders are its own one and those of the entities
---under it that have no RigidBody of their own.
---@class RigidBody: Component
---@field kind "dynamic"|"fixed"|"kinematic" Default "dynamic": falls and is pushed. A fixed one stays; a kinematic one goes where scripts put it and pushes others.
---@field mass number? Kilograms, above 0. Default: its colliders' volume as water, or 1 where they have none.
---@field gravityScale number How many times 9.81 m/s² pull it down; default 1.
---@field linearDamping number Share of the velocity that is lost a second; at least 0, default 0.
---@field angularDamping number Share of the turning that is lost a second; at least 0, default 0.
---@field velocity Vector Metres a second; live while it plays. It can be set of a dynamic body.
---@field angularVelocity Vector Radians a second about the world's axes; live while it plays. It can be set of a dynamic body.
---@field lockRotation boolean True: it never turns. Default false.
---@field ccd boolean True: it passes through nothing thin, however fast it is. Default false.
---@field canSleep boolean False: it is simulated also where it has come to rest. Default true.

---What an entity is made of, for bodies and rays; scaled as the entity is. Without a RigidBody on the entity or above it it is fixed.
---@class Collider: Component
---@field shape "box"|"sphere"|"capsule"|"cylinder"|"mesh" Default "box". Capsules and cylinders stand along Y. A mesh is its triangles, or on a dynamic body their convex hull.
---@field size Vector? Of a box: metres; default 1, 1, 1.
---@field radius number? Of a sphere, capsule or cylinder: metres, above 0; default 0.5.
---@field height number? Of a capsule (ends included) or cylinder: metres, above 0; default 2 and 1.
---@field mesh string? Of a mesh: its guid; default: the one that is drawn, which is the displaced one where there is a Tessellation.
---@field offset Vector Metres from the entity's place, in its own space; default none.
---@field friction number At least 0, default 0.5; of two that touch the mean counts.
---@field restitution number 0..1, default 0: how much of its speed it keeps when it bounces.
---@field sensor boolean True: bodies pass through it; rays meet it all the same. Default false.

---@class RaycastOptions
---@field origin Vector Metres.
---@field direction Vector Of any length but 0.
---@field maxDistance? number Metres, at least 0; default unlimited.

---@class RaycastHit
---@field entity Entity Whose Collider, or ground, was met.
---@field point Vector
---@field normal Vector Unit length, on the side that the ray came from.
---@field distance number Metres from the origin.

physics = {}

---The nearest Collider or ground along a ray, in edit and in play. Ground is met from above and from below, exactly: straight down the
---point's height is `hf:heightAt`. A solid shape that the ray starts in is not met. May wait when colliders are first asked about.
---@param options RaycastOptions
---@return RaycastHit? hit
function physics.raycast(options) end

---Advances the bodies now, from any script, beside what each frame does; the seconds count as time. An error in edit. May wait the first time.
---@param dt number Seconds, 0..60.
function physics.step(dt) end
