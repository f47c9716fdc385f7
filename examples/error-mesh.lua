-- A volcano as an error-driven mesh: no triangle is off the ground by more than two pixels of the picture. Run it with --view wireframe too:
-- the triangles go where the ground bends and where it is near.
local terrainHeightfield = require("~terrainSystem.modules.terrainHeightfield")
local errorMesh = require("~terrainSystem.modules.terrainErrorMesh")

local map = texture.load("source/maunga-whau.png")
local heights = terrain.from_texture(map, { encoding = "gray", range = { 0, 218.45 }, size = { 870, 610 } })
local ground = terrain.resample(heights, { width = 696, height = 488 })
local hf = terrainHeightfield.open(terrain.to_texture(ground))

local view = camera.main()
view.position = { 105, 272, 150 }
view:lookAt({ -150, 147, -45 })

local mesh = errorMesh.create(hf, { maxErrorPx = 2 })
errorMesh.bind(entity.create("Maunga Whau").id, mesh)
local drawn = errorMesh.update(mesh)
local whole = 2 * (hf.width + 1) * (hf.height + 1)
print(("%d of %d triangles, none off by more than %.2f %% of the picture"):format(drawn.triangles, whole, drawn.maxErrorPercent))

-- Without a camera: every texel within half a metre, to print, to collide with, to take elsewhere (moonscape export does it from files).
local model = errorMesh.simplify(hf, 0.5)
print(("%d triangles within %.3f m"):format(model.triangles, model.maxError))
