---@meta

---A file of the project.
---@class AssetEntry
---@field path string As scripts name it: `/zero/source/…`.
---@field kind string What it is: `"texture"`, `"terrainData"`, or else the file's extension in lower case, `""` without one.
---@field guid string? Of a `.texture` or a `.terrainData`.

---@class AssetFilter
---@field kind? string Only files of this kind: `"texture"`, `"terrainData"`, `"png"`, …
---@field folder? string Only files in this folder and below, `/zero/source/…`. Default: everywhere.

asset = {}

---Where the asset of a guid lies. The guid in the file decides, whatever assets.json says. Waits.
---@param guid string
---@return string? path nil where no file has it.
function asset.path(guid) end

---The guid that a `.texture` or a `.terrainData` carries. Waits.
---@param path string
---@return string? guid nil where there is no such file, or none in it.
function asset.guid(path) end

---Whether there is a file at a path, or one of a guid. Waits.
---@param reference string A path or a guid.
---@return boolean
function asset.exists(reference) end

---The files under `/zero/source/`, by path. In a page, which cannot list a folder, those of assets.json. Waits.
---@param filter? AssetFilter
---@return AssetEntry[]
function asset.list(filter) end
