import { expect } from 'chai';
import fc from 'fast-check';
import type { Entity } from '../../runtime/world/entity.js';
import { axesOf, type Vec3 } from '../../runtime/world/vector.js';
import { World } from '../../runtime/world/world.js';

const point = ({ worldMatrix: m }: Entity, [x, y, z]: readonly number[]) =>
  [0, 1, 2].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row]);

const close = (got: readonly number[], want: readonly number[], tolerance: number) =>
  got.forEach((value, i) => expect(value).to.be.closeTo(want[i], tolerance));

describe('transform', () => {
  /** A few roundings of doubles on numbers of about 1. */
  const EXACT = 1e-12;

  it('turns about X, Y and Z in three.js’s order, scales first and moves last', () => {
    const world = new World();
    const entity = world.createEntity('e', {
      position: [10, 20, 30],
      rotation: [90, 0, 0],
      scale: [2, 3, 4],
    });
    close(point(entity, [1, 1, 1]), [12, 16, 33], EXACT * 100);
    entity.rotation = [0, 90, 0];
    close(point(entity, [1, 0, 0]), [10, 20, 28], EXACT * 100);
    // Rx · Ry: the turn about Y happens first.
    entity.rotation = [90, 90, 0];
    close(point(entity, [1, 0, 0]), [10, 22, 30], EXACT * 100);
  });

  it('hangs under a parent, mirrored and unequal ones too', () => {
    const world = new World();
    const parent = world.createEntity('p', { position: [5, 0, 0], scale: [-2, 1, 3], rotation: [0, 90, 0] });
    const child = world.createEntity('c', { position: [1, 2, 3], parent });
    close(point(child, [0, 0, 0]), [14, 2, 2], EXACT * 100);
    parent.position = [6, 0, 0];
    close(point(child, [0, 0, 0]), [15, 2, 2], EXACT * 100);
    child.parent = null;
    close(point(child, [0, 0, 0]), [1, 2, 3], EXACT);
  });

  it('keeps a millimetre a million metres out', () => {
    const world = new World();
    const parent = world.createEntity('p', { position: [1e6, 0, -1e6] });
    const child = world.createEntity('c', { position: [0.001, 0, 0.002], parent });
    close(point(child, [0, 0, 0]), [1e6 + 0.001, 0, -1e6 + 0.002], 1e-9);
  });

  it('looks down its own −Z at a point, whatever it hangs under, upright', () => {
    const coordinate = fc.double({ min: -100, max: 100, noNaN: true });
    const place = fc.tuple(coordinate, coordinate, coordinate);
    const angles = fc.tuple(coordinate, coordinate, coordinate);
    fc.assert(
      fc.property(place, place, place, angles, (from, to, parentPlace, parentTurn) => {
        const world = new World();
        const parent = world.createEntity('p', { position: parentPlace, rotation: parentTurn });
        const entity = world.createEntity('e', { position: from, parent });
        const { x, y, z } = entity.worldPosition;
        const way = [to[0] - x, to[1] - y, to[2] - z];
        const distance = Math.hypot(...way);
        fc.pre(distance > 1e-3 && Math.abs(way[1] / distance) < 0.9999);
        entity.lookAt(to);
        const [right, up, back]: Vec3[] = axesOf(entity.worldMatrix);
        close(
          [-back.x, -back.y, -back.z],
          way.map((part) => part / distance),
          1e-7,
        );
        expect(right.y).to.be.closeTo(0, 1e-7);
        expect(up.y).to.be.above(0);
      }),
    );
  });

  it('looks straight up and straight down, and refuses its own place', () => {
    const world = new World();
    const entity = world.createEntity('e');
    entity.lookAt([0, -5, 0]);
    close(point(entity, [0, 0, -1]), [0, -1, 0], EXACT);
    entity.lookAt({ x: 0, y: 5, z: 0 });
    close(point(entity, [0, 0, -1]), [0, 1, 0], EXACT);
    expect(() => entity.lookAt([0, 0, 0])).to.throw('another place than the entity’s own');
  });
});
