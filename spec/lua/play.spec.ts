// scene.play and scene.stop: the world as it was, bit for bit.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Runtime } from '../../runtime/runtime.js';
import type { Entity } from '../../runtime/world/entity.js';
import { failureOf, runScene, sharedRuntime, type SceneRun } from '../support/lua.js';

/** Everything of a world that stop puts back, as plain data. */
function portrait({ world, renderer }: Runtime): unknown {
  const name = (entity: Entity | null) => entity && entity.id;
  return world.entities().map((entity) => ({
    id: entity.id,
    name: entity.name,
    parent: name(entity.parent),
    children: entity.children.map(name),
    pose: [entity.position, entity.rotation, entity.scale],
    matrix: [...entity.worldMatrix],
    components: [...entity.components.values()].map(({ type, ...instance }) => [
      type.name,
      // A terrain's mesh may be another one, of the same ground.
      type.name === 'Model' || type.name === 'MeshInstance'
        ? renderer.meshes.has(entity.components.get(type.name)!.get('mesh') as string)
        : entity.components.get(type.name)!.toRecord(),
      instance.removed,
    ]),
  }));
}

const WORLD = `
component.define("Counter", {
  fields = { step = 1, other = { type = "entity", optional = true } },
  onAdd = function(self) self.state.list = { 1, 2 } self.state.self = self.state end,
  onStart = function(self) self.state.n = 0 end,
  onUpdate = function(self, dt)
    self.state.n = self.state.n + self.step
    self.state.list[#self.state.list + 1] = self.state.n
  end,
})
a = entity.create("a", { position = { 1, 2, 3 } })
b = entity.create("b", { parent = a, rotation = { 0, 30, 0 } })
c = entity.create("c", { parent = b, scale = { 2, 2, 2 } })
material = renderer.material.create { albedo = { 1, 0, 0 } }
a.component.add("Model", { mesh = renderer.mesh.box(), material = material })
counter = b.component.add("Counter", { step = 2, other = c })
list = counter.state.list
`;

