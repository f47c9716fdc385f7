// Physics as scripts have it.
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { failureOf, runFixture, runScene, sharedRuntime } from '../support/lua.js';

describe('physics in Lua', function () {
  this.timeout(60_000);

  it('runs the fixture: rays in edit, bodies in play, a hole, an edit, back after stop', async () => {
    await runFixture('physics.lua', { frames: 2 });
    const { physics } = await sharedRuntime();
    expect(physics.stats()).to.include({ components: 0, grounds: 0, bodies: 0, colliders: 0 });
  });

  it('steps bodies in each frame of play, after the components and before what follows', async () => {
    const { lines } = await runScene(
      `
      local ball = entity.create("ball", { position = { 0, 10, 0 } })
      ball.component.add("RigidBody")
      ball.component.add("Collider", { shape = "sphere" })
      scene.onUpdate(function() print(ball.position.y < 10) end)
      scene.play()`,
      { frames: 3 },
    );
    expect(lines).to.deep.equal(['false', 'true', 'true']);
  });

  it('takes bodies that go inside a callback, and a body whose own onUpdate removes it', async () => {
    await runScene(
      `
      component.define("Fuse", {
        fields = { frames = { type = "integer", default = 2 } },
        onUpdate = function(self)
          self.frames = self.frames - 1
          if self.frames == 0 then self.entity.component.remove("RigidBody") end
          if self.frames == -1 then self.entity:destroy() end
        end,
      })
      local floor = entity.create("floor")
      floor.component.add("Collider", { size = { 50, 1, 50 } })
      for i = 1, 20 do
        local e = entity.create("e", { position = { i, 3, 0 } })
        e.component.add("RigidBody")
        e.component.add("Collider", { shape = "capsule" })
        e.component.add("Fuse", { frames = i % 3 + 1 })
      end
      scene.onUpdate(function() local e = entity.find("e") if e then e:destroy() end end)
      scene.play()`,
      {
        frames: 12,
        look: ({ runtime }) =>
          void expect(runtime.physics.stats()).to.include({ components: 1, bodies: 0, colliders: 1 }),
      },
    );
  });

  it('has a Terrain solid: rays from the start, bodies in play, until its collider is switched off or it goes', async () => {
    await runScene(`
      local down = { 0, -1, 0 }
      local land = entity.create("land", { position = { 0, 0, 0 } })
      local ground = terrain.to_texture(terrain.noise { width = 64, height = 64, size = { 128, 128 }, amplitude = 3, seed = 2 })
      local component = land.component.add("Terrain", { texture = ground })
      local hf = component:heightfield()
      local hit = physics.raycast { origin = { 3, 90, 4 }, direction = down }
      assert(hit.entity == land and hit.point.y == hf:heightAt(3, 4))
      local ball = entity.create("ball", { position = { 3, 20, 4 } })
      ball.component.add("RigidBody")
      ball.component.add("Collider", { shape = "sphere" })
      scene.play()
      physics.step(6)
      local at = ball.position
      assert(math.abs(at.y - hf:heightAt(at.x, at.z) - 0.5) < 0.2, "it lies on the ground")
      component.collider = false
      assert(physics.raycast { origin = { 3, 90, 4 }, direction = down } == nil)
      physics.step(1)
      assert(ball.position.y < at.y - 3)
      scene.stop()
      assert(component.collider and physics.raycast { origin = { 3, 90, 4 }, direction = down }.entity == ball)
      ball:destroy()
      assert(physics.raycast { origin = { 3, 90, 4 }, direction = down }.entity == land)
      land.component.remove("Terrain")
      assert(physics.raycast { origin = { 3, 90, 4 }, direction = down } == nil)`);
  });

  it('takes a mesh as triangles where it stays and as its hull where it falls; a flat one cannot fall, and that is said once', async () => {
    await runScene(`
      local down = { 0, -1, 0 }
      local floor = entity.create("floor")
      floor.component.add("Model", { mesh = renderer.mesh.plane { width = 20, depth = 20, columns = 4, rows = 4 } })
      floor.component.add("Collider", { shape = "mesh" })
      local rock = entity.create("rock", { position = { 0, 3, 0 }, scale = { 2, 2, 2 } })
      rock.component.add("Collider", { shape = "mesh", mesh = renderer.mesh.box { size = { 1, 1, 1 } } })
      rock.component.add("RigidBody")
      local hit = physics.raycast { origin = { 5, 9, 5 }, direction = down }
      assert(hit.entity == floor and math.abs(hit.point.y) < 1e-6 and hit.normal.y > 0.999)
      assert(math.abs(physics.raycast { origin = { 0.9, 9, 0.9 }, direction = down }.point.y - 4) < 1e-5)
      scene.play()
      physics.step(2)
      assert(math.abs(rock.position.y - 1) < 2e-3, rock.position.y)
      local sheet = entity.create("sheet", { position = { 6, 3, 0 } })
      sheet.component.add("Collider", { shape = "mesh", mesh = floor.component.get("Model").mesh })
      sheet.component.add("RigidBody")
      local fine, message = pcall(physics.step, 0.1)
      assert(not fine and message:find('the mesh of the entity "sheet" (' .. sheet.id .. ") must have a volume", 1, true), message)
      physics.step(0.1)
      assert(sheet.position.y < 3)
      scene.stop()
      -- A mesh that changes under its guid, and one that goes.
      renderer.mesh.destroy(floor.component.get("Model").mesh)
      assert(physics.raycast { origin = { 5, 9, 5 }, direction = down } == nil)`);
  });

  it('is saved and loaded with the scene, whatever the shape', async () => {
    await runScene(`
      for i, fields in ipairs { { size = { 1, 2, 3 } }, { shape = "sphere", radius = 2 }, { shape = "capsule", height = 3, friction = 0.1 } } do
        local e = entity.create("e" .. i, { position = { 5 * i, 9, 0 } })
        e.component.add("Collider", fields)
        e.component.add("RigidBody", { kind = i == 3 and "kinematic" or "dynamic", velocity = i == 1 and { 0, 1, 0 } or nil })
      end
      scene.save("bodies.scene")
      scene.load("bodies.scene")
      local first, third = entity.find("e1"), entity.find("e3")
      assert(first.component.get("Collider").size.z == 3 and first.component.get("RigidBody").velocity.y == 1)
      assert(third.component.get("Collider").radius == nil and third.component.get("Collider").height == 3)
      assert(math.abs(physics.raycast { origin = { 10, 20, 0 }, direction = { 0, -1, 0 } }.distance - 9) < 1e-5)
      scene.play()
      physics.step(0.5)
      assert(first.position.y < 9 and third.position.y == 9)
      scene.stop()
      assert(first.position.y == 9)
      for i = 1, 3 do entity.find("e" .. i):destroy() end`);
  });

  it('says at the script’s line what is wrong', async () => {
    const say = async (line: string) => (await failureOf(`\n${line}`, { name: 'scene.lua' })).message;
    expect(await say('physics.raycast { origin = { 0, 0, 0 } }')).to.include(
      'scene.lua:2: physics.raycast: direction is missing',
    );
    expect(await say('physics.raycast { origin = { 0, 0, 0 }, direction = { 0, 0, 0 } }')).to.include(
      'scene.lua:2: physics.raycast: direction must be longer than 0',
    );
    expect(await say('physics.raycast { from = 1 }')).to.include('there is no field "from"');
    expect(await say('physics.step(0.1)')).to.include('scene.lua:2: physics.step: nothing moves in edit');
    expect(await say('entity.create("e").component.add("RigidBody", { kind = "dynamik" })')).to.include(
      'kind must be one of "dynamic", "fixed", "kinematic", got "dynamik"',
    );
    expect(
      await say('entity.create("e").component.add("Collider", { shape = "sphere", size = { 1, 1, 1 } })'),
    ).to.include('a sphere has no size; its measures are radius');
  });

  it('does not load the engine for a ray in a scene without bodies or colliders, nor when the package is imported', () => {
    // A process of its own: here other specs have loaded it.
    const script = `
      import { Physics } from './runtime/physics/physics.ts';
      import { rapierIfLoaded } from './runtime/physics/rapier.ts';
      import { World } from './runtime/world/world.ts';
      import { fieldOf } from './spec/support/fields.ts';
      await import('./bindings/moonscape.ts');
      const world = new World();
      const physics = new Physics(world, { has: () => false, get: () => undefined });
      const hf = fieldOf({ texels: [8, 8], texel: [1, 1], origin: [0, 0], seed: 1 });
      physics.addGround(world.createEntity('ground').id, hf);
      const ray = { origin: [0.2, 99, 0], direction: [0.001, -1, 0] };
      const hit = physics.raycast(ray);
      physics.begin();
      await physics.step(1);
      console.log(hit !== null, physics.ready, rapierIfLoaded() === null);
      world.addComponent(world.createEntity('box', { position: [0, 50, 0] }), 'Collider', {});
      let refused = '';
      try { physics.raycast(ray); } catch (error) { refused = error.message; }
      console.log(physics.ready, rapierIfLoaded() === null, refused);
      await physics.prepare();
      console.log(physics.raycast(ray).entity.name, rapierIfLoaded() !== null);`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', './scripts/register.mjs', '--input-type=module', '-e', script],
      { encoding: 'utf8' },
    );
    expect(stderr).to.equal('');
    expect(stdout.trim().split('\n')).to.deep.equal([
      'true true true',
      'false true physics.raycast: the physics engine is not loaded yet; await physics.prepare() first',
      'box true',
    ]);
  });
});
