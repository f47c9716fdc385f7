import { expect } from 'chai';
import fc from 'fast-check';
import { viewOf } from '../../runtime/renderer/view.js';
import {
  exactLevel,
  LEVEL_SPACING,
  Screen,
  sphereOf,
  steadyLevel,
} from '../../runtime/tessellation/adaptive.js';
import { World } from '../../runtime/world/world.js';
import { vec3 } from '../../runtime/world/vector.js';
import { runScene } from '../support/lua.js';

const HEIGHT = 1000;

/** A camera at the origin that looks along −Z. */
function screenOf(fields: Record<string, unknown> = {}): Screen {
  const world = new World();
  const eye = world.createEntity('eye');
  world.addComponent(eye, 'Camera', fields);
  return new Screen(viewOf(eye, 1.5, null), HEIGHT);
}

const CLIFF = `
  e = entity.create("cliff")
  e.component.add("Model", { mesh = renderer.mesh.plane { width = 4, depth = 4 } })
  e.rotation = { 90, 0, 0 }
  eye = camera.main() eye.rotation = { 0, 0, 0 }
  tess = entity.find("cliff").component.add("Tessellation", {
    mode = "adaptive",
    level = 5,
    screenError = 8,
  })
  report = function() print(tess:getActiveLevel(), tess:getTriangleCount(), tess:getStatus()) end
`;

