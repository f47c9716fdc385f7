import { expect } from 'chai';
import fc from 'fast-check';
import { frameBounds } from '../../runtime/world/framing.js';
import { composeMatrix, ONE, vec3, type Bounds } from '../../runtime/world/vector.js';
import { World } from '../../runtime/world/world.js';

/** Where the corners of a box fall in the picture: x and y in -1..1, and the depth in metres. */
function corners({ min, max }: Bounds, pose: ReturnType<typeof frameBounds>, fov: number, aspect: number) {
  const m = composeMatrix(pose.position, pose.rotation, ONE);
  const tan = Math.tan((fov * Math.PI) / 360);
  return Array.from({ length: 8 }, (_, i) => {
    const p = [i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z];
    const local = [0, 1, 2].map((column) =>
      p.reduce((sum, value, row) => sum + (value - m[12 + row]) * m[column * 4 + row], 0),
    );
    return { x: local[0] / (-local[2] * tan * aspect), y: local[1] / (-local[2] * tan), depth: -local[2] };
  });
}

describe('framing', () => {
  it('holds every corner of any box in the picture, and touches an edge of its reach', () => {
    const side = fc.double({ min: 0.5, max: 5000, noNaN: true });
    const place = fc.double({ min: -1e5, max: 1e5, noNaN: true });
    fc.assert(
      fc.property(
        fc.tuple(side, side, side),
        fc.tuple(place, place, place),
        fc.double({ min: 20, max: 100, noNaN: true }),
        fc.double({ min: 0.3, max: 4, noNaN: true }),
        (sides, middle, fov, aspect) => {
          const low = middle.map((value, i) => value - sides[i] / 2);
          const high = middle.map((value, i) => value + sides[i] / 2);
          const bounds = { min: vec3(low[0], low[1], low[2]), max: vec3(high[0], high[1], high[2]) };
          const seen = corners(bounds, frameBounds(bounds, { fov, aspect, near: 0.1 }), fov, aspect);
          for (const { x, y, depth } of seen) {
            expect(Math.abs(x)).to.be.at.most(0.95);
            expect(y).to.be.within(-0.93, 0.43);
            expect(depth).to.be.above(0.1);
          }
          const xs = seen.map(({ x }) => x);
          const ys = seen.map(({ y }) => y);
          const fills = [
            Math.max(...xs) / 0.94,
            -Math.min(...xs) / 0.94,
            Math.max(...ys) / 0.42,
            -Math.min(...ys) / 0.92,
          ];
          const nearest = Math.min(...seen.map(({ depth }) => depth));
          expect(Math.max(...fills) > 0.98 || nearest < 0.11).to.equal(true);
        },
      ),
    );
  });

  it('the on-screen camera follows the world’s models until a script moves it', () => {
    const bounds = { min: vec3(-1, 0, -1), max: vec3(1, 1, 1) };
    const world = new World({ meshes: { has: () => true, boundsOf: () => bounds } });
    const camera = world.mainCamera;
    expect(camera.name).to.equal('camera');
    expect(world.getComponent(camera, 'Camera')!.get('fov')).to.equal(60);
    expect(world.bounds()).to.equal(null);
    const hill = world.createEntity('hill', { scale: [100, 50, 100] });
    world.addComponent(hill, 'Model', { mesh: 'm' });
    expect(world.bounds()).to.deep.equal({ min: vec3(-100, 0, -100), max: vec3(100, 50, 100) });
    const far = camera.position;
    expect(far.x > 0 && far.y > 50 && far.z > 100).to.equal(true);
    hill.scale = [1000, 500, 1000];
    expect(camera.position.z).to.be.above(far.z * 5);
    camera.position = [1, 2, 3];
    hill.scale = ONE;
    expect(camera.position).to.deep.equal(vec3(1, 2, 3));
  });
});
