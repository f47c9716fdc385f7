-- Mountains out of noise: rain cuts valleys and ridges into it, what it takes lies as fans and flats at their feet.
local SIZE, COUNT = 6000, 320
local rough = terrain.noise { width = COUNT, height = COUNT, size = { SIZE, SIZE }, seed = 8, frequency = 2.2, octaves = 8, amplitude = 420 }
local ridged = terrain.noise { width = COUNT, height = COUNT, size = { SIZE, SIZE }, seed = 4, frequency = 2.5, octaves = 7, amplitude = 330, ridged = true }
local ground, flow, sediment = terrain.erode(terrain.add(rough, ridged), { seed = 1 })


local land = entity.create("mountains").component.add("Terrain", { texture = terrain.to_texture(ground) })
local hf = land:heightfield()
local view = camera.main()
view.position = { -2300, hf:heightAt(-2300, 2700) + 500, 2700 }
view:lookAt { 300, 100, -400 }
