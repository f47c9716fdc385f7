// Components written in Lua: definitions, fields, hooks and their errors.
import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failureOf, project, runScene, sharedRuntime } from '../support/lua.js';

const SPINNER = `component.define("Spinner", {
  fields = {
    speed = { type = "number", default = 2, range = { 0, 10 }, doc = "turns a second" },
    label = "none",
    axis = { type = "enum", values = { "x", "y" }, default = "y" },
    target = { type = "entity", optional = true },
    reach = { type = "pair", names = { "low", "high" }, ordered = true, default = { 1, 2 } },
    extra = { type = "table", optional = true },
    rate = { type = "integer", default = 3 },
  },
  double = function(self, by) return self.speed * 2 + (by or 0) end,
})
local e = entity.create("e")
`;

async function writeProject(path: string, text: string): Promise<void> {
  await sharedRuntime();
  mkdirSync(join(project, path, '..'), { recursive: true });
  writeFileSync(join(project, path), text);
}

describe('components written in Lua', () => {
  it('have fields with defaults, types and ranges, and methods', async () => {
    const { lines } = await runScene(`${SPINNER}
      local s = e.component.add("Spinner", { speed = 4, target = e, extra = { 1, { a = "b" } } })
      print(s.speed, s.label, s.axis, s.target == e, s.reach.low, s.reach[2], s.extra[2].a, s.rate, s:double(1))
      s.extra[1] = 5
      print(s.extra[1], s == e.component.get("Spinner"), s.entity == e, s)
      s.reach = { low = 3, high = 4 }
      s.target = nil
      print(s.reach.high, s.target, ecs.get(e.id, ecs.Spinner) == s, ecs.has(e.id, ecs.Spinner), #ecs.query(ecs.Spinner, ecs.Transform))
      print(e.component.remove("Spinner"), e.component.has("Spinner"), #ecs.query(ecs.Spinner))`);
    expect(lines).to.deep.equal([
      '4.0\tnone\ty\ttrue\t1.0\t2.0\tb\t3\t9.0',
      '1.0\ttrue\ttrue\tSpinner of the entity "e" (' + /\((\d+)\)/.exec(lines[1])![1] + ')',
      '4.0\tnil\ttrue\ttrue\t1',
      'true\tfalse\t0',
    ]);
  });

  const REFUSED: [what: string, source: string, message: RegExp][] = [
    [
      'an unknown field',
      'e.component.add("Spinner", { sped = 1 })',
      /"sped" \(did you mean "speed"\?\); the fields are axis,/,
    ],
    [
      'an unknown field set later',
      'e.component.add("Spinner").sped = 1',
      /has no field "sped" \(did you mean "speed"\?\)/,
    ],
    [
      'a wrong type',
      'e.component.add("Spinner", { speed = "fast" })',
      /speed must be a finite number in 0\.\.10, got "fast"/,
    ],
    [
      'a value out of range, set later',
      'e.component.add("Spinner").speed = 11',
      /speed must be a finite number in 0\.\.10, got 11/,
    ],
    [
      'an enum’s other value',
      'e.component.add("Spinner", { axis = "z" })',
      /axis must be one of "x", "y", got "z"/,
    ],
    [
      'a pair in the wrong order',
      'e.component.add("Spinner", { reach = { 2, 1 } })',
      /reach must be \{ low, high \} of finite numbers, the first at most the second/,
    ],
    ['a half integer', 'e.component.add("Spinner", { rate = 1.5 })', /rate must be an integer, got 1\.5/],
    [
      'no entity',
      'e.component.add("Spinner", { target = 3 })',
      /target must be an entity of this world, got 3/,
    ],
    [
      'a misspelt component',
      'e.component.add("Spiner")',
      /no component "Spiner" \(did you mean "Spinner"\?\)/,
    ],
    [
      'a misspelt one that ships',
      'entity.create().component.add("Terain")',
      /no component "Terain" \(did you mean "Terrain"\?\)/,
    ],
    [
      'a misspelt name of one that ships',
      'print(ecs.Scater)',
      /no component "Scater" \(did you mean "Scatter"\?\)/,
    ],
    [
      'a second of one',
      'e.component.add("Spinner") e.component.add("Spinner")',
      /entity "e" \(\d+\) has a Spinner already/,
    ],
    ['a name that is taken', 'component.define("Model", {})', /name must be a name that is not taken/],
    [
      'the name of one that ships',
      'component.define("Terrain", {})',
      /name must be a name that is not taken \(this one ships\), got "Terrain"/,
    ],
    ['a name that is no name', 'component.define("a b", {})', /name must be letters, digits and _/],
    [
      'a misspelt hook',
      'component.define("A", { onUdpate = function() end })',
      /no hook "onUdpate" \(did you mean "onUpdate"\?\)/,
    ],
    [
      'a misspelt type',
      'component.define("A", { fields = { x = { type = "nubmer" } } })',
      /field "x": type must be one of "number"/,
    ],
    [
      'a misspelt key',
      'component.define("A", { fields = { x = { type = "number", defualt = 1 } } })',
      /no key "defualt" \(did you mean "default"\?\)/,
    ],
    [
      'a default of the wrong type',
      'component.define("A", { fields = { x = { type = "number", default = "a" } } })',
      /component\.define: A: field "x": default must be a finite number, got "a"/,
    ],
    [
      'a default out of range',
      'component.define("A", { fields = { x = { type = "pair", default = { 3, 1 }, ordered = true } } })',
      /component\.define: A: field "x": default must be \{ x, z \} of finite numbers, the first at most the second/,
    ],
    ['a reserved field', 'component.define("A", { fields = { state = 1 } })', /must have another name/],
    [
      'a method called as a field',
      'component.define("A", { fields = { x = 1 }, x = function() end })',
      /a method must not have the name of a field \(x\)/,
    ],
    ['a value among the functions', 'component.define("A", { speed = 3 })', /"speed" must be a function/],
    [
      'a range of a string',
      'component.define("A", { fields = { x = { type = "string", range = { 0, 1 } } } })',
      /range is for numbers/,
    ],
    [
      'a removed component’s use',
      'local s = e.component.add("Spinner") e.component.remove("Spinner") s.speed = 1',
      /was removed from the entity "e"/,
    ],
  ];
  for (const [what, source, message] of REFUSED)
    it(`refuses ${what}`, async () => {
      const error = await failureOf(`${SPINNER}${source}`);
      expect(error.message).to.match(/^scene\.lua:\d+: /);
      expect(error.message).to.match(message);
    });

  it('come from the project’s components/, where the name is first used, once', async () => {
    await writeProject('components/Bell.lua', 'print("loaded") return { fields = { tone = 1 } }');
    const { lines } = await runScene(`
      local a, b = entity.create("a"), entity.create("b")
      print(a.component.has("Bell"))
      a.component.add("Bell", { tone = 5 })
      b.component.add("Bell")
      print(a.component.get("Bell").tone, b.component.get("Bell").tone)`);
    expect(lines).to.deep.equal(['loaded', 'false', '5.0\t1.0']);
  });

  it('name the file and the line of a fault in such a file', async () => {
    await writeProject('components/Broken.lua', 'return {\n  fields = ,\n}');
    await writeProject('components/Number.lua', 'return 5');
    await writeProject('components/Faulty.lua', 'return {\n onAdd = function(self)\n  error("no")\n end,\n}');
    expect((await failureOf('entity.create().component.add("Broken")')).message).to.match(
      /components\/Broken\.lua:2:/,
    );
    expect((await failureOf('entity.create().component.add("Number")')).message).to.match(
      /components\/Number\.lua must return the component's table, got 5/,
    );
    expect((await failureOf('entity.create("host").component.add("Faulty")')).message).to.match(
      /components\/Faulty\.lua:3: no\n {2}\(in onAdd of Faulty on the entity "host" \(\d+\)\)$/,
    );
  });

  it('call their hooks in order, and wait in onAdd', async () => {
    await writeProject('modules/slow.lua', 'return true');
    const { lines } = await runScene(
      `component.define("Log", {
        fields = { speed = 1 },
        onAdd = function(self) require("modules.slow") print("add", self.entity.name) end,
        onStart = function(self) print("start") end,
        onUpdate = function(self, dt) print("update", dt == 1 / 60) end,
        onFrame = function(self, dt) print("frame", scene.mode()) end,
        onChange = function(self, field) print("change", field, self[field]) end,
        onRemove = function(self) print("remove", self.entity.name) end,
      })
      local e = entity.create("e")
      local log = e.component.add("Log")
      print("added")
      log.speed = 3
      local frame = 0
      scene.onUpdate(function()
        frame = frame + 1
        if frame == 2 then scene.play() end
        if frame == 3 then entity.create("late").component.add("Log") end
        if frame == 4 then e:destroy() end
      end)`,
      { frames: 4 },
    );
    expect(lines).to.deep.equal([
      ...['add\te', 'added', 'change\tspeed\t3.0', 'frame\tedit'],
      ...['start', 'update\ttrue', 'frame\tplay'],
      ...['add\tlate', 'start'],
      ...['update', 'update', 'frame', 'frame'].map((word) =>
        word === 'update' ? 'update\ttrue' : 'frame\tplay',
      ),
      ...['remove\te', 'update\ttrue', 'frame\tplay'],
      'remove\tlate',
    ]);
  });

  it('stop at an error, alone, and say whose it was', async () => {
    const failures: string[] = [];
    const { lines } = await runScene(
      `component.define("Bad", { onFrame = function(self)
          self.state.n = (self.state.n or 0) + 1
          print(self.entity.name, self.state.n)
          if self.entity.name == "b" and self.state.n == 2 then error("broke") end
        end })
      entity.create("a").component.add("Bad")
      entity.create("b").component.add("Bad")`,
      { frames: 3, failed: (error) => failures.push(error.message) },
    );
    expect(lines).to.deep.equal(['a\t1', 'b\t1', 'a\t2', 'b\t2', 'a\t3']);
    expect(failures).to.have.length(1);
    expect(failures[0]).to.match(
      /^scene\.lua:4: broke\n {2}\(in onFrame of Bad on the entity "b" \(\d+\)\)$/,
    );
  });

  it('take themselves off in their own onUpdate, or their entity', async () => {
    const { lines } = await runScene(
      `component.define("Once", { fields = { whole = false },
        onUpdate = function(self)
          print(self.entity.name)
          if self.whole then self.entity:destroy() else self.entity.component.remove("Once") end
        end, onRemove = function(self) print("gone", self.entity.name) end })
      entity.create("a").component.add("Once")
      entity.create("b").component.add("Once", { whole = true })
      scene.play()`,
      { frames: 3, look: ({ lua }) => lua.run('print(entity.find("a"), entity.find("b"))', 'look.lua') },
    );
    expect(lines.slice(0, 4)).to.deep.equal(['a', 'gone\ta', 'b', 'gone\tb']);
    expect(lines[4]).to.match(/^Entity "a" \(\d+\)\tnil$/);
    expect(lines).to.have.length(5);
  });

  it('make parts that go with them, that nobody else removes', async () => {
    const { lines } = await runScene(`
      component.define("Shape", { onAdd = function(self) self:make("Model", { mesh = renderer.mesh.box() }) end })
      local e = entity.create("e")
      e.component.add("Shape")
      print(table.concat(e.component.list(), " "))
      print(select(2, pcall(e.component.remove, "Model")))
      e.component.remove("Shape")
      print(table.concat(e.component.list(), " "))
      e.component.add("Model", { mesh = renderer.mesh.box() })
      print(select(2, pcall(e.component.add, "Shape")))
      print(table.concat(e.component.list(), " "))`);
    expect(lines[0]).to.equal('Transform Shape Model MeshInstance');
    expect(lines[1]).to.match(/this Model goes with the Shape that made it/);
    expect(lines[2]).to.equal('Transform');
    expect(lines[3]).to.match(/has a Model already/);
    expect(lines[4]).to.equal('Transform Model MeshInstance');
  });

  it('destroy their entity in their own onRemove, however it came to that', async () => {
    const { lines } = await runScene(`
      component.define("Last", { onRemove = function(self) self.entity:destroy() end })
      component.define("Killer", { fields = { other = { type = "entity", optional = true } }, onRemove = function(self) self.other:destroy() end })
      for _, way in ipairs { "remove", "destroy" } do
        local e = entity.create(way)
        e.component.add("Last")
        e.component.add("Light")
        if way == "remove" then e.component.remove("Last") else e:destroy() end
        print(pcall(entity.get, e.id))
      end
      local parent = entity.create("parent")
      local a, b = entity.create("a", { parent = parent }), entity.create("b", { parent = parent })
      a.component.add("Killer", { other = b })
      parent:destroy()
      print(entity.find("parent"), entity.find("a"), entity.find("b"), #ecs.query(ecs.Last), #ecs.query(ecs.Light))
      scene.play()
      local again = entity.create("again")
      again.component.add("Last")
      again.component.remove("Last")
      print(#ecs.query(ecs.Transform), entity.create("new").name)`);
    expect(lines[0]).to.match(/^false\t.*the entity "remove" \(\d+\) was destroyed/);
    expect(lines[1]).to.match(/^false\t.*the entity "destroy" \(\d+\) was destroyed/);
    expect(lines.slice(2)).to.deep.equal(['nil\tnil\tnil\t0\t0', '1\tnew']);
  });

  it('add nothing to an entity that is being destroyed', async () => {
    const { lines } = await runScene(`
      component.define("Heir", { onRemove = function(self)
        local e = self.entity
        print(select(2, pcall(e.component.add, "Light")))
        print(select(2, pcall(self.make, self, "Model", { mesh = renderer.mesh.box() })))
        print(select(2, pcall(entity.create, "child", { parent = e })))
      end })
      local e = entity.create("e")
      e.component.add("Heir")
      e:destroy()
      print(#ecs.query(ecs.Light), entity.find("child"))`);
    for (const line of lines.slice(0, 3)) expect(line).to.match(/the entity "e" \(\d+\) is being destroyed/);
    expect(lines[3]).to.equal('0\tnil');
  });

  it('say so where files of components use each other while they are read', async () => {
    await writeProject('components/Selfish.lua', 'entity.create().component.add("Selfish") return {}');
    await writeProject('components/Ping.lua', 'entity.create().component.add("Pong") return {}');
    await writeProject('components/Pong.lua', 'require("ring") return {}');
    await writeProject('ring.lua', 'entity.create().component.has("Ping") return {}');
    for (const name of ['Selfish', 'Ping']) {
      const error = await failureOf(`entity.create().component.add("${name}")`);
      expect(error.message).to.match(
        new RegExp(`the file of the component "${name}" cannot be read while it`),
      );
    }
    const { lines } = await runScene('print(pcall(require, "components.Selfish"))');
    expect(lines[0]).to.match(/^false\t.*the file of the component "Selfish" cannot be read while it/);
  });

  it('call their onFrame before those that ship, whichever was added first', async () => {
    const { lines } = await runScene(
      `local terrainMesh = require("~terrainSystem.modules.terrainMesh")
      local tex = terrain.to_texture(terrain.noise { width = 64, height = 64, size = { 200, 200 } })
      local ground = entity.create("ground")
      local frames = 0
      component.define("Flight", { onFrame = function() frames = frames + 1 camera.main().position = { frames * 80 - 160, 10, 0 } end })
      ground.component.add("Terrain", { texture = tex, maxNodes = 64, lodFactor = 0.7 })
      ground.component.add("Flight")
      scene.onUpdate(function() if frames > 0 then print(terrainMesh.followCamera(ground.id).changed) end end)`,
      { frames: 3 },
    );
    expect(lines).to.deep.equal(['false', 'false']);
  });

  it('make no part any more once they go', async () => {
    const { lines } = await runScene(`
      component.define("Late", { onRemove = function(self) print(select(2, pcall(self.make, self, "Light"))) end })
      local e = entity.create("e")
      e.component.add("Late")
      e.component.remove("Late")
      print(table.concat(e.component.list(), " "))`);
    expect(lines[0]).to.match(/Late:make: this Late was removed from the entity "e"/);
    expect(lines[1]).to.equal('Transform');
  });

  it('are forgotten where adding them fails', async () => {
    await runScene(
      `component.define("Bad", { onAdd = function() error("no") end })
      component.define("Slow", { onAdd = function() end })
      local e = entity.create("e")
      for _ = 1, 50 do pcall(e.component.add, "Bad") end
      pcall(table.sort, { 1, 2 }, function(a, b) e.component.add("Slow") return a < b end)
      scene.play()
      for _ = 1, 50 do pcall(e.component.add, "Bad") end`,
      { look: ({ lua }) => void expect(lua.components).to.equal(0) },
    );
  });

  it('put a field back where its onChange fails', async () => {
    const { lines } = await runScene(`
      component.define("Picky", { fields = { n = 1 }, onChange = function(self) if self.n > 3 then error("too much", 0) end end })
      local p = entity.create().component.add("Picky")
      p.n = 2
      print(pcall(function() p.n = 5 end))
      print(p.n)`);
    expect(lines[0]).to.match(/^false\t.*too much/);
    expect(lines.at(-1)).to.equal('2.0');
  });

  it('put a field back also where it could not be set to that any more', async () => {
    const { lines } = await runScene(`
      component.define("Frame", { fields = { picture = { type = "texture" } }, onChange = function(self) if self.picture == "bad" then error("no picture", 0) end end })
      local tex = texture.create { width = 1, height = 1, format = "r8", data = { 0 } }
      local frame = entity.create().component.add("Frame", { picture = tex })
      tex:destroy()
      print((select(2, pcall(function() frame.picture = "bad" end))))
      print(frame.picture == tex)`);
    expect(lines[0]).to.match(/no picture/);
    expect(lines.at(-1)).to.equal('true');
  });

  it('hold nothing after 10,000 of them came and went, in edit and in play', async function () {
    this.timeout(60_000);
    await runScene(
      `component.define("Mote", { fields = { n = 0 }, onFrame = function() end, onUpdate = function() end })
      local e = entity.create("e")
      for i = 1, 5000 do e.component.add("Mote", { n = i }) e.component.remove("Mote") end
      scene.play()
      for i = 1, 2500 do e.component.add("Mote") e.component.remove("Mote") end
      for i = 1, 2500 do local f = entity.create("f") f.component.add("Mote") f:destroy() end`,
      {
        look: ({ lua }) => void expect(lua.components).to.equal(0),
      },
    );
  });
});
