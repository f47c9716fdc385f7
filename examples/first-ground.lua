-- Maunga Whau, a volcano in Auckland: heights from a map, 10 m apart, drawn as smooth ground with a ball on its rim.
local terrainHeightfield = require("~terrainSystem.modules.terrainHeightfield")
local terrainMesh = require("~terrainSystem.modules.terrainMesh")

local map = texture.load("source/maunga-whau.png")
local heights = terrain.from_texture(map, { encoding = "gray", range = { 0, 218.45 }, size = { 870, 610 } })
local ground = terrain.resample(heights, { width = 696, height = 488 })
local hf = terrainHeightfield.open(terrain.to_texture(ground))

local view = camera.main()
view.position = { 105, 272, 150 }
view:lookAt({ -150, 147, -45 })

-- Shading is per pixel, so triangles need only carry the outline: fewer of them than by default (2) look the same here.
local mesh = terrainMesh.create(hf, { camera = terrainMesh.cameraPosition(), lodFactor = 0.75 })
local volcano = entity.create("Maunga Whau")
volcano.component.add("Model", { mesh = mesh.mesh })
terrainMesh.bind(volcano.id, hf, mesh)

local x, z, radius = -112, 38, 5
local ball = entity.create("ball", { position = { x, hf:heightAt(x, z) + radius, z } })
local red = renderer.material.create { albedo = { 0.8, 0.1, 0.05 }, roughness = 0.4 }
ball.component.add("Model", { mesh = renderer.mesh.sphere { radius = radius }, material = red })

scene.onUpdate(function()
  terrainMesh.followCamera(volcano.id)
end)
