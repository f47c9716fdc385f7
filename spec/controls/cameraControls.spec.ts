// The on-screen camera under a person's hands in a real world: when the controls take it, what scripts may still do with it, and the ray
// through a pixel, judged by the matrix that the picture is drawn with and by the ground that it meets.
import { expect } from 'chai';
import { viewOf } from '../../runtime/renderer/view.js';
import type { InputEvent, PointerInput } from '../../runtime/input/events.js';
import type { Runtime } from '../../runtime/runtime.js';
import { failureOf, runScene } from '../support/lua.js';

const HILLS = `
  local ground = terrain.noise { width = 64, height = 64, size = { 640, 640 }, amplitude = 40, seed = 3 }
  entity.create("hills").component.add("Terrain", { texture = terrain.to_texture(ground) })
`;

const mouse = (type: PointerInput['type'], x: number, y: number): InputEvent => ({
  ...{ type, id: 1, pointer: 'mouse', x, y, button: 'mouseLeft' },
});

/** A left drag across the picture, and the frames until all is still. */
async function dragged(runtime: Runtime, dx: number, dy: number): Promise<void> {
  runtime.input.feed(mouse('down', 32, 18));
  for (let i = 1; i <= 4; i++) runtime.input.feed({ ...mouse('move', 32 + (dx * i) / 4, 18 + (dy * i) / 4) });
  runtime.input.feed(mouse('up', 32 + dx, 18 + dy));
  for (let i = 0; i < 240; i++) await runtime.update(1 / 60);
}

const pose = (runtime: Runtime) => Array.from(runtime.world.mainCamera.worldMatrix);

describe('camera.setControls', () => {
  it('leaves the camera alone until a person does something', async () => {
    await runScene(`${HILLS} camera.setControls("orbit")`, {
      look: async ({ runtime }) => {
        const before = pose(runtime);
        for (let i = 0; i < 3; i++) await runtime.update(1 / 60);
        expect(pose(runtime)).to.deep.equal(before);
        expect([runtime.controls.moving, runtime.world.mainCamera.moved]).to.deep.equal([false, false]);
        await dragged(runtime, 6, 0);
        expect(pose(runtime)).to.not.deep.equal(before);
        expect(runtime.controls.moving, 'still again').to.equal(false);
      },
    });
  });

  it('does nothing of itself: without it events move no camera, and a scene that ends takes it along', async () => {
    const { runtime } = await runScene(`${HILLS} camera.setControls("fly") print(camera.getControls())`);
    expect(runtime.controls.style).to.equal('none');
    const before = pose(runtime);
    await dragged(runtime, 6, 0);
    expect(pose(runtime)).to.deep.equal(before);
  });

  for (const style of ['orbit', 'fly', 'map'])
    it(`${style}: goes on from where a script put the camera`, async () => {
      await runScene(`${HILLS} camera.setControls("${style}")`, {
        look: async ({ runtime }) => {
          await dragged(runtime, 3, 2);
          const { mainCamera } = runtime.world;
          mainCamera.position = [10, 300, 40];
          mainCamera.rotation = [-60, 0, 0];
          const before = pose(runtime);
          await runtime.update(1 / 60);
          expect(pose(runtime), 'left where it was put').to.deep.equal(before);
          await dragged(runtime, 0.001, 0);
          pose(runtime).forEach((value, i) => expect(value).to.be.closeTo(before[i], 0.05));
        },
      });
    });

  it('moves a camera that hangs under a turned and scaled parent as any other', async () => {
    const orbit = (parent: string) =>
      runScene(`${HILLS} local c = camera.main() ${parent} camera.setControls("orbit")`, {
        look: async ({ runtime }) => {
          const { mainCamera } = runtime.world;
          mainCamera.setWorldPose(
            { x: 0, y: 200, z: 300 },
            { x: -Math.sin(0.3), y: 0, z: 0, w: Math.cos(0.3) },
          );
          await dragged(runtime, 5, 3);
          places.push(pose(runtime).slice(12, 15));
        },
      });
    const places: number[][] = [];
    await orbit('');
    await orbit(
      'c.parent = entity.create("arm", { position = { 5, 6, 7 }, rotation = { 20, 70, 10 }, scale = { 2, 2, 2 } })',
    );
    places[0].forEach((value, i) => expect(value).to.be.closeTo(places[1][i], 1e-6));
  });

  it('shows the whole world again by F', async () => {
    await runScene(`${HILLS} camera.setControls("map")`, {
      look: async ({ runtime }) => {
        const before = pose(runtime);
        await dragged(runtime, 8, 3);
        expect(pose(runtime)).to.not.deep.equal(before);
        runtime.input.feed({ type: 'keydown', key: 'f' });
        runtime.input.feed({ type: 'keyup', key: 'f' });
        await runtime.update(1 / 60);
        expect(pose(runtime)).to.deep.equal(before);
      },
    });
  });

  it('takes a shortcut with Ctrl for none of its keys', async () => {
    await runScene(`${HILLS} camera.setControls("fly")`, {
      look: async ({ runtime }) => {
        const before = pose(runtime);
        runtime.input.feed({ type: 'keydown', key: 'w', ctrl: true });
        for (let i = 0; i < 5; i++) await runtime.update(1 / 60);
        expect(pose(runtime)).to.deep.equal(before);
        expect(runtime.controls.moving).to.equal(false);
      },
    });
  });

  it('goes on where the ground under it is closed', async () => {
    await runScene(`${HILLS} camera.setControls("map")`, {
      look: async ({ runtime }) => {
        await dragged(runtime, 3, 2);
        runtime.world.find('hills')!.destroy();
        await dragged(runtime, 3, 2);
      },
    });
  });

  it('refuses a style that there is not', async () => {
    const error = await failureOf('camera.setControls("drone")');
    expect(error.message).to.match(
      /camera\.setControls: style must be one of "none", "orbit", "fly", "map", got "drone"/,
    );
  });
});

