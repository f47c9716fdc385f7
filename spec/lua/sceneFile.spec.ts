// scene.save and scene.load: a world through a file and back, and files that are wrong.
import { expect } from 'chai';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileOf } from '../support/gltf.js';
import { failureOf, project, runScene, sharedRuntime } from '../support/lua.js';
import { icosphere } from '../support/tessellationSources.js';

const COMPONENTS = `
component.define("Label", { fields = { text = "none", target = { type = "entity", optional = true },
  data = { type = "table", optional = true }, reach = { type = "pair", default = { 0, 1 } }, call = { type = "function", optional = true },
  picture = { type = "texture", optional = true } } })
`;
const WORLD = `${COMPONENTS}
local hills = terrain.noise { width = 16, height = 16, size = { 80, 80 }, amplitude = 6, seed = 2 }
local tex = terrain.to_texture(hills)
texture.write(tex, "saved/hills.texture")
terrain.write("saved/hills.terrainData", { heightfield = tex })
local red = renderer.material.create { albedo = { 1, 0, 0 }, roughness = 0.2 }
local a = entity.create("a", { position = { 1, 2, 3 }, rotation = { 10, 20, 30 }, scale = { 1, 2, 1 } })
local b = entity.create("b", { parent = a })
local c = entity.create("c", { parent = b, position = { 0, 5, 0 } })
a.component.add("Model", { mesh = renderer.mesh.box { size = { 1, 2, 3 } }, material = red })
b.component.add("Model", { mesh = renderer.mesh.sphere { radius = 2, segments = 8 } })
b.component.add("Label", { text = "hello", target = c, data = { 1, { x = "y" }, deep = { true } }, reach = { 3, 4 }, picture = tex })
c.component.add("Light", { kind = "spot", angle = 30, color = { 1, 0.5, 0 } })
local ground = entity.create("ground")
ground.component.add("Terrain", { data = "saved/hills.terrainData", lodFactor = 3 })
camera.main().position = { 5, 6, 7 }
camera.main().component.get("Camera").fov = 45
`;
const SHOW = `
local function show(name)
  local e = entity.find(name)
  local p, r, s = e.position, e.rotation, e.scale
  print(name, e.parent and e.parent.name, p.x, p.y, p.z, r.y, s.y, table.concat(e.component.list(), " "))
end
for _, name in ipairs { "a", "b", "c", "ground", "camera" } do show(name) end
local label = entity.find("b").component.get("Label")
print(label.text, label.target == entity.find("c"), label.data[1], label.reach[2], label.picture)
local light = entity.find("c").component.get("Light")
print(light.kind, light.angle, light.color.y, camera.main().component.get("Camera").fov)
local t = entity.find("ground").component.get("Terrain")
print(t.data, t.lodFactor, t:heightfield():heightAt(3, 4))
print(#ecs.query(ecs.Transform))
`;

