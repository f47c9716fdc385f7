---@meta

---@class Ray
---@field origin Vector Metres.
---@field direction Vector Of length 1.

---@alias ControlStyle
---| "none" # The camera goes where scripts put it (default).
---| "orbit" # Around a place: drag turns, right drag shifts, the wheel goes nearer; one finger turns, two shift and pull.
---| "fly" # Through the air: drag looks around, W A S D go, E and Q rise and sink, Shift is faster, Alt slower, the wheel sets the speed.
---| "map" # Over a map: drag moves the ground, the wheel goes toward the pointer, right drag turns; W A S D and arrows pan, Q and E turn.

camera = {}

---The on-screen camera. It frames the whole world until a script or a person moves it.
---@return Entity
function camera.main() end

---The ray through a pixel of the picture, as `physics.raycast` takes it. It starts at the camera, or with parallel rays where it passes the near plane.
---@param px number Pixels from the left edge, as `input.pointer` answers them; 0.5 is the middle of the first.
---@param py number Pixels from the upper edge.
---@return Ray ray
function camera.pick(px, py) end

---How a person moves the on-screen camera, in every style kept out of the ground; F shows the whole world again. A camera that a script moves
---goes on from where it was put.
---@param style ControlStyle
function camera.setControls(style) end

---@return ControlStyle
function camera.getControls() end
