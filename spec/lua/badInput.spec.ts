// What scripts get wrong: each error names the thing, the value and the rule, at the script's line, and nothing half-made stays
// (failureOf compares GPU bytes, meshes, terrains and entities).
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodePng } from '../../runtime/texture/png.js';
import { Texture } from '../../runtime/texture/texture.js';
import { failureOf, project, runScene, sharedRuntime } from '../support/lua.js';

/** Line 1 of every scene: what they all need. */
const HEAD =
  'local heightfield, mesh = require("~terrainSystem.modules.terrainHeightfield"), require("~terrainSystem.modules.terrainMesh"); ' +
  'local function tex(n) return terrain.to_texture(terrain.noise { width = n or 8, height = n or 8, size = { 80, 80 } }) end; ' +
  'local camera = { 0, 10, 0 }\n';

const MESH = 'local hf = heightfield.open(tex())\n';
const STATE = `${MESH}local state = mesh.create(hf, { camera = camera, maxNodes = 16, nodeVerts = 5 })\n`;

/** A mesh whose next cut asks keep again, and through it `ask`. */
const KEPT =
  `${MESH}local ask = function() end; local state = mesh.create(hf, ` +
  '{ camera = camera, maxNodes = 16, nodeVerts = 5, keep = function() ask() return true end })\nhf:refresh()\n';