describe('scene.save and scene.load', () => {
  it('keep the layers of a Terrain, and the materials that these name', async () => {
    await runScene(
      `local tex = terrain.to_texture(terrain.noise { width = 16, height = 16, size = { 80, 80 } })
       texture.write(tex, "saved/layered.texture")
       local weights = texture.create { width = 1, height = 1, format = "r8", data = { 255 } }
       texture.write(weights, "saved/layerWeights.texture")
       local stone = renderer.material.create { albedo = { 0.1, 0.1, 0.9 } }
       entity.create("ground").component.add("Terrain", { texture = tex, collider = false, layers = {
         { name = "soil" }, { name = "stone", weights = weights, material = stone } } })
       scene.save("saved/layers.scene")`,
    );
    const { lines } = await runScene(
      `scene.load("saved/layers.scene")
       local shares = entity.find("ground").component.get("Terrain"):heightfield():layersAt(0, 0)
       print(shares.soil, shares.stone)`,
    );
    expect(lines).to.deep.equal(['0.0\t1.0']);
  });

  it('keep the maps of a material by their files, and refuse to save one that has none', async () => {
    await runScene(
      `local map = texture.create { width = 1, height = 1, format = "rgba8", data = { 255, 0, 0, 255 } }
       texture.write(map, "saved/red.texture")
       local red = renderer.material.create { albedoMap = map, roughnessMap = "saved/red.texture", roughness = 0.5 }
       entity.create("a").component.add("Model", { mesh = renderer.mesh.box(), material = red })
       camera.main().position = { 0, 0, 3 }
       camera.main():lookAt({ 0, 0, 0 })
       scene.save("saved/maps.scene")`,
    );
    await runScene(`scene.load("saved/maps.scene") scene.save("saved/mapsAgain.scene")`, {
      frames: 1,
      async look({ runtime }) {
        const { width, height, data } = await runtime.renderer.readPixels();
        const [r, g] = data.subarray(((height >> 1) * width + (width >> 1)) * 4);
        expect(r).to.be.above(2 * g);
      },
    });
    const texts = ['maps', 'mapsAgain'].map((name) =>
      readFileSync(join(project, `saved/${name}.scene`), 'utf8'),
    );
    expect(texts[0])
      .to.include('"albedoMap": "saved/red.texture"')
      .and.to.include('"roughnessMap": "saved/red.texture"');
    const [first, again] = texts.map((text) => JSON.parse(text).materials);
    expect(again).to.deep.equal(first);
    const { message } = await failureOf(
      `local map = texture.create { width = 1, height = 1, format = "r8", data = { 1 } }
       entity.create("a").component.add("Model", { mesh = renderer.mesh.box(), material = renderer.material.create { albedoMap = map } })
       scene.save("saved/none.scene")`,
    );
    expect(message).to.include('albedoMap must be a texture with a file');
  });

  it('bring the mesh of a glTF file back from that file, and refuse where it is gone', async () => {
    mkdirSync(join(project, 'models'), { recursive: true });
    const file = join(project, 'models/ball.glb');
    writeFileSync(file, fileOf(icosphere(1)));
    const first = await runScene(
      `local ball = renderer.mesh.load("models/ball.glb")
       entity.create("a").component.add("Model", { mesh = ball })
       entity.create("b").component.add("Model", { mesh = ball })
       scene.save("saved/ball.scene")`,
      {
        frames: 1,
        look: ({ runtime }) =>
          void expect(runtime.renderer.stats().passes.forward.triangles).to.equal(2 * 80),
      },
    );
    expect(first.warnings).to.deep.equal([]);
    expect(JSON.parse(read('saved/ball.scene')).meshes).to.satisfy((meshes: object) =>
      Object.values(meshes).every(
        (recipe) => recipe.shape === 'load' && recipe.options.path === 'models/ball.glb',
      ),
    );
    await runScene(`scene.load("saved/ball.scene") scene.save("saved/ballAgain.scene")`, {
      frames: 1,
      look: ({ runtime }) => void expect(runtime.renderer.stats().passes.forward.triangles).to.equal(2 * 80),
    });
    expect(JSON.parse(read('saved/ballAgain.scene')).meshes).to.deep.equal(
      JSON.parse(read('saved/ball.scene')).meshes,
    );
    rmSync(file);
    const { message } = await failureOf(`entity.create("stays") scene.load("saved/ball.scene")`);
    expect(message).to.match(
      /scene\.load: saved\/ball\.scene: mesh .*: there is no file "models\/ball\.glb"/,
    );
    const unloaded = await failureOf('\nrenderer.mesh.load("models/ball.glb")');
    expect(unloaded.message).to.match(
      /^scene\.lua:2: renderer\.mesh\.load: there is no file "models\/ball\.glb"/,
    );
  });

  it('bring a world back: entities, parents, components, meshes, materials, ground', async () => {
    const first = await runScene(`${WORLD}${SHOW} print(scene.save("saved/world.scene"))`);
    const second = await runScene(
      `${COMPONENTS} entity.create("old") scene.load("saved/world.scene")${SHOW} scene.save("saved/again.scene")`,
      {
        frames: 1,
        look: ({ runtime }) => void expect(runtime.renderer.stats().draws).to.be.above(2),
      },
    );
    expect(second.lines.map((line) => line.replace('texture 16 x 16', 'saved/hills.texture'))).to.deep.equal(
      first.lines
        .slice(0, -1)
        .map((line) =>
          line.startsWith('hello') ? line.replace(/\t[^\t]*$/, '\tsaved/hills.texture') : line,
        ),
    );
    expect(first.lines.at(-1)).to.equal('saved/world.scene');
    const [world, again] = ['world', 'again'].map((name) => read(`saved/${name}.scene`));
    const unnumbered = (text: string) => text.replace(/"(id|parent|target)": \d+/g, '"$1": 0');
    expect(unnumbered(again)).to.equal(unnumbered(world));
  });

  it('keep tables as they are: numbers and strings for keys, records that look like vectors', async () => {
    const { lines } = await runScene(
      `component.define("Bag", { fields = { data = { type = "table" }, at = { type = "vector", default = { 1, 2, 3 } } } })
       local function show()
         local bag = entity.find("e").component.get("Bag")
         local data = bag.data
         print(data[7], data["7"], data.at.x, data.at[1], data.list[2], data.list.name, data[0.5], bag.at.y)
       end
       entity.create("e").component.add("Bag", { data = { [7] = "seven", at = { x = 1, y = 2, z = 3 }, list = { "a", "b", name = "n" }, [0.5] = "half" } })
       show()
       scene.save("saved/tables.scene")
       scene.load("saved/tables.scene")
       show()
       entity.find("e").component.get("Bag").data = { ["7"] = "text" }
       print(entity.find("e").component.get("Bag").data["7"])
       print(select(2, pcall(scene.save, "saved/tables.scene")))`,
    );
    expect(lines[0]).to.equal('seven\tnil\t1.0\tnil\tb\tn\thalf\t2.0');
    expect(lines[1]).to.equal(lines[0]);
    expect(lines[2]).to.equal('text');
    expect(lines[3]).to.match(/Bag\.data of the entity "e" \(\d+\) has the string "7" for a key/);
  });

  it('take names that objects of JavaScript have already', async () => {
    const { lines } = await runScene(
      `component.define("constructor", { fields = { constructor = 1, __proto__ = 2, toString = { type = "any", optional = true } },
         valueOf = function(self) return self.constructor end })
       component.define("__proto__", { fields = { hasOwnProperty = 3 } })
       local function show()
         local e = entity.find("e")
         local c = e.component.get("constructor")
         print(table.concat(e.component.list(), " "), c.constructor, c.__proto__, c.toString, c:valueOf(), e.component.get("__proto__").hasOwnProperty)
       end
       local e = entity.create("e")
       e.component.add("constructor")
       e.component.add("__proto__")
       show()
       scene.save("saved/names.scene")
       scene.load("saved/names.scene")
       show()`,
    );
    expect(lines[0]).to.equal('Transform constructor __proto__\t1.0\t2.0\tnil\t1.0\t3.0');
    expect(lines[1]).to.equal(lines[0]);
  });

  it('give the on-screen camera the file’s components and fields, and no others', async () => {
    const { lines } = await runScene(`
      component.define("Rig", { fields = { n = 1 } })
      camera.main().component.add("Rig", { n = 2 })
      scene.save("saved/camera.scene")
      camera.main().component.get("Rig").n = 3
      camera.main().component.add("Light")
      camera.main().component.get("Camera").orthographic = true
      scene.load("saved/camera.scene")
      local rig = camera.main().component.get("Rig")
      print(table.concat(camera.main().component.list(), " "), rig.n, camera.main().component.get("Camera").orthographic)`);
    expect(lines).to.deep.equal(['Transform Camera Rig\t2.0\tfalse']);
  });

  it('give materials that stand the fields of the file, and their own back where it is refused', async () => {
    const { lines } = await runScene(
      `local red = renderer.material.create { albedo = { 1, 0, 0 }, roughness = 0.25 }
       entity.create("e").component.add("Model", { mesh = renderer.mesh.box(), material = red })
       scene.save("saved/red.scene")
       renderer.material.update(red, { albedo = { 0, 1, 0 }, metallic = 1 })
       component.define("Bad", { onAdd = function() if bad then error("bad") end end })
       entity.create("bad").component.add("Bad")
       scene.save("saved/bad.scene")
       scene.load("saved/red.scene")
       renderer.material.update(red, { roughness = 0.5 })
       bad = true
       print(pcall(scene.load, "saved/bad.scene"))`,
      {
        look: ({ runtime: { renderer } }) => {
          const [guid] = renderer.materials.guids();
          const { albedo, roughness, metallic } = renderer.materials.get(guid);
          expect([albedo.x, albedo.y, roughness, metallic]).to.deep.equal([1, 0, 0.5, 0]);
        },
      },
    );
    expect(lines[0]).to.match(/^false\t.*bad/);
  });

  it('are not begun while a file is loaded, and neither is play', async () => {
    const { lines } = await runScene(
      `component.define("Busy", { onAdd = function(self)
         if not loading then return end
         print(select(2, pcall(scene.play)))
         print(select(2, pcall(scene.load, "saved/busy.scene")))
         print(select(2, pcall(scene.save, "saved/other.scene")))
       end })
       entity.create("e").component.add("Busy")
       scene.save("saved/busy.scene")
       loading = true
       scene.load("saved/busy.scene")
       print(scene.mode(), #ecs.query(ecs.Busy))
       loading = false
       scene.load("saved/busy.scene")
       scene.play()`,
    );
    for (const line of lines.slice(0, 3)) expect(line).to.match(/: a scene file is just being loaded/);
    expect(lines.slice(3)).to.deep.equal(['edit\t1']);
  });

  it('refuse what a file cannot hold, and touch no file', async () => {
    const cases: [source: string, message: RegExp][] = [
      [
        'e.component.add("Label", { call = print })',
        /Label\.call of the entity "e" \(\d+\) is a function, which/,
      ],
      [
        'e.component.add("Label", { data = { x = { e } } })',
        /Label\.data of the entity "e" \(\d+\)\.x\[1\] is the entity "e" \(\d+\), which a scene file cannot hold there/,
      ],
      [
        'e.component.add("Label", { picture = texture.create { width = 1, height = 1, format = "r8", data = { 0 } } })',
        /Label\.picture of the entity .* must be a texture with a file/,
      ],
      [
        `local v = renderer.buffer.create { data = {}, size = 69 } local i = renderer.buffer.create { data = { 0, 1, 2 }, type = "u32" }
        e.component.add("Model", { mesh = renderer.mesh.create { vertexBuffer = v, indexBuffer = i } })`,
        /Model\.mesh of the entity .* must be a mesh that a file can describe/,
      ],
      ['scene.play()', /scene\.save: the scene plays/],
    ];
    for (const [source, message] of cases) {
      const error = await failureOf(
        `${COMPONENTS} local e = entity.create("e") ${source.replace('data = {}, size = 69', 'size = 276')} scene.save("saved/no.scene")`,
      );
      expect(error.message).to.match(message);
    }
    expect((await failureOf('scene.save("a.lua")')).message).to.match(/extension \.scene or \.json/);
    expect(() => read('saved/no.scene')).to.throw(/ENOENT/);
  });

  it('refuse files that are wrong, and leave the world as it was', async () => {
    await runScene(`${WORLD} scene.save("saved/world.scene")`);
    const good = JSON.parse(read('saved/world.scene')) as Record<string, never> & {
      entities: Record<string, unknown>[];
    };
    const change = (edit: (json: typeof good) => void) => {
      const copy = structuredClone(good);
      edit(copy);
      return JSON.stringify(copy);
    };
    const entityOf = (json: typeof good, name: string) => json.entities.find((e) => e.name === name)!;
    const cases: [text: string, message: RegExp][] = [
      ['', /saved\/wrong\.scene must be a scene file in JSON, but it is empty/],
      [JSON.stringify(good).slice(0, 300), /must be a scene file in JSON, but/],
      [
        change((json) => (json.version = 2 as never)),
        /version must be 1, the latest that this Moonscape reads, got 2/,
      ],
      [change((json) => (json.extra = 1 as never)), /extra must be left out/],
      [
        change((json) => (entityOf(json, 'b').parent = 999)),
        /parent must be the id of an entity that stands/,
      ],
      [
        change((json) => (entityOf(json, 'b').id = entityOf(json, 'a').id)),
        /id must be a number that no other entity has/,
      ],
      [
        change((json) => (entityOf(json, 'a').position = [1, 'x', 2])),
        /entities\[\d\]: position\.y must be a finite number, got "x"/,
      ],
      [
        change((json) => (entityOf(json, 'a').components = { Modle: {} })),
        /no component "Modle" \(did you mean "Model"\?\)/,
      ],
      [
        change((json) => (entityOf(json, 'c').components = { Light: { intensity: -1 } })),
        /intensity must be/,
      ],
      [
        change((json) => (entityOf(json, 'b').components = { Label: { target: 12345 } })),
        /target must be the id of an entity of the file/,
      ],
      [
        change((json) => (entityOf(json, 'ground').components = { Terrain: { data: 'gone.terrainData' } })),
        /no file "gone\.terrainData"/,
      ],
      [
        change((json) => (entityOf(json, 'camera').components = { Camera: { fov: 1000 } })),
        /fov must be a finite number in 1\.\.170/,
      ],
    ];
    for (const [text, message] of cases) {
      writeFileSync(join(project, 'saved/wrong.scene'), text);
      const { lines } = await runScene(
        `${COMPONENTS} local e = entity.create("mine", { position = { 1, 1, 1 } })
        e.component.add("Model", { mesh = renderer.mesh.box() })
        print(select(2, pcall(scene.load, "saved/wrong.scene")))
        print(e.position.x, #ecs.query(ecs.Transform), #ecs.query(ecs.Model), camera.main().component.get("Camera").fov)`,
      );
      expect(lines.slice(0, -1).join('\n')).to.match(message);
      expect(lines.at(-1)).to.equal('1.0\t2\t1\t60.0');
    }
  });

  it('leave the world, its camera and what is on it, where a component of the file’s camera fails', async () => {
    const { lines } = await runScene(`
      component.define("Shy", { fields = { bad = false }, onAdd = function(self) if self.bad then error("no") end end })
      component.define("Own", { fields = { n = 1 }, onAdd = function() print("added") end })
      local eye, old = camera.main(), entity.create("old")
      eye.component.add("Shy", { bad = false })
      eye.position = { 9, 9, 9 }
      scene.save("saved/shy.scene")
      eye.component.remove("Shy")
      eye.position = { 1, 2, 3 }
      eye.parent = old
      eye.component.add("Own", { n = 5 })
      eye.component.get("Camera").fov = 33
      print(pcall(scene.load, "saved/shy.scene"))
      print(eye.parent, eye.component.has("Own"), eye.component.has("Shy"), eye.position.x)
    `);
    expect(lines.slice(0, 2)).to.deep.equal(['added', 'true']);
    expect(lines[2]).to.equal('nil\tfalse\ttrue\t9.0');
    const file = read('saved/shy.scene').replace('"bad": false', '"bad": true');
    writeFileSync(join(project, 'saved/shyBad.scene'), file);
    const again = await runScene(`
      component.define("Shy", { fields = { bad = false }, onAdd = function(self) if self.bad then error("no") end end })
      component.define("Own", { fields = { n = 1 } })
      local eye, old = camera.main(), entity.create("old", { position = { 1, 0, 0 } })
      eye.position = { 1, 2, 3 }
      eye.parent = old
      local own = eye.component.add("Own", { n = 5 })
      eye.component.get("Camera").fov = 33
      print(pcall(scene.load, "saved/shyBad.scene"))
      print(eye.parent == old, own.n, eye.component.has("Shy"), eye.position.x, eye.component.get("Camera").fov, old.children[1] == eye)
    `);
    expect(again.lines.join('\n')).to.match(/^false\t.*no/);
    expect(again.lines.at(-1)).to.equal('true\t5.0\tfalse\t1.0\t33.0\ttrue');
  });
});

const read = (path: string): string => readFileSync(join(project, path), 'utf8');
before(() => sharedRuntime());
