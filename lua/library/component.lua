---@meta

---A field that a component written in Lua declares. A plain number, boolean or string in its place is the default, and says the type.
---@class ComponentField
---@field type "number"|"integer"|"boolean"|"string"|"enum"|"vector"|"pair"|"color"|"mesh"|"material"|"texture"|"entity"|"table"|"function"|"any"
---@field default? any Left out: the field must be given, unless it is optional.
---@field range? number[] { low, high }, both included; or some of `min`, `max` and `above` by name. For numbers, integers and pairs.
---@field optional? boolean May be nil.
---@field values? string[] What an enum may be.
---@field names? string[] What the two numbers of a pair are also called; { "x", "z" } if left out.
---@field ordered? boolean A pair's first number is at most the second.
---@field doc? string What it is, in which unit.

---A component written in Lua. Its hooks get the instance; other functions of the table are its methods (`instance:name()`).
---@class ComponentDefinition
---@field fields? table<string, ComponentField|number|boolean|string>
---@field onAdd? fun(self: LuaComponent) Once it is on its entity. May wait; `component.add` returns after it. An error takes it off again.
---@field onStart? fun(self: LuaComponent) When play begins, or after onAdd in play. May wait.
---@field onUpdate? fun(self: LuaComponent, dt: number) Every frame of play, before the physics step.
---@field onFrame? fun(self: LuaComponent, dt: number) Every frame, in edit and in play, once everything has moved: right before the picture, and before a Terrain follows the camera.
---@field onChange? fun(self: LuaComponent, field: string) After a field was set. May wait; an error puts the field back.
---@field onRemove? fun(self: LuaComponent) Before it goes, or its entity does. Must answer at once.

---An instance of a component written in Lua. An error in onStart, onUpdate or onFrame stops this instance, and the scene goes on.
---@class LuaComponent: Component
---@field state table Its own values, free to fill; `scene.stop` puts this table, and the tables in it, back as they were at play.
local instance = {}

---Adds a component to the same entity that belongs to this one: it goes with it, cannot be removed alone and is not saved. May wait.
---@param name string
---@param fields? table
---@return Component
function instance:make(name, fields) end

component = {}

---Defines a component for this scene. A file `components/<Name>.lua` of the project that returns the table does the same when the
---name is first used.
---@param name string
---@param definition ComponentDefinition
function component.define(name, definition) end
