---@meta

scene = {}

---Calls a function every frame, in edit and in play. One that waits holds its frame, and is not entered again before it is done.
---@param callback fun(dt: number) Seconds.
function scene.onUpdate(callback) end

---Seconds of frames so far.
---@return number
function scene.time() end

---@return "edit"|"play"
function scene.mode() end
