---@meta

---How the numbers of a texel are stored. The first six hold whole numbers, 0..255 or 0..65535.
---@alias TextureFormat "r8"|"rg8"|"rgba8"|"r16"|"rg16"|"rgba16"|"r32f"|"rgba32f"

---Pixels on the CPU. Its fields can only be read.
---@class Texture
---@field width integer Texels along a row.
---@field height integer Rows.
---@field format TextureFormat
---@field guid string? Once it was written, or read from a `.texture`.
---@field path string? The file that it was read from or written to.
---@field size { width: number, depth: number, x: number, z: number }? Metres, if recorded; also a list `{ width, depth }`.
local tex = {}

---The channels of a texel, one result each.
---@param col integer From 0.
---@param row integer From 0.
---@return number ...
function tex:read(col, row) end

---Lets go of the pixels. A second time does nothing; any other use afterwards is an error.
function tex:destroy() end

---@class TextureOptions
---@field width integer Texels, 1..65536.
---@field height integer Texels, 1..65536.
---@field format TextureFormat
---@field data number[]|fun(col: integer, row: integer): number, ... Row by row, channels interleaved; or a function that answers a texel's channels and may not wait.

---@class TextureUpdate
---@field col? integer The first column that changes, from 0; default 0.
---@field row? integer The first row that changes, from 0; default 0.
---@field width? integer Columns that change; default up to the last.
---@field height? integer Rows that change; default up to the last.
---@field data number[]|fun(col: integer, row: integer): number, ... As in `create`; a function counts from the corner of what changes.

texture = {}

---Makes a texture of a script's numbers.
---@param options TextureOptions
---@return Texture
function texture.create(options) end

---Reads a PNG (8 or 16 bits) or a `.texture`, at its own depth and channels. Waits.
---@param path string `/zero/source/…`, or relative to the project's folder.
---@return Texture
function texture.load(path) end

---Replaces a rectangle of texels; nothing changes if a value is refused.
---@param tex Texture
---@param options TextureUpdate
function texture.update(tex, options) end

---Writes a `.texture` (KTX 2.0), giving it a guid if it has none. Makes folders, replaces the file whole. Waits.
---@param tex Texture
---@param path string Ends in `.texture`.
---@return string path
function texture.write(tex, path) end
