import { expect } from 'chai';
import fc from 'fast-check';
import { sees, viewOf, type View } from '../../runtime/renderer/view.js';
import { vec3, type Bounds } from '../../runtime/world/vector.js';
import { World } from '../../runtime/world/world.js';

type Clip = readonly [x: number, y: number, z: number, w: number];

/** A place in world metres as the view's own matrix puts it on the picture. */
function clipOf({ viewProjection: m, position }: View, x: number, y: number, z: number): Clip {
  const p = [x - position.x, y - position.y, z - position.z, 1];
  return [0, 1, 2, 3].map((row) =>
    p.reduce((sum, part, column) => sum + part * m[column * 4 + row], 0),
  ) as never;
}

/** How far inside each side of the picture, and past the near plane, a clip place is; below 0 is outside. */
const insides = ([x, y, z, w]: Clip) => [w - x, w + x, w - y, w + y, w - z];

const axis = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const triple = (most: number) => fc.tuple(axis(-most, most), axis(-most, most), axis(-most, most));
const scene = fc.record({
  position: triple(50),
  rotation: triple(180),
  fov: axis(20, 110),
  orthographic: fc.boolean(),
  height: axis(1, 60),
  aspect: axis(0.4, 2.5),
  middle: triple(60),
  sides: fc.oneof(...[3, 60].map((most) => fc.tuple(axis(0.1, most), axis(0.1, most), axis(0.1, most)))),
});

function viewed(work: (view: View, bounds: Bounds) => void, runs: number): void {
  fc.assert(
    fc.property(scene, ({ position, rotation, fov, orthographic, height, aspect, middle, sides }) => {
      const world = new World();
      const camera = world.mainCamera;
      camera.position = position;
      camera.rotation = rotation;
      const settings = world.getComponent(camera, 'Camera')!;
      for (const [name, value] of Object.entries({ fov, orthographic, height, near: 0.5 }))
        settings.set(name, value);
      const [x, y, z] = middle;
      const [a, b, c] = sides.map((side) => side / 2);
      const bounds = { min: vec3(x - a, y - b, z - c), max: vec3(x + a, y + b, z + c) };
      work(viewOf(camera, aspect, bounds), bounds);
    }),
    { numRuns: runs },
  );
}

/** Places of a box, corners included, `steps` a side. */
function* places({ min, max }: Bounds, steps: number) {
  for (let i = 0; i <= steps; i++)
    for (let j = 0; j <= steps; j++)
      for (let k = 0; k <= steps; k++)
        yield [
          min.x + ((max.x - min.x) * i) / steps,
          min.y + ((max.y - min.y) * j) / steps,
          min.z + ((max.z - min.z) * k) / steps,
        ] as const;
}

describe('view', () => {
  it('sees every box that has a place in the picture, and none that lies past one of its sides', () => {
    const near = 1e-3;
    let [shown, past] = [0, 0];
    viewed((view, bounds) => {
      const clips = [...places(bounds, 5)].map((place) => insides(clipOf(view, ...place)));
      const corners = [...places(bounds, 1)].map((place) => insides(clipOf(view, ...place)));
      if (clips.some((sides) => sides.every((inside) => inside > near))) {
        shown++;
        expect(sees(view, bounds), 'a box in the picture').to.equal(true);
      }
      if ([0, 1, 2, 3, 4].some((side) => corners.every((sides) => sides[side] < -near))) {
        past++;
        expect(sees(view, bounds), 'a box past a side').to.equal(false);
      }
    }, 1500);
    expect(Math.min(shown, past)).to.be.above(100);
  });

  it('keeps all of the world before its far plane, nearer things deeper', () =>
    viewed((view, bounds) => {
      const clips = [...places(bounds, 1)].map((place) => clipOf(view, ...place));
      // Reversed Z: 1 at the near plane, 0 as far as anything can be.
      for (const [, , z, w] of clips) {
        if (insides([0, 0, z, w])[4] < 0) continue;
        expect(z / w).to.be.within(0, 1 + 1e-6);
      }
      const ahead = (metres: number) => {
        const { position, forward } = view;
        const [, , z, w] = clipOf(
          view,
          position.x + forward.x * metres,
          position.y + forward.y * metres,
          position.z + forward.z * metres,
        );
        return z / w;
      };
      expect(ahead(view.near)).to.be.closeTo(1, 1e-4);
      expect(ahead(2)).to.be.above(ahead(3));
    }, 200));
});