/** [what, the scene after HEAD, its message after `scene.lua:`]. The line is that of the failing call. */
const CASES: [what: string, source: string, message: RegExp][] = [
  [
    'a missing texture',
    'texture.load("source/none.png")',
    /^2: texture\.load: there is no file "source\/none\.png"/,
  ],
  [
    'a missing ground',
    'heightfield.open("/zero/source/none.terrainData")',
    /^2: terrainHeightfield\.open: there is no file "\/zero\/source\/none\.terrainData"/,
  ],
  ['a PNG cut in half', 'texture.load("half.png")', /^2: texture\.load: half\.png/],
  ['a PNG that is a JPEG', 'texture.load("jpeg.png")', /^2: texture\.load: jpeg\.png must be .* JPEG/],
  [
    'a path that leaves the project',
    'texture.load("../secret.png")',
    /^2: texture\.load: path must be inside the project's folder, got "\.\.\/secret\.png"/,
  ],
  [
    'a size of zero',
    'heightfield.open(tex(), { size = { 0, 10 } })',
    /^2: terrainHeightfield\.open: size\.width must be a finite number above 0, got 0/,
  ],
  [
    'a negative size',
    'heightfield.open(tex(), { size = { 10, -4 } })',
    /^2: terrainHeightfield\.open: size\.depth must be .* above 0, got -4/,
  ],
  [
    'a size of NaN',
    'heightfield.open(tex(), { size = { 0/0, 10 } })',
    /^2: terrainHeightfield\.open: size must be .* finite numbers, got { NaN, 10 }/,
  ],
  [
    'no size anywhere',
    'heightfield.open(texture.create { width = 1, height = 1, format = "rgba32f", data = { 0, 0, 0, 1 } })',
    /^2: terrainHeightfield\.open: size must be .*, got nothing/,
  ],
  [
    'an r8 texture',
    'heightfield.open(texture.create { width = 1, height = 1, format = "r8", data = { 0 } }, { size = { 1, 1 } })',
    /^2: terrainHeightfield\.open: .* rgba32f .* got r8; .*terrain\.from_texture/,
  ],
  [
    'texels of NaN',
    'heightfield.open(texture.create { width = 3, height = 2, format = "rgba32f", data = function(c, r) return (c == 2 and r == 1) and 0/0 or 1, 0, 0, 1 end }, { size = { 3, 2 } })',
    /^2: terrainHeightfield\.open: .* got 1 texel .* column 2, row 1/,
  ],
  [
    'an infinite height in a graph',
    'terrain.map(terrain.noise { width = 2, height = 2 }, function() return 1/0 end)',
    /^2: terrain\.map: the function's answer at column 0, row 0 must be a finite number, got Infinity/,
  ],
  [
    'a mask of zero size',
    'texture.create { width = 0, height = 4, format = "r8", data = {} }',
    /^2: texture\.create: width must be an integer in 1\.\.65536, got 0/,
  ],
  [
    'holes that are no texture',
    'heightfield.open(tex(), { holes = 5 })',
    /^2: terrainHeightfield\.open: holes must be a texture, a path or a guid, got 5/,
  ],
  [
    'a misspelt option',
    'heightfield.open(tex(), { heighRange = { 0, 1 } })',
    /^2: terrainHeightfield\.open: there is no field "heighRange" \(did you mean "heightRange"\?\)/,
  ],
  [
    'a closed heightfield',
    `${MESH}hf:close()\nhf:heightAt(1, 2)`,
    /^4: terrainHeightfield\.heightAt: this heightfield is closed/,
  ],
  [
    'a closed heightfield asked for a normal',
    `${MESH}hf:close()\nhf:normalAt(1, 2)`,
    /^4: terrainHeightfield\.normalAt: this heightfield is closed/,
  ],
  [
    'a closed heightfield’s pixels',
    `${MESH}local cpu = hf.cpu\nhf:close()\ncpu:read(0, 0)`,
    /^5: terrainHeightfield\.cpu\.read: this heightfield is closed/,
  ],
  [
    'a mesh of a closed heightfield',
    `${MESH}hf:close()\nmesh.create(hf, { camera = camera })`,
    /^4: terrainMesh\.create: hf: this heightfield is closed/,
  ],
  [
    'heightAt of NaN',
    `${MESH}hf:heightAt(0/0, 1)`,
    /^3: terrainHeightfield\.heightAt: x must be a finite number, got NaN/,
  ],
  [
    'heightAt of a string',
    `${MESH}hf:heightAt(1, "2")`,
    /^3: terrainHeightfield\.heightAt: z must be a finite number, got "2"/,
  ],
  [
    'heightAt with a dot',
    `${MESH}hf.heightAt(1, 2)`,
    /^3: terrainHeightfield\.heightAt: self must be a heightfield, got 1 \(write value:heightAt/,
  ],
  [
    'a camera with NaN',
    `${MESH}mesh.create(hf, { camera = { 0, 0/0, 0 } })`,
    /^3: terrainMesh\.create: camera must be .* finite numbers, got { 0, NaN, 0 }/,
  ],
  ['no camera', `${MESH}mesh.create(hf, {})`, /^3: terrainMesh\.create: camera is missing/],
  [
    'maxNodes 3',
    `${MESH}mesh.create(hf, { camera = camera, maxNodes = 3 })`,
    /^3: terrainMesh\.create: maxNodes must be an integer in 4\.\.4096, got 3/,
  ],
  [
    'nodeVerts 32',
    `${MESH}mesh.create(hf, { camera = camera, nodeVerts = 32 })`,
    /^3: terrainMesh\.create: nodeVerts must be one of 3, 5, 9.*, got 32/,
  ],
  [
    'rootSize past the pool',
    `${MESH}mesh.create(hf, { camera = camera, maxNodes = 8, rootSize = 10 })`,
    /^3: terrainMesh\.create: rootSize 10 makes 64 root squares .* past the pool of 8/,
  ],
  [
    'a keep that throws',
    `${MESH}mesh.create(hf, { camera = camera, keep = function() error("no idea") end })`,
    /^3: terrainMesh\.create: keep\({ level = \d+, ix = \d+, iz = \d+ }\) failed: scene\.lua:3: no idea/,
  ],
  [
    'a keep that waits',
    `${MESH}mesh.create(hf, { camera = camera, keep = function() texture.load("a.png") return true end })`,
    /^3: terrainMesh\.create: keep\(.*\) failed: scene\.lua:3: .*cannot wait here/,
  ],
  [
    'a keep that answers a number',
    `${MESH}mesh.create(hf, { camera = camera, keep = function() return 1 end })`,
    /^3: terrainMesh\.create: keep\(.*\) must answer a boolean, got 1/,
  ],
  [
    'a keep that is no function',
    `${MESH}mesh.create(hf, { camera = camera, keep = true })`,
    /^3: terrainMesh\.create: keep must be a function, got true/,
  ],
  [
    'a cut off the grid',
    `${STATE}local cut = state.cut\ncut[1].x = cut[1].x + 1\nmesh.build(state, hf, cut)`,
    /^6: terrainMesh\.build: node \d+ of the list .* does not stand on the cut's grid/,
  ],
  [
    'an update with another heightfield',
    `${STATE}mesh.updateCut(state, heightfield.open(tex()), camera)`,
    /^4: terrainMesh\.updateCut: hf must be the heightfield that the mesh was created from/,
  ],
  [
    'an update from NaN',
    `${STATE}mesh.updateCut(state, hf, { x = 0/0, y = 0, z = 0 })`,
    /^4: terrainMesh\.updateCut: camera must be/,
  ],
  [
    'a destroyed mesh',
    `${STATE}mesh.destroy(state)\nmesh.updateCut(state, hf, camera)`,
    /^5: terrainMesh\.updateCut: state: this terrain mesh is destroyed/,
  ],
  [
    'a rect whose ends are swapped',
    `${STATE}mesh.invalidate(state, { minX = 5, minZ = 0, maxX = 1, maxZ = 1 })`,
    /^4: terrainMesh\.invalidate: rect\.minX must be at most rect\.maxX \(1\), got 5/,
  ],
  [
    'following an entity that is not bound',
    'mesh.followCamera(entity.create("a").id)',
    /^2: terrainMesh\.followCamera: entity \d+ is not bound/,
  ],
  [
    'a texture of a wrong length',
    'texture.create { width = 2, height = 2, format = "r8", data = { 1, 2, 3 } }',
    /^2: texture\.create: data must be 4 numbers .*, got 3/,
  ],
  [
    'a level past the format',
    'texture.create { width = 1, height = 1, format = "r8", data = { 256 } }',
    /^2: texture\.create: data at column 0, row 0, channel 1 must be a whole number in 0\.\.255, got 256/,
  ],
  [
    'no encoding',
    'terrain.from_texture(texture.create { width = 1, height = 1, format = "r8", data = { 1 } })',
    /^2: terrain\.from_texture: encoding must be given/,
  ],
  [
    'grounds of unlike size',
    'terrain.add(terrain.noise { width = 2, height = 2 }, terrain.noise { width = 3, height = 2 })',
    /^2: terrain\.add: .* 2×2 texels .* 3×2 texels/,
  ],
  [
    'a container of an unwritten texture',
    'terrain.write("a.terrainData", { heightfield = tex() })',
    /^2: terrain\.write: heightfield must be a texture with a file.*texture\.write first/,
  ],
  [
    'a misspelt component',
    'entity.create("a").component.add("Modle")',
    /^2: component\.add: there is no component "Modle" \(did you mean "Model"\?\)/,
  ],
  [
    'a misspelt component field',
    'entity.create("a").component.add("Light", { colour = { 1, 1, 1 } })',
    /^2: component\.add\("Light"\): there is no field "colour" \(did you mean "color"\?\)/,
  ],
  [
    'a mesh that does not exist',
    'entity.create("a").component.add("Model", { mesh = "none" })',
    /^2: component\.add\("Model"\): mesh must be the guid of a mesh that exists, got "none"/,
  ],
  [
    'a name of ecs that is none',
    'ecs.get(camera.main and 1 or 1, ecs.Tesselation)',
    /^2: ecs: there is no component "Tesselation" \(did you mean "Tessellation"\?\); the components are Transform,/,
  ],
  [
    'a field of a handle that cannot be set',
    `${MESH}hf.width = 3`,
    /^3: terrainHeightfield: "width" of a heightfield cannot be set; no field can be set/,
  ],
  [
    'a field that a handle has not',
    `${MESH}print(hf.witdh)`,
    /^3: terrainHeightfield: a heightfield has no field "witdh" \(did you mean "width"\?\)/,
  ],
  [
    'a read past a buffer',
    'renderer.buffer.read(renderer.buffer.create { size = 16 }, { first = 2, count = 3 })',
    /^2: renderer\.buffer\.read: count must be an integer in 0\.\.2, got 3/,
  ],
  [
    'a write into the engine’s buffer',
    `${MESH}renderer.buffer.write(hf.texels, { data = { 1 } })`,
    /^3: renderer\.buffer\.write: buffer must be one that renderer\.buffer\.create made/,
  ],
  [
    'a terrain’s mesh destroyed by hand',
    `${STATE}renderer.mesh.destroy(state.mesh)`,
    /^4: renderer\.mesh\.destroy: the mesh .* belongs to a terrain mesh/,
  ],
  [
    'a capture of another kind',
    'renderer.capture("a.jpg")',
    /^2: renderer\.capture: path must be a file with the extension \.png, got "a\.jpg"/,
  ],
  [
    'a capture outside the project',
    'renderer.capture("../a.png")',
    /^2: renderer\.capture: path must be inside/,
  ],
  [
    'a capture of 0x0',
    'renderer.capture("a.png", { width = 0, height = 0 })',
    /^2: renderer\.capture: width must be an integer in 1\.\.\d+, got 0/,
  ],
  [
    'a capture past the adapter',
    'renderer.capture("a.png", { height = 99999 })',
    /^2: renderer\.capture: height must be an integer in 1\.\.\d+, got 99999/,
  ],
  [
    'a capture of no channel',
    'renderer.capture("a.png", { channel = "colour" })',
    /^2: renderer\.capture: channel must be one of "color", "depth", "normal", got "colour"/,
  ],
  [
    'a capture of too few bits',
    'renderer.capture("a.png", { channel = "depth", bits = 8 })',
    /^2: renderer\.capture: bits must be 16 for the channel "depth", got 8/,
  ],
  [
    'a misspelt field of a capture',
    'renderer.capture("a.png", { widht = 8 })',
    /^2: renderer\.capture: there is no field "widht" \(did you mean "width"\?\)/,
  ],
  [
    'colour as floats',
    'renderer.capture("a.texture")',
    /^2: renderer\.capture: path must be a file with the extension \.png, got "a\.texture"/,
  ],
  [
    'an exposure of NaN',
    'entity.find("camera").component.get("Camera").ev = 0/0',
    /^2: Camera: ev must be a finite number in -20\.\.20, got -?nan/i,
  ],
  [
    'an exposure of no kind',
    'entity.find("camera").component.get("Camera").exposure = "auto"',
    /^2: Camera: exposure must be one of "sky", "picture", "fixed", got "auto"/,
  ],
  [
    'a module that is not there',
    'require("towers.big")',
    /^2: require: there is no module "towers\.big": the project has no file towers\/big\.lua/,
  ],
  ['a callback that is none', 'scene.onUpdate(5)', /^2: scene\.onUpdate: callback must be a function, got 5/],
  [
    'a keep that closes the heightfield under it',
    `${MESH}mesh.create(hf, { camera = camera, keep = function() hf:close() return true end })`,
    /^3: terrainMesh\.create: this heightfield is closed/,
  ],
  [
    'a keep that destroys its mesh',
    `${KEPT}ask = function() mesh.destroy(state) end\nmesh.updateCut(state, hf, camera)`,
    /^6: terrainMesh\.updateCut: this terrain mesh is destroyed/,
  ],
  [
    'a keep that builds its mesh',
    `${KEPT}ask = function() mesh.build(state, hf, state.cut) end\nmesh.updateCut(state, hf, camera)`,
    /^6: terrainMesh\.updateCut: keep\(.*\) failed: scene\.lua:5: terrainMesh\.build: keep must not build the mesh/,
  ],
  [
    'a record for a list of nodes',
    `${STATE}mesh.build(state, hf, { first = state.cut[1] })`,
    /^4: terrainMesh\.build: nodes must be a list of nodes, got { first = /,
  ],
  [
    'a mesh’s rect without a size',
    `${MESH}mesh.create(hf, { camera = camera, rect = { origin = { 1, 2 } } })`,
    /^3: terrainMesh\.create: rect\.size is missing/,
  ],
  [
    'a mesh’s rect of text',
    `${MESH}mesh.create(hf, { camera = camera, rect = { size = "big" } })`,
    /^3: terrainMesh\.create: rect\.size must be { width, depth } of finite numbers, got "big"/,
  ],
  [
    'a followed mesh that is destroyed',
    `${STATE}local e = entity.create("land")\nmesh.bind(e.id, hf, state)\nmesh.destroy(state)\nmesh.followCamera(e.id)`,
    /^7: terrainMesh\.followCamera: this terrain mesh is destroyed/,
  ],
  [
    'a side past any landscape',
    'heightfield.open(tex(), { size = { 1e300, 10 } })',
    /^2: terrainHeightfield\.open: size\.width must be .* at most 1000000000, got 1e\+300/,
  ],
  [
    'a refresh from a destroyed texture',
    'local t = tex()\nlocal hf = heightfield.open(t)\nt:destroy()\nhf:refresh()',
    /^5: terrainHeightfield\.refresh: the texture given as ground is destroyed/,
  ],
  [
    'a container that is no JSON',
    'heightfield.open("broken.terrainData")',
    /^2: terrainHeightfield\.open: broken\.terrainData must be a \.terrainData in JSON/,
  ],
  [
    'a type of words that is none',
    'renderer.buffer.create { size = 16, type = "f64" }',
    /^2: renderer\.buffer\.create: type must be one of "f32", "u32", got "f64"/,
  ],
  [
    'an empty list for a buffer',
    'renderer.buffer.create { data = {} }',
    /^2: renderer\.buffer\.create: data must be at least one number, got none/,
  ],
  [
    'a misspelt side of a mesh’s bounds',
    'local b = renderer.buffer.create { size = 92 }\nrenderer.mesh.create { vertexBuffer = b, indexBuffer = renderer.buffer.create { size = 12 }, bounds = { min = { 0, 0, 0 }, max = { 1, 1, 1 }, mix = 1 } }',
    /^3: renderer\.mesh\.create: there is no field "mix"/,
  ],
  [
    'a buffer destroyed under a mesh',
    'local b = renderer.buffer.create { size = 92 }\nrenderer.mesh.create { vertexBuffer = b, indexBuffer = renderer.buffer.create { size = 12 } }\nrenderer.buffer.destroy(b)',
    /^4: renderer\.buffer\.destroy: buffer must be one that no mesh draws from, got one of the mesh /,
  ],
  [
    'a component asked for by a name that is none',
    'entity.create("a").component.has("Modle")',
    /^2: component\.has: there is no component "Modle" \(did you mean "Model"\?\)/,
  ],
  [
    'a parent that is none',
    'entity.create("a", { parent = "b" })',
    /^2: entity\.create: parent must be an Entity, got "b"/,
  ],
  [
    'a texel function that answers nothing',
    'texture.create { width = 1, height = 1, format = "r8", data = function() end }',
    /^2: texture\.create: data\(0, 0\) must be a number, got nothing/,
  ],
];

describe('Lua scenes with bad input', () => {
  before(async () => {
    await sharedRuntime();
    const png = encodePng(
      Texture.create({ width: 16, height: 16, format: 'r16', data: new Uint16Array(256) }),
    );
    writeFileSync(join(project, 'half.png'), png.subarray(0, png.length >> 1));
    writeFileSync(join(project, 'broken.terrainData'), '{');
    writeFileSync(join(project, 'jpeg.png'), Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70));
  });

  for (const [what, source, message] of CASES)
    it(`refuses ${what}`, async () => {
      const error = await failureOf(HEAD + source);
      expect(error.message).to.match(/^scene\.lua:\d+: /);
      expect(error.message.slice('scene.lua:'.length)).to.match(message);
      expect(error.traceback).to.include('scene.lua:');
    });

  it('takes a mask of another size, by place', async () => {
    await runScene(`${HEAD}
      local mask = texture.create { width = 2, height = 1, format = "r8", data = { 0, 1 } }
      local hf = heightfield.open(tex(), { holes = mask })
      assert(not hf:hasGroundAt(-20, 0) and hf:hasGroundAt(20, 0))`);
  });

  it('lets a script catch an error and go on', async () => {
    const { lines } = await runScene(`${HEAD}
      local ok, message = pcall(heightfield.open, "none.texture")
      print(ok, message)
      print(select(2, pcall(mesh.create, heightfield.open(tex()), { camera = camera, maxNodes = 3 })))`);
    expect(lines[0]).to.match(
      /^false\tscene\.lua:3: terrainHeightfield\.open: there is no file "none\.texture"/,
    );
    expect(lines[1]).to.match(/maxNodes must be an integer in 4\.\.4096, got 3/);
  });
});
