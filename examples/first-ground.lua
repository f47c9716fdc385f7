-- Maunga Whau, a volcano in Auckland: heights from a map, 10 m apart, drawn as smooth ground with a ball on its rim.
local map = texture.load("source/maunga-whau.png")
local heights = terrain.from_texture(map, { encoding = "gray", range = { 0, 218.45 }, size = { 870, 610 } })
local ground = terrain.resample(heights, { width = 696, height = 488 })

local view = camera.main()
view.position = { 105, 272, 150 }
view:lookAt({ -150, 147, -45 })

-- Shading is per pixel, so triangles need only carry the outline: fewer of them than by default (2) look the same here.
local volcano = entity.create("Maunga Whau")
local hf = volcano.component.add("Terrain", { texture = terrain.to_texture(ground), lodFactor = 0.75 }):heightfield()

local x, z, radius = -112, 38, 5
local ball = entity.create("ball", { position = { x, hf:heightAt(x, z) + radius, z } })
local red = renderer.material.create { albedo = { 0.8, 0.1, 0.05 }, roughness = 0.4 }
ball.component.add("Model", { mesh = renderer.mesh.sphere { radius = radius }, material = red })
