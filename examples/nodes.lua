-- A grid that fits on a hand, seen by its nodes: 129 × 129 heights over 32 cm, drawn by nodes of 9 × 9 vertices. The nearer to the
-- camera, the smaller the nodes, from blue to green; a white edge is stitched to a coarser neighbour, and colours run where vertices morph.
local terrainHeightfield = require("~terrainSystem.modules.terrainHeightfield")
local terrainMesh = require("~terrainSystem.modules.terrainMesh")

local COUNT, SIZE = 129, 0.32
local hills = terrain.noise { width = COUNT, height = COUNT, size = { SIZE, SIZE }, seed = 17, frequency = 3, octaves = 4, amplitude = 0.03 }
local hf = terrainHeightfield.open(terrain.to_texture(hills))
local eye = { 0.07, 0.065, 0.15 }
local grid = terrainMesh.create(hf, { camera = eye, nodeVerts = 9, lodFactor = 1.7, maxNodes = 400 })

local hand = entity.create("grid")
hand.component.add("Model", { mesh = grid.mesh })
terrainMesh.bind(hand.id, hf, grid)
scene.onUpdate(function() terrainMesh.followCamera(hand.id) end)

local view = camera.main()
local lens = view.component.get("Camera")
lens.fov, lens.near = 55, 0.01
view.position = eye
view:lookAt { 0, -0.015, 0.03 }
renderer.setView("lod")
