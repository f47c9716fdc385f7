---@meta

---A key or a button. Keys are called by their place, as on an American keyboard: "a" to "z", "0" to "9", "f1" to "f12", "up", "down", "left",
---"right", "space", "enter", "escape", "tab", "backspace", "delete", "insert", "home", "end", "pageUp", "pageDown", "shift", "ctrl", "alt",
---"meta", and signs by themselves ("-"). Buttons: "mouseLeft" (a finger's and a pen's too), "mouseMiddle", "mouseRight", "mouseBack", "mouseForward".
---@alias KeyName string

---@class Pointer
---@field x number Pixels from the picture's left edge.
---@field y number Pixels from its upper edge.
---@field dx number Pixels since the last frame.
---@field dy number

---@class Touch: Pointer
---@field id integer Tells fingers apart, from down to up.

---What a person does to the view. It is of this frame: it changes between frames only.
input = {}

---Whether a key or button is held.
---@param name KeyName
---@return boolean
function input.isDown(name) end

---Whether it went down since the last frame, even if it is up again.
---@param name KeyName
---@return boolean
function input.wasPressed(name) end

---Whether it went up since the last frame.
---@param name KeyName
---@return boolean
function input.wasReleased(name) end

---1 while `positive` is held, -1 while `negative` is, 0 for both or none.
---@param negative KeyName
---@param positive KeyName
---@return integer
function input.axis(negative, positive) end

---Where the mouse, the pen or the first finger was last, and how far it came. `camera.pick(p.x, p.y)` is the ray through it.
---@return Pointer
function input.pointer() end

---Notches that the wheel turned since the last frame; above 0 away from the person.
---@return number
function input.wheel() end

---The fingers on the view, in the order in which they came.
---@return Touch[]
function input.touches() end