describe('adaptive levels', () => {
  it('measure a sphere by the camera’s own projection', () => {
    // Its silhouette: the tangent cone's half angle has the sine r / d.
    const perspective = screenOf({ fov: 90 });
    const radius = perspective.radius({ center: vec3(0, 0, -10), radius: 6 });
    expect(radius).to.be.closeTo((6 / 8) * (HEIGHT / 2), 1e-9);
    const parallel = screenOf({ orthographic: true, height: 40 });
    for (const z of [-1, -10, -1000])
      expect(parallel.radius({ center: vec3(0, 0, z), radius: 6 })).to.be.closeTo(
        (6 / 20) * (HEIGHT / 2),
        1e-9,
      );
  });

  it('see nothing behind or beside the frame, and everything from within', () => {
    for (const fields of [{ fov: 60 }, { orthographic: true, height: 10 }]) {
      const screen = screenOf(fields);
      expect(screen.radius({ center: vec3(0, 0, 10), radius: 2 })).to.equal(0);
      for (const side of [-1, 1]) {
        expect(screen.radius({ center: vec3(side * 30, 0, -10), radius: 2 })).to.equal(0);
        expect(screen.radius({ center: vec3(0, side * 30, -10), radius: 2 })).to.equal(0);
        // A part of it reaches in.
        expect(screen.radius({ center: vec3(side * 30, 0, -10), radius: 28 })).to.be.above(0);
      }
    }
    expect(screenOf().radius({ center: vec3(0, 0, 1), radius: 2 })).to.equal(Infinity);
  });

  it('ask for the level whose micro-triangles have the asked edge', () => {
    // Triangles with sides of 64 pixels: at edges of 8 pixels that is level 3.
    const area = (Math.sqrt(3) / 4) * 64 * 64;
    const radius = Math.sqrt((100 * area) / Math.PI);
    expect(exactLevel(radius, 100, 8)).to.be.closeTo(3, 1e-9);
    expect(exactLevel(radius, 100, 4)).to.be.closeTo(4, 1e-9);
    expect(exactLevel(radius, 400, 8)).to.be.closeTo(2, 1e-9);
    for (const edge of [0, -3]) expect(steadyLevel(exactLevel(radius, 100, edge), 4, 6)).to.equal(0);
    expect(steadyLevel(exactLevel(Infinity, 100, 8), null, 5)).to.equal(5);
    expect(steadyLevel(exactLevel(0, 100, 8), 3, 5)).to.equal(0);
  });

  it('never pass the ceiling, and stay where they are unless half a level past the middle of the band', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -3, max: 9, noNaN: true }),
        fc.option(fc.integer({ min: 0, max: 6 }), { nil: null }),
        fc.integer({ min: 0, max: 6 }),
        (exact, active, ceiling) => {
          const level = steadyLevel(exact, active, ceiling);
          expect(level).to.be.within(0, ceiling);
          // Asked again at the same place nothing changes, nor a quarter of a level to either side.
          for (const shift of [0, 0.24, -0.24])
            expect(steadyLevel(exact + shift, steadyLevel(exact, null, ceiling), ceiling)).to.equal(
              steadyLevel(exact, null, ceiling),
            );
        },
      ),
    );
    // On the border of 2 and 3 whichever is active holds.
    for (const active of [2, 3])
      for (const exact of [2.3, 2.5, 2.7]) expect(steadyLevel(exact, active, 6)).to.equal(active);
    expect(steadyLevel(2.76, 2, 6)).to.equal(3);
    expect(steadyLevel(2.24, 3, 6)).to.equal(2);
  });

  it('put a sphere around a box wherever a matrix carries it', () => {
    const world = new World();
    const pose = { position: [1, 2, 3], rotation: [30, 40, 50], scale: [2, -1, 5] };
    const { worldMatrix: m } = world.createEntity('box', pose);
    const box = { min: vec3(-1, 0, 2), max: vec3(2, 3, 3) };
    const { center, radius } = sphereOf(box, m);
    let farthest = 0;
    for (let corner = 0; corner < 8; corner++) {
      const [x, y, z] = [corner & 1 ? -1 : 2, corner & 2 ? 0 : 3, corner & 4 ? 2 : 3];
      const place = [0, 1, 2].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row]);
      farthest = Math.max(
        farthest,
        Math.hypot(place[0] - center.x, place[1] - center.y, place[2] - center.z),
      );
    }
    expect(radius).to.be.closeTo(farthest, 1e-9);
  });

  it('rise as the camera comes nearer and fall as it goes, one bake at a time, at a bounded rate', async () => {
    const { lines } = await runScene(
      `${CLIFF}
       scene.onUpdate(function(dt)
         t = (t or 0) + dt
         local back = t < 1.5 and 400 * 0.01 ^ t or 0.4 * 100 ^ (t - 1.5)
         eye.position = { 0, 0, back }
         report()
       end)`,
      { frames: 181 },
    );
    const levels = lines.slice(1).map((line) => Number(line.split('\t')[0]));
    lines.slice(1).forEach((line) => {
      const [level, triangles, status] = line.split('\t');
      expect(Number(triangles)).to.equal(2 * 4 ** Number(level));
      expect(status).to.equal('ok');
    });
    expect(levels[0]).to.equal(0);
    const top = Math.max(...levels);
    // At 0.4 m the camera is within the sphere.
    expect(top).to.equal(5);
    const peak = levels.indexOf(top);
    levels.forEach((level, i) => {
      if (i > 0 && i <= peak) expect(level).to.be.at.least(levels[i - 1]);
      if (i > peak) expect(level).to.be.at.most(levels[i - 1]);
    });
    expect(levels.at(-1)).to.equal(0);
  });

  it('hold one level on a border, where a camera trembles', async () => {
    await runScene(CLIFF, {
      look: async ({ runtime }) => {
        const { mainCamera } = runtime.world;
        const tess = runtime.world.find('cliff')!.components.get('Tessellation')!;
        const seen = new Set<unknown>();
        let bakes = 0;
        // The picture is 36 pixels high: at 8 m the level is 0.5, in the middle of the band.
        for (let i = 0; i < 120; i++) {
          mainCamera.position = [0, 0, 8 * 2 ** (0.2 * Math.sin(i * 1.7))];
          await runtime.frame(1 / 10);
          if (i === 0) bakes = runtime.tessellation.stats().bakes;
          seen.add(tess.get('activeLevel'));
        }
        expect(seen.size).to.equal(1);
        expect(runtime.tessellation.stats().bakes).to.equal(bakes);
      },
    });
  });

  it('re-bake at a bounded rate where the camera races through all levels', async () => {
    await runScene(`${CLIFF} tess.screenError = 0.2`, {
      look: async ({ runtime }) => {
        const { mainCamera } = runtime.world;
        mainCamera.position = [0, 0, 3];
        await runtime.frame(0);
        const times: number[] = [];
        let { bakes } = runtime.tessellation.stats();
        for (let i = 0; i < 120; i++) {
          mainCamera.position = [0, 0, i % 2 === 0 ? 3000 : 3];
          await runtime.frame(1 / 60);
          if (runtime.tessellation.stats().bakes > bakes) times.push(runtime.time);
          ({ bakes } = runtime.tessellation.stats());
        }
        expect(times.length).to.be.above(5);
        for (let k = 1; k < times.length; k++)
          expect(times[k] - times[k - 1]).to.be.at.least(LEVEL_SPACING - 1e-9);
      },
    });
  });

  it('keep to the ceiling at once, drop out of the frame to 0 and come back, and follow an orthographic camera', async () => {
    await runScene(`${CLIFF} tess.screenError = 0.2`, {
      look: async ({ runtime }) => {
        const { world } = runtime;
        const { mainCamera } = world;
        const tess = world.find('cliff')!.components.get('Tessellation')!;
        const levelAfter = async (seconds: number) => {
          await runtime.frame(seconds);
          return tess.get('activeLevel');
        };
        mainCamera.position = [0, 0, 3];
        expect(await levelAfter(1)).to.equal(5);
        tess.set('level', 3);
        expect(await levelAfter(0)).to.equal(3);
        tess.set('level', 4.7);
        expect(await levelAfter(1)).to.equal(4);
        mainCamera.rotation = [0, 180, 0];
        expect(await levelAfter(1)).to.equal(0);
        mainCamera.rotation = [0, 0, 0];
        expect(await levelAfter(1)).to.equal(4);
        tess.set('screenError', 0);
        expect(await levelAfter(1)).to.equal(0);
        tess.set('screenError', -1);
        expect(await levelAfter(1)).to.equal(0);
        tess.set('screenError', 1);
        const camera = mainCamera.components.get('Camera')!;
        camera.set('orthographic', true);
        // 36 pixels over 6 m: a disc of 2.83 m radius is 17 pixels in radius, two patches of 32 pixels' sides: level 5.
        const at = async (height: number, error: number, z: number) => {
          camera.set('height', height);
          tess.set('screenError', error);
          mainCamera.position = [0, 0, z];
          return levelAfter(1);
        };
        tess.set('level', 6);
        expect(await at(6, 1, 5)).to.equal(5);
        expect(await at(6, 1, 500)).to.equal(5);
        expect(await at(12, 1, 500)).to.equal(4);
        expect(await at(6, 4, 5)).to.equal(3);
      },
    });
  });

  it('count displacement into what is on screen', async () => {
    await runScene(
      `white = texture.create { width = 1, height = 1, format = "r8", data = { 255 } }
       e = entity.create("cliff", { position = { 0, -20, -10 } })
       e.component.add("Model", { mesh = renderer.mesh.plane {}, material = renderer.material.create { displacementMap = white } })
       camera.main().position = { 0, 0, 0 } camera.main().rotation = { 0, 0, 0 }
       tess = e.component.add("Tessellation", { mode = "adaptive", level = 2, screenError = 0.1, displacementScale = 0 })`,
      {
        frames: 1,
        look: async ({ runtime }) => {
          const tess = runtime.world.find('cliff')!.components.get('Tessellation')!;
          expect(tess.get('activeLevel')).to.equal(0);
          expect(runtime.stats().passes.forward.triangles).to.equal(0);
          tess.set('displacementScale', 20);
          await runtime.frame(1);
          await runtime.frame(1);
          expect(tess.get('activeLevel')).to.equal(2);
          expect(runtime.stats().passes.forward.triangles).to.equal(32);
        },
      },
    );
  });
});