describe('scene.play and scene.stop', () => {
  it('put back poses, parents, fields, states, entities with their ids and handles, and materials', async () => {
    let before: unknown;
    const { lines } = await runScene(WORLD, {
      look: async ({ runtime, lua }: SceneRun) => {
        before = portrait(runtime);
        await lua.run('scene.play()', 'play.lua');
        for (let i = 0; i < 3; i++) await runtime.frame(1 / 60);
        await lua.run(
          `assert(counter.state.n == 6 and #list == 5)
          a.position = { 9, 9, 9 } a.name = "other" c.parent = nil b.rotation = { 1, 2, 3 }
          counter.step = 7 counter.other = nil
          a.component.remove("Model")
          a.component.add("Light", { kind = "point" })
          b:destroy()
          for i = 1, 5 do entity.create("new", { parent = c }) end
          renderer.material.update(material, { albedo = { 0, 1, 0 } })
          scene.onUpdate(function() error("still called") end)
          scene.stop()
          print(scene.mode(), counter.step, counter.other == c, counter.state.n, #counter.state.list, counter.state.list == list, counter.state.self == counter.state)
          print(entity.get(b.id) == b, b.parent == a, entity.find("new"), a.component.has("Light"))`,
          'stop.lua',
        );
        expect(portrait(runtime)).to.deep.equal(before);
        expect(runtime.renderer.materials.get(runtime.renderer.materials.guids()[0]).albedo).to.include({
          x: 1,
          y: 0,
        });
        await runtime.frame(1 / 60);
      },
    });
    expect(lines).to.deep.equal(['edit\t2.0\ttrue\tnil\t2\ttrue\ttrue', 'true\ttrue\tnil\tfalse']);
  });

  it('give the same world after any doings in play', async () => {
    const doings = fc.constantFrom(
      'pick().position = { next(), next(), next() }',
      'pick().name = "n" .. next()',
      'do local x, y = pick(), pick() pcall(function() x.parent = y end) end',
      'pick().parent = nil',
      'do local x = pick() if x ~= camera.main() then pcall(x.destroy, x) end end',
      'made[#made + 1] = entity.create("made", { parent = pick() })',
      'do local x = pick() pcall(x.component.add, "Counter", { step = next() }) end',
      'do local x = pick() pcall(x.component.remove, "Counter") end',
      'do local x = pick() pcall(x.component.add, "Light", { intensity = 2 }) end',
      'do local x = pick() local k = x.component.get("Counter") if k then k.step = next() k.state[next()] = { next() } end end',
      'do local x = pick() local m = x.component.get("Model") if m then m.material = nil end end',
      'pick().scale = { 1, next(), 1 }',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(doings, { minLength: 1, maxLength: 25 }), fc.nat(), async (list, seed) => {
        await runScene(WORLD, {
          look: async ({ runtime, lua }) => {
            await lua.run(
              `made = {}
              local n = ${seed % 1000}
              function next() n = (n * 137 + 71) % 1009 return n end
              function pick()
                local alive = {}
                for _, id in ipairs(ecs.query(ecs.Transform)) do alive[#alive + 1] = entity.get(id) end
                return alive[next() % #alive + 1]
              end`,
              'tools.lua',
            );
            const before = portrait(runtime);
            await lua.run('scene.play()', 'play.lua');
            await runtime.update(1 / 60);
            for (const doing of list) await lua.run(doing, 'doing.lua');
            await runtime.update(1 / 60);
            await lua.run('scene.stop()', 'stop.lua');
            expect(portrait(runtime)).to.deep.equal(before);
            await lua.run('scene.play() scene.stop()', 'again.lua');
            expect(portrait(runtime)).to.deep.equal(before);
          },
        });
      }),
      { numRuns: 60 },
    );
  }).timeout(60_000);

  it('put back the layers of ground, a script’s own and a Terrain’s', async () => {
    const { lines } = await runScene(
      `local tex = terrain.to_texture(terrain.noise { width = 8, height = 8, size = { 40, 40 } })
       hf = require("~terrainSystem.modules.terrainHeightfield").open(tex, { layers = { { name = "soil" } } })
       valley = entity.create("valley").component.add("Terrain", { texture = tex, collider = false, layers = { { name = "sand" } } })
       function show() print(next(hf:layersAt(0, 0)), (next(valley:heightfield():layersAt(0, 0)))) end`,
      {
        look: async ({ runtime, lua }: SceneRun) => {
          await lua.run('scene.play()', 'play.lua');
          await runtime.frame(1 / 60);
          await lua.run(
            'hf:setLayers { { name = "ice" } } valley.layers = { { name = "snow" } } show()',
            'change.lua',
          );
          await runtime.frame(1 / 60);
          await lua.run('scene.stop() show()', 'stop.lua');
        },
      },
    );
    expect(lines).to.deep.equal(['ice\tsnow', 'soil\tsand']);
  });

  it('put fields back that are right together, and would not be one by one', async () => {
    const { lines } = await runScene(`
      component.define("Span", { fields = { high = 2, low = 1, target = { type = "entity", optional = true } },
        onChange = function(self) assert(self.low <= self.high, "low above high") end })
      local other = entity.create("other")
      local span = entity.create("e").component.add("Span", { target = other })
      other:destroy()
      scene.play()
      span.high = 11
      span.low = 10
      span.target = nil
      scene.stop()
      print(span.low, span.high, span.target == other)`);
    expect(lines).to.deep.equal(['1.0\t2.0\ttrue']);
  });

  it('say what cannot be put back, and leave nothing half made', async () => {
    const { lines } = await runScene(`
      local mesh, other = renderer.mesh.box(), renderer.mesh.sphere()
      local a, b = entity.create("a"), entity.create("b")
      local model = a.component.add("Model", { mesh = mesh })
      b.component.add("Model", { mesh = mesh })
      a.component.add("Light")
      scene.play()
      model.mesh = other
      a.component.get("Light").intensity = 9
      b.component.remove("Model")
      renderer.mesh.destroy(mesh)
      print(select(2, pcall(scene.stop)))
      print(scene.mode(), model.mesh == other, ecs.get(a.id, ecs.MeshInstance).mesh == other, a.component.get("Light").intensity)
      print(table.concat(b.component.list(), " "), #ecs.query(ecs.Model))`);
    expect(lines[0]).to.match(/mesh must be the guid of a mesh that exists/);
    expect(lines.slice(1)).to.deep.equal(['edit\ttrue\ttrue\t1.0', 'Transform\t1']);
  });

  it('put holes back that a refresh read anew, in ground that stays and in ground that is opened again', async () => {
    const { lines } = await runScene(
      `local tex = terrain.to_texture(terrain.noise { width = 8, height = 8, size = { 40, 40 } })
      local mask = texture.create { width = 1, height = 1, format = "r8", data = { 255 } }
      local e = entity.create("e")
      local t = e.component.add("Terrain", { texture = tex, holes = mask, maxNodes = 16 })
      local function show() print(t:heightfield():hasGroundAt(0, 0), physics.raycast { origin = { 1, 50, 1 }, direction = { 0.001, -1, 0 } } ~= nil) end
      for _, way in ipairs { "stays", "is opened again" } do
        scene.play()
        texture.update(mask, { data = { 0 } })
        t:heightfield():refresh()
        show()
        if way == "is opened again" then e.component.remove("Terrain") end
        scene.stop()
        show()
      end`,
      {
        frames: 1,
        look: ({ runtime }) => void expect(runtime.stats().passes.forward.triangles).to.be.above(0),
      },
    );
    expect(lines).to.deep.equal(['false\tfalse', 'true\ttrue', 'false\tfalse', 'true\ttrue']);
  });

  it('put all ground back, also where one that follows it fails', async () => {
    const { lines } = await runScene(`
      local heightfield = require("~terrainSystem.modules.terrainHeightfield")
      local scatter = require("~terrainSystem.modules.scatter")
      local tex = terrain.to_texture(terrain.noise { width = 8, height = 8, size = { 40, 40 }, amplitude = 0 })
      local a, b = heightfield.open(tex), heightfield.open(tex)
      local sulk = false
      scatter.create(a, { mesh = renderer.mesh.box(), density = 0.1, filter = function() if sulk then error("sulk") end return true end })
      scene.play()
      for _, hf in ipairs { a, b } do hf:setHeights(4, 4, 1, 1, { 9 }) hf:setWater { level = 3 } end
      sulk = true
      print(select(2, pcall(scene.stop)))
      for _, hf in ipairs { a, b } do print(hf:heightAt(2.5, 2.5), hf:waterAt(0, 0)) end`);
    expect(lines[0]).to.match(/sulk/);
    expect(lines.slice(-2)).to.deep.equal(['0.0\tnil', '0.0\tnil']);
  });

  it('put back the metatables of states, and tables that states share', async () => {
    const { lines } = await runScene(`
      local shared = { n = 1 }
      component.define("Meta", { onAdd = function(self) self.state.shared = shared end,
        onStart = function(self) setmetatable(self.state, { __index = function() return 7 end }) shared.n = shared.n + 1 end })
      local a, b = entity.create("a").component.add("Meta"), entity.create("b").component.add("Meta")
      scene.play()
      print(a.state.x, shared.n)
      scene.stop()
      print(a.state.x, b.state.x, shared.n, a.state.shared == shared and b.state.shared == shared)`);
    expect(lines).to.deep.equal(['7\t3', 'nil\tnil\t1\ttrue']);
  });

  it('keep the handles of parts, and their fields', async () => {
    const { lines } = await runScene(`
      component.define("Box", { onAdd = function(self) self:make("Model", { mesh = renderer.mesh.box() }) self:make("Light", { kind = "point" }) end })
      local e = entity.create("e")
      e.component.add("Box")
      local model, light = e.component.get("Model"), e.component.get("Light")
      local drawn = ecs.get(e.id, ecs.MeshInstance)
      light.intensity = 5
      for _, way in ipairs { "remove", "destroy" } do
        scene.play()
        light.intensity = 7
        if way == "remove" then e.component.remove("Box") else e:destroy() end
        scene.stop()
        print(model == e.component.get("Model"), drawn == ecs.get(e.id, ecs.MeshInstance), drawn.mesh == model.mesh, light.intensity)
        print(table.concat(e.component.list(), " "))
      end`);
    expect(new Set(lines)).to.deep.equal(
      new Set(['true\ttrue\ttrue\t5.0', 'Transform Box Model MeshInstance Light']),
    );
  });

  it('leave nothing behind where the scene is closed while it stops', async () => {
    const runtime = await sharedRuntime();
    const stats = JSON.stringify(runtime.physics.stats());
    let stopping: Promise<string> | undefined;
    await runScene(
      `component.define("Slow", { onAdd = function() texture.load("stop.texture") end })
      texture.write(texture.create { width = 1, height = 1, format = "r8", data = { 0 } }, "stop.texture")
      local e = entity.create("e")
      e.component.add("Slow")
      for _, name in ipairs { "RigidBody", "Collider", "Light" } do e.component.add(name) end
      scene.play()
      e:destroy()`,
      {
        look: ({ lua }) => {
          stopping = lua.run('scene.stop()', 'stop.lua').then(
            () => 'done',
            (error: Error) => error.message,
          );
        },
      },
    );
    expect(await stopping).to.match(/the scene was closed/);
    expect(JSON.stringify(runtime.physics.stats())).to.equal(stats);
    expect(runtime.mode).to.equal('edit');
    await runScene('scene.play() scene.stop()');
  });

  it('a handle made in play says what it was after stop', async () => {
    const error = await failureOf(
      'scene.play() local e = entity.create("brief") scene.stop() print(e.position)',
    );
    expect(error.message).to.match(/the entity "brief" \(\d+\) was destroyed/);
  });

  it('an id given out in play is never another entity’s after stop', async () => {
    const { lines } = await runScene(`
      local before = entity.create("kept")
      scene.play()
      local ids = {}
      before:destroy()
      for i = 1, 20 do local e = entity.create("m") ids[i] = e.id if i % 2 == 0 then e:destroy() end end
      scene.stop()
      local later = {}
      for i = 1, 20 do later[entity.create("l").id] = true end
      for _, id in ipairs(ids) do assert(not later[id] and not pcall(entity.get, id), id) end
      print(before.name, entity.get(before.id) == before, later[before.id])`);
    expect(lines).to.deep.equal(['kept\ttrue\tnil']);
  });

  it('refuse to begin twice, to end what does not play, and to turn while turning', async () => {
    expect((await failureOf('scene.play() scene.play()')).message).to.match(/the scene plays already/);
    expect((await failureOf('scene.stop()')).message).to.match(/the scene does not play/);
    const failures: string[] = [];
    await runScene(
      `component.define("Eager", { onStart = function() scene.stop() end }) entity.create().component.add("Eager") scene.play()`,
      { failed: (error) => failures.push(error.message) },
    );
    expect(failures[0]).to.match(/play is just beginning or ending/);
  });

  it('end in a component’s own onUpdate', async () => {
    const { lines } = await runScene(
      `component.define("Ender", { onUpdate = function(self)
          print("update", self.entity.name) scene.stop() print(scene.mode(), self.entity.name) end })
      entity.create("a").component.add("Ender")
      entity.create("b").component.add("Ender")
      scene.play()`,
      { frames: 3 },
    );
    expect(lines).to.deep.equal(['update\ta', 'edit\ta']);
  });

  it('an onStart that fails stops that component, and play begins', async () => {
    const failures: string[] = [];
    const { lines } = await runScene(
      `component.define("Bad", { fields = { bad = false },
        onStart = function(self) if self.bad then error("no") end end,
        onUpdate = function(self) print(self.entity.name) end })
      entity.create("a").component.add("Bad", { bad = true })
      entity.create("b").component.add("Bad")
      scene.play() print(scene.mode())`,
      { frames: 1, failed: (error) => failures.push(error.message) },
    );
    expect(lines).to.deep.equal(['play', 'b']);
    expect(failures[0]).to.match(/no\n {2}\(in onStart of Bad on the entity "a"/);
  });

  it('leave nothing behind where the scene is closed in play', async () => {
    const { runtime } = await runScene(`${WORLD} scene.play() b:destroy() entity.create("x")`, { frames: 1 });
    expect(runtime.mode).to.equal('edit');
  });
});
