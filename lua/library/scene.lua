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

---Begins play: from here on `scene.stop` puts the world back as it is now. Calls each component's onStart; bodies begin to move.
---Waits for them. An error while it plays.
function scene.play() end

---Ends play and puts the world back as it was when play began: entities with their ids and handles, poses, parents, components and
---their fields and states, materials, edits of the ground. Entities made since are destroyed, and callbacks added since are taken off.
---Waits. An error in edit.
function scene.stop() end

---Writes the world: entities, components with their fields, and what these refer to. Edit only. Refuses what a file cannot hold
---(a mesh made of buffers, a texture without a file, a function), naming it. Edits of a Terrain's ground are not in it: keep them
---with `hf:toTexture` and `texture.write`. Waits.
---@param path string Ends in `.scene` or `.json`.
---@return string path
function scene.save(path) end

---Makes the world what a file says: what was there goes; the on-screen camera stays, and takes the file's pose and components
---where the file has a camera. Edit only, and nothing else that replaces the world begins meanwhile. Where anything in the file is wrong
---the world stays as it was. Waits.
---@param path string
function scene.load(path) end