describe('camera.pick', () => {
  it('answers the ray whose every point is drawn at the pixel', async () => {
    for (const lens of [
      '',
      'local c = camera.main().component.get("Camera") c.orthographic = true c.height = 300',
    ])
      await runScene(`${HILLS} ${lens}`, {
        look: ({ runtime }) => {
          const { width, height } = runtime.size;
          const view = viewOf(runtime.world.mainCamera, width / height, null);
          for (const [x, y] of [
            [0.5, 0.5],
            [32, 18],
            [60.25, 3],
            [-20, 50],
          ]) {
            const { origin, direction } = runtime.pick(x, y);
            expect(Math.hypot(direction.x, direction.y, direction.z)).to.be.closeTo(1, 1e-12);
            for (const t of [1, 50, 4000]) {
              const place = [
                origin.x + direction.x * t,
                origin.y + direction.y * t,
                origin.z + direction.z * t,
              ];
              const from = [
                place[0] - view.position.x,
                place[1] - view.position.y,
                place[2] - view.position.z,
                1,
              ];
              const row = (r: number) =>
                from.reduce((sum, v, k) => sum + v * view.viewProjection[k * 4 + r], 0);
              expect((row(0) / row(3) / 2 + 0.5) * width).to.be.closeTo(x, 0.01);
              expect((0.5 - row(1) / row(3) / 2) * height).to.be.closeTo(y, 0.01);
            }
          }
        },
      });
  });

  it('meets the ground that a script asks for by physics.raycast', async () => {
    const { lines } = await runScene(`${HILLS}
      local hf = entity.find("hills").component.get("Terrain"):heightfield()
      local hit = physics.raycast(camera.pick(32, 16))
      print(hit.entity.name, math.abs(hit.point.y - hf:heightAt(hit.point.x, hit.point.z)) < 1e-6)
      print(physics.raycast(camera.pick(32, 0)))`);
    expect(lines).to.deep.equal(['hills\ttrue', 'nil']);
  });

  it('refuses what is no pixel', async () => {
    expect((await failureOf('camera.pick(0 / 0, 1)')).message).to.match(
      /camera\.pick: px must be a finite number/,
    );
    expect((await failureOf('camera.pick(1)')).message).to.match(
      /camera\.pick: py must be a finite number, got nothing/,
    );
  });
});

describe('input in scripts', () => {
  it('is what happened since the last frame, in every callback of a frame', async () => {
    const { lines } = await runScene(
      `scene.onUpdate(function()
        local p = input.pointer()
        print(input.isDown("w"), input.wasPressed("w"), input.wasReleased("mouseLeft"), input.axis("s", "w"),
          input.wheel(), p.x, p.y, p.dx, p.dy, #input.touches())
      end)`,
      {
        look: async ({ runtime }) => {
          const { input } = runtime;
          input.feed({ type: 'blur' });
          input.feed(mouse('move', 10, 12));
          input.begin();
          input.feed({ type: 'keydown', key: 'w' });
          input.feed(mouse('down', 10, 12));
          input.feed({ type: 'wheel', x: 10, y: 12, turn: -1 });
          await runtime.update(0.1);
          input.feed(mouse('up', 13, 14));
          input.feed({ type: 'down', id: 9, pointer: 'touch', x: 5, y: 6 });
          await runtime.update(0.1);
          input.feed({ type: 'blur' });
          await runtime.update(0.1);
        },
      },
    );
    expect(lines).to.deep.equal([
      'true\ttrue\tfalse\t1\t-1.0\t10.0\t12.0\t0.0\t0.0\t0',
      'true\tfalse\ttrue\t1\t0.0\t5.0\t6.0\t3.0\t2.0\t1',
      'false\tfalse\ttrue\t0\t0.0\t5.0\t6.0\t0.0\t0.0\t0',
    ]);
  });

  it('refuses a name that there is not, and says which is near', async () => {
    const error = await failureOf('\ninput.isDown("sapce")');
    expect(error.message).to.match(
      /^scene\.lua:2: input\.isDown: there is no key "sapce" \(did you mean "space"\?\)/,
    );
    expect((await failureOf('input.axis("a")')).message).to.match(
      /input\.axis: positive must be a string, got nothing/,
    );
  });
});
