// Bodies, colliders and rays of a world, without a device: what falls, what it rests on, what moves with what, what goes.
import { expect } from 'chai';
import { Physics } from '../../runtime/physics/physics.js';
import { loadRapier } from '../../runtime/physics/rapier.js';
import type { MeshLookup } from '../../runtime/physics/meshTriangles.js';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { Texture } from '../../runtime/texture/texture.js';
import type { Entity, EntityOptions } from '../../runtime/world/entity.js';
import { axesOfTurn, frameOf, turnOfAxes } from '../../runtime/world/rotation.js';
import { World } from '../../runtime/world/world.js';
import { memoryBytes } from '../support/engineMemory.js';
import { fieldOf, randomFrom } from '../support/fields.js';

/** Metres: what the engine lets a resting body sink in or stand off (its allowed error is 1 mm), and no more. */
const RESTS = 1.5e-3;
const TICK = 1 / 60;
/** Metres that a body falls in its first step, which the engine takes in four parts: g t² (1 + 2 + 3 + 4) / 4². */
const FIRST_FALL = (9.81 * TICK * TICK * 10) / 16;

const noMeshes = { has: () => false, get: () => undefined } as unknown as MeshLookup;

before(() => loadRapier());

class Scene {
  readonly world = new World();
  readonly physics = new Physics(this.world, noMeshes);

  add(
    options: EntityOptions,
    body: Record<string, unknown> | null,
    collider?: Record<string, unknown>,
  ): Entity {
    const entity = this.world.createEntity('thing', options);
    if (body) this.world.addComponent(entity, 'RigidBody', body);
    if (collider) this.world.addComponent(entity, 'Collider', collider);
    return entity;
  }

  ground(hf: Heightfield): Entity {
    const entity = this.world.createEntity('ground');
    this.physics.addGround(entity.id, hf);
    return entity;
  }

  run(seconds: number): void {
    for (let k = 0; k < Math.round(seconds / TICK); k++) void this.physics.step(TICK);
  }
}

const level = (side: number, options: Record<string, unknown> = {}) =>
  Heightfield.fromTexture(
    Texture.create({ width: side, height: side, format: 'rgba32f', data: () => [0, 0, 0, 1] }),
    { size: [side, side], ...options },
  );

const velocityOf = (entity: Entity) =>
  entity.components.get('RigidBody')!.get('velocity') as { x: number; y: number; z: number };

describe('physics', function () {
  this.timeout(60_000);

  describe('bodies', () => {
    it('fall as things fall, in play only, and rest on ground within what the engine allows', () => {
      const scene = new Scene();
      const hf = level(64);
      scene.ground(hf);
      const ball = scene.add({ position: [1, 5, 2] }, {}, { shape: 'sphere', radius: 0.5 });
      scene.run(1);
      expect(ball.position).to.deep.equal({ x: 1, y: 5, z: 2 });
      scene.physics.begin();
      scene.run(0.5);
      expect(ball.position.y).to.be.closeTo(5 - (9.81 / 2) * 0.25, 0.05);
      expect(velocityOf(ball).y).to.be.closeTo(-9.81 / 2, 0.01);
      scene.run(3);
      expect(ball.position.y).to.be.closeTo(0.5, RESTS);
      expect(scene.physics.stats().tiles).to.be.within(1, 4);
      scene.physics.end();
      expect(scene.physics.stats()).to.include({ bodies: 0, colliders: 0 });
      expect(velocityOf(ball)).to.deep.equal({ x: 0, y: 0, z: 0 });
      hf.close();
    });

    it('rest as well 1e6 m away as at zero, on oblong slopes, each kind of shape', () => {
      for (const origin of [
        [0, 0],
        [1e6, -1e6],
      ] as [number, number][]) {
        const scene = new Scene();
        const hf = fieldOf({ texels: [40, 60], texel: [1.5, 0.7], origin, seed: 3 });
        hf.setHeights(
          0,
          0,
          40,
          60,
          Float32Array.from({ length: 2400 }, (_, k) => 100 + 0.02 * (k % 40)),
        );
        scene.ground(hf);
        const shapes = [
          { shape: 'box', size: [1, 1, 1] },
          { shape: 'sphere' },
          { shape: 'capsule', height: 1.2, radius: 0.3 },
          { shape: 'cylinder', height: 1, radius: 0.5 },
        ];
        const bodies = shapes.map((shape, k) =>
          scene.add(
            { position: [origin[0] - 6 + 3 * k, 103, origin[1] + k] },
            { lockRotation: true, angularDamping: 1 },
            { friction: 1, ...shape },
          ),
        );
        scene.physics.begin();
        scene.run(4);
        bodies.forEach((body, k) => {
          const { x, y, z } = body.position;
          const half = [0.5, 0.5, 0.6, 0.5][k];
          // The ground under the middle is lower than where a flat side touches, by the slope over its half width.
          expect(y - half - hf.heightAt(x, z), `${shapes[k].shape} at ${x}, ${z}`).to.be.within(
            -RESTS,
            0.01 + RESTS,
          );
        });
        hf.close();
        scene.physics.destroy();
      }
    });

    it('lie on the new surface after an edit under them, asleep or not: lowered, raised, far more than they are high', () => {
      const scene = new Scene();
      const hf = level(64);
      scene.ground(hf);
      const boxes = [-10, 0, 10].map((x) => scene.add({ position: [x, 0.5, 0] }, {}, { shape: 'box' }));
      scene.physics.begin();
      scene.run(5);
      const before = boxes.map(({ position }) => position);
      scene.run(1);
      // Asleep: nothing about them moves at all.
      expect(boxes.map(({ position }) => position)).to.deep.equal(before);
      const built = scene.physics.stats().rebuilt;
      for (const [x, height] of [
        [-10, -3],
        [0, 0.2],
        [10, 5],
      ]) {
        const size = 6;
        hf.setHeights(32 + x - 3, 32 - 3, size, size, new Float32Array(size * size).fill(height));
      }
      expect(scene.physics.stats().rebuilt).to.be.within(built + 3, built + 12);
      scene.run(4);
      expect(boxes[0].position.y).to.be.closeTo(-2.5, RESTS);
      expect(boxes[1].position.y).to.be.closeTo(0.7, RESTS);
      expect(boxes[2].position.y).to.be.closeTo(5.5, RESTS);
      hf.close();
    });

    it('that fell and came to rest again within one long step are where they lie', () => {
      const scene = new Scene();
      const hf = level(32);
      scene.ground(hf);
      const box = scene.add({ position: [0, 2, 0] }, {}, {});
      scene.physics.begin();
      void scene.physics.step(4);
      expect(box.position.y).to.be.closeTo(0.5, RESTS);
      hf.setHeights(0, 0, 32, 32, new Float32Array(1024).fill(-1));
      void scene.physics.step(4);
      expect(box.position.y).to.be.closeTo(-0.5, RESTS);
      hf.close();
    });

    it('build ground again only where a texel of theirs was edited: one texel of 2048² is four tiles at most', () => {
      const scene = new Scene();
      const hf = level(2048);
      scene.ground(hf);
      const box = scene.add({ position: [3, 0.5, 3] }, {}, { shape: 'box', size: [30, 1, 30] });
      scene.physics.begin();
      scene.run(3);
      const { tiles } = scene.physics.stats();
      expect(tiles).to.be.within(16, 64);
      hf.setHeights(1024 + 4, 1024 + 4, 1, 1, [-0.5]);
      expect(scene.physics.stats().rebuilt).to.be.within(1, 4);
      hf.setHeights(10, 10, 20, 20, new Float32Array(400));
      expect(scene.physics.stats().rebuilt).to.be.within(1, 4);
      scene.run(1);
      expect(box.position.y).to.be.closeTo(0.5, RESTS);
      hf.close();
      expect(scene.physics.stats()).to.include({ grounds: 0, tiles: 0 });
    });

    it('fall through a hole that is wider than they are, and nowhere else', () => {
      const scene = new Scene();
      const side = 16;
      const holes = Texture.create({
        width: side,
        height: side,
        format: 'r8',
        data: (i, j) => [i === 8 && j === 8 ? 0 : 1],
      });
      const hf = level(side, { size: [2 * side, 2 * side], holes });
      scene.ground(hf);
      // The cell between texels 8 and 9: metres 1 to 3.
      const balls = [-1, 0, 1].flatMap((di) =>
        [-1, 0, 1].map((dj) => ({
          cut: di === 0 && dj === 0,
          ball: scene.add({ position: [2 + 2 * di, 3, 2 + 2 * dj] }, {}, { shape: 'sphere', radius: 0.6 }),
        })),
      );
      scene.physics.begin();
      scene.run(3);
      for (const { ball, cut } of balls) {
        if (cut) expect(ball.position.y).to.be.lessThan(-5);
        else expect(ball.position.y).to.be.closeTo(0.6, RESTS);
      }
      hf.close();
    });

    it('wake when the ground under them is taken away', () => {
      const scene = new Scene();
      const hf = level(32);
      const ground = scene.ground(hf);
      const ball = scene.add({ position: [0, 0.5, 0] }, {}, { shape: 'sphere' });
      scene.physics.begin();
      scene.run(5);
      expect(ball.position.y).to.be.closeTo(0.5, RESTS);
      scene.world.destroy(ground);
      scene.run(1);
      expect(ball.position.y).to.be.lessThan(-3);
      hf.close();
    });

    it('have the same fate to the bit in play after play, whatever the frames before', () => {
      const scene = new Scene();
      const hf = fieldOf({ texels: [64, 64], texel: [1, 1], origin: [0, 0], seed: 8 });
      scene.ground(hf);
      const random = randomFrom(1);
      const bodies = Array.from({ length: 20 }, (_, k) =>
        scene.add(
          {
            position: [20 * random() - 10, 12 + k, 20 * random() - 10],
            rotation: [90 * random(), 0, 90 * random()],
          },
          { velocity: [random(), 0, random()] },
          k % 2 ? { shape: 'box' } : { shape: 'capsule', height: 1.5, radius: 0.4 },
        ),
      );
      const poses = bodies.map(({ position, rotation }) => ({ position, rotation }));
      const play = (frames: number) => {
        scene.physics.begin();
        for (let k = 0; k < frames; k++) void scene.physics.step(k % 3 ? TICK : 0.05);
        const fate = bodies.map(({ position, rotation }) => ({ position, rotation }));
        scene.physics.end();
        bodies.forEach((body, k) => Object.assign(body, poses[k]));
        return fate;
      };
      const fate = play(200);
      play(37);
      expect(play(200)).to.deep.equal(fate);
      expect(fate.some(({ position }, k) => position.y < poses[k].position.y - 5)).to.equal(true);
      hf.close();
    });

    it('move in even steps of at most 1/60 s, however long a frame is', () => {
      const drop = (frames: number[]) => {
        const scene = new Scene();
        const ball = scene.add({ position: [0, 100, 0] }, { linearDamping: 0.1 }, { shape: 'sphere' });
        scene.physics.begin();
        for (const dt of frames) void scene.physics.step(dt);
        scene.physics.destroy();
        return ball.position.y;
      };
      expect(drop([0.5])).to.equal(drop(new Array<number>(30).fill(TICK)));
      expect(drop([0.5])).to.equal(drop([0.25, 0, 0.25]));
      expect(drop([1.01 / 60])).to.not.equal(drop([1 / 60]));
    });
  });

  describe('entities and bodies', () => {
    it('a script that moves a body, sets its velocity, or moves a kinematic one is followed', () => {
      const scene = new Scene();
      const floor = scene.add({ position: [0, -0.5, 0] }, null, {
        shape: 'box',
        size: [40, 1, 40],
        friction: 1,
      });
      const box = scene.add({ position: [0, 0.5, 0] }, {}, { shape: 'box' });
      const lift = scene.add(
        { position: [8, -0.4, 0] },
        { kind: 'kinematic' },
        { shape: 'box', size: [2, 1, 2] },
      );
      const rider = scene.add({ position: [8, 0.6, 0] }, {}, { shape: 'box' });
      scene.physics.begin();
      scene.run(1);
      box.position = [3, 4, 3];
      scene.run(TICK);
      expect(box.position.y).to.be.closeTo(4, 0.01);
      const body = box.components.get('RigidBody')!;
      body.set('velocity', [0, 6, 0]);
      expect(velocityOf(box).y).to.equal(6);
      scene.run(0.25);
      expect(box.position.y).to.be.greaterThan(5);
      // A lift that rises at 1 m/s takes along what stands on it, and says how fast it goes.
      for (let k = 1; k <= 60; k++) {
        lift.position = [8, -0.4 + k / 60, 0];
        void scene.physics.step(TICK);
      }
      expect(velocityOf(lift).y).to.be.closeTo(1, 1e-3);
      expect(lift.position.y).to.be.closeTo(0.6, 1e-9);
      expect(rider.position.y).to.be.closeTo(1.6, 0.01);
      expect(floor.position.y).to.equal(-0.5);
    });

    it('scales and parents count: a ball of a scaled entity, a body under a turned and scaled parent', () => {
      const scene = new Scene();
      scene.add({ position: [0, -0.5, 0] }, null, { shape: 'box', size: [100, 1, 100] });
      const big = scene.add({ position: [0, 5, 0], scale: [3, 3, 3] }, {}, { shape: 'sphere', radius: 0.5 });
      const arm = scene.world.createEntity('arm', {
        position: [20, 2, 5],
        rotation: [10, 90, 20],
        scale: [2, 2, 2],
      });
      const hung = scene.add(
        { position: [1, 2, 3], parent: arm },
        {},
        { shape: 'box', offset: [0, 0.25, 0] },
      );
      const mirrored = scene.world.createEntity('mirror', { position: [-20, 3, 0], scale: [-1, 1, 1] });
      const inMirror = scene.add(
        { position: [1, 2, 3], rotation: [0, 30, 0], parent: mirrored },
        {},
        { shape: 'box' },
      );
      scene.physics.begin();
      const before = { hung: hung.worldPosition, mirror: inMirror.worldMatrix.slice() };
      scene.run(TICK);
      // What a step of falling changes and nothing else.
      expect(hung.worldPosition.x).to.be.closeTo(before.hung.x, 1e-5);
      expect(hung.worldPosition.y).to.be.closeTo(before.hung.y - FIRST_FALL, 1e-5);
      before.mirror[13] -= FIRST_FALL;
      inMirror.worldMatrix.forEach((part, k) => expect(part).to.be.closeTo(before.mirror[k], 1e-5));
      scene.run(4);
      expect(big.position.y).to.be.closeTo(1.5, RESTS);
      // A cube of 2 m that came to rest on a face.
      const { axes, stretch } = frameOf(hung.worldMatrix);
      expect(stretch[0].x).to.be.closeTo(2, 1e-9);
      expect(Math.max(...axes.map(({ y }) => Math.abs(y)))).to.be.closeTo(1, 1e-2);
    });

    it('a collider under a body is part of it; one that leaves stays behind', () => {
      const scene = new Scene();
      scene.add({ position: [0, -0.5, 0] }, null, { shape: 'box', size: [100, 1, 100] });
      const body = scene.add({ position: [0, 3, 0] }, { lockRotation: true }, { shape: 'box' });
      const foot = scene.add({ position: [0, -1.5, 0], parent: body }, null, {
        shape: 'sphere',
        radius: 0.5,
      });
      scene.physics.begin();
      scene.run(3);
      expect(body.position.y).to.be.closeTo(2, RESTS);
      expect(foot.worldPosition.y).to.be.closeTo(0.5, RESTS);
      expect(foot.position).to.deep.equal({ x: 0, y: -1.5, z: 0 });
      scene.world.removeComponent(foot, 'Collider');
      scene.run(2);
      expect(body.position.y).to.be.closeTo(0.5, RESTS);
    });

    it('mass is what it is told, or the volume as water; a body without colliders falls as well', () => {
      const scene = new Scene();
      const bare = scene.add({ position: [0, 100, 0] }, { mass: 3 });
      scene.physics.begin();
      scene.run(1);
      expect(bare.position.y).to.be.closeTo(100 - 9.81 / 2, 0.1);
      // Two that meet head on: the heavy one goes on.
      const pair = (masses: (number | null)[]) => {
        const other = new Scene();
        const bodies = masses.map((mass, k) =>
          other.add(
            { position: [k ? 1 : -1, 0, 0] },
            { gravityScale: 0, velocity: [k ? -1 : 1, 0, 0], ...(mass === null ? {} : { mass }) },
            { shape: 'sphere', radius: k ? 0.5 : 0.25, restitution: 1 },
          ),
        );
        other.physics.begin();
        other.run(2);
        return bodies.map((body) => velocityOf(body).x);
      };
      const [light, heavy] = pair([null, null]);
      expect([light < -1, heavy < 0]).to.deep.equal([true, true]);
      const [first, second] = pair([100, 1]);
      expect([first > 0, second > 1]).to.deep.equal([true, true]);
    });

    it('setWorldPose loses nothing: any turn and place comes back to a billionth, 1e6 m away, under turned, scaled and mirrored parents', () => {
      const world = new World();
      const random = randomFrom(2);
      const some = (reach: number) => [
        reach * (2 * random() - 1),
        reach * (2 * random() - 1),
        reach * (2 * random() - 1),
      ];
      for (let k = 0; k < 500; k++) {
        const parent = world.createEntity('parent', {
          position: some(1e6),
          rotation: some(180),
          scale: k % 3 ? [2, 2, 2] : [-1, 3, 3],
        });
        const entity = world.createEntity('child', {
          scale: some(3),
          rotation: some(180),
          parent: k % 2 ? parent : null,
        });
        const sides = frameOf(entity.worldMatrix).stretch.map(({ x, y, z }) => Math.hypot(x, y, z));
        const [x, y, z, w] = [random() - 0.5, random() - 0.5, random() - 0.5, random() - 0.5];
        const size = Math.hypot(x, y, z, w);
        const turn = { x: x / size, y: y / size, z: z / size, w: w / size };
        const [px, py, pz] = some(1e6);
        entity.setWorldPose({ x: px, y: py, z: pz }, turn);
        expect(entity.worldPosition.x).to.be.closeTo(px, 1e-8);
        expect(entity.worldPosition.z).to.be.closeTo(pz, 1e-8);
        // A parent of unequal sides shears what is turned under it; elsewhere the turn is the one that was given.
        if (k % 2 === 0 || k % 3) {
          const { axes, stretch } = frameOf(entity.worldMatrix);
          axesOfTurn(turn).forEach((axis, n) =>
            expect(
              Math.abs(axis.x - axes[n].x) + Math.abs(axis.y - axes[n].y) + Math.abs(axis.z - axes[n].z),
            ).to.be.lessThan(1e-9),
          );
          stretch.forEach((side, n) =>
            expect(Math.hypot(side.x, side.y, side.z)).to.be.closeTo(sides[n], 1e-9),
          );
          const back = turnOfAxes(axes);
          expect(
            Math.abs(back.x * turn.x + back.y * turn.y + back.z * turn.z + back.w * turn.w),
          ).to.be.closeTo(1, 1e-12);
        }
        // Degrees are read off it.
        const { rotation } = entity;
        const matrix = entity.worldMatrix.slice();
        entity.rotation = rotation;
        entity.worldMatrix.forEach((part, n) => expect(part).to.be.closeTo(matrix[n], 1e-8));
      }
    });
  });

  describe('rays', () => {
    const down = [0, -1, 0];

    it('meet the nearest of ground and colliders, in edit, before any step, after a move, and in play', () => {
      const scene = new Scene();
      const hf = fieldOf({ texels: [32, 32], texel: [1, 1], origin: [0, 0], seed: 4 });
      const ground = scene.ground(hf);
      const box = scene.add({ position: [4, 30, 4], rotation: [0, 45, 0], scale: [2, 1, 2] }, null, {
        shape: 'box',
      });
      const cast = (origin: number[], direction = down, maxDistance?: number) =>
        scene.physics.raycast({ origin, direction, ...(maxDistance === undefined ? {} : { maxDistance }) });
      const hit = cast([4.6, 100, 4.6])!;
      expect(hit.entity).to.equal(box);
      expect(hit.point.y).to.be.closeTo(30.5, 1e-5);
      expect(hit.normal.y).to.be.closeTo(1, 1e-6);
      expect(hit.distance).to.be.closeTo(69.5, 1e-5);
      expect(cast([4, 29, 4])!).to.deep.include({
        entity: ground,
        point: { x: 4, y: hf.heightAt(4, 4), z: 4 },
      });
      // A corner of the turned square, and just past it.
      expect(cast([4 + 1.41, 100, 4])!.entity).to.equal(box);
      expect(cast([4 + 1.42, 100, 4])!.entity).to.equal(ground);
      box.position = [-4, 30, -4];
      expect(cast([4, 100, 4])!.entity).to.equal(ground);
      expect(cast([-4, 100, -4])!.entity).to.equal(box);
      expect(cast([-4, 100, -4], [0, -1e-200, 0], 69)).to.equal(null);
      // Inside the box: it is not met, the ground under it is.
      expect(cast([-4, 30, -4])!.entity).to.equal(ground);
      expect(cast([100, 5, 100], [1, 0, 0])).to.equal(null);
      const ball = scene.add({ position: [0, 40, 0] }, {}, { shape: 'sphere' });
      expect(cast([0, 60, 0])!.entity).to.equal(ball);
      scene.physics.begin();
      scene.run(1);
      const fallen = ball.position.y;
      expect(cast([0, 60, 0])!.point.y).to.be.closeTo(fallen + 0.5, 1e-5);
      hf.close();
      expect(cast([4, 100, 4])).to.equal(null);
    });

    it('are as fine 1e6 m away: shapes judged by their own formulas', () => {
      const random = randomFrom(12);
      for (const far of [0, 1e6]) {
        const scene = new Scene();
        const centre = [far, 50, -far];
        const shapes = [
          { shape: 'sphere', radius: 0.7 },
          { shape: 'box', size: [1, 2, 3] },
          { shape: 'capsule', radius: 0.4, height: 2 },
        ];
        for (const shape of shapes) {
          const entity = scene.add({ position: centre, rotation: [20, 30, 40] }, null, shape);
          let met = 0;
          for (let k = 0; k < 300; k++) {
            const aim = centre.map((part) => part + 2 * (random() - 0.5));
            const origin = centre.map((part) => part + 400 * (random() - 0.5));
            const hit = scene.physics.raycast({ origin, direction: aim.map((part, n) => part - origin[n]) });
            if (!hit) continue;
            met++;
            // The place met, in the shape's own space, is on its surface.
            const { axes } = frameOf(entity.worldMatrix);
            const local = axes.map(
              ({ x, y, z }) =>
                x * (hit.point.x - centre[0]) + y * (hit.point.y - centre[1]) + z * (hit.point.z - centre[2]),
            );
            const [x, y, z] = local.map(Math.abs);
            const off =
              shape.shape === 'sphere'
                ? Math.hypot(x, y, z) - 0.7
                : shape.shape === 'box'
                  ? Math.max(x - 0.5, y - 1, z - 1.5)
                  : Math.hypot(x, Math.max(y - 0.6, 0), z) - 0.4;
            expect(Math.abs(off), shape.shape).to.be.lessThan(2e-6);
          }
          expect(met).to.be.greaterThan(30);
          scene.world.destroy(entity);
        }
        scene.physics.destroy();
      }
    });
  });

  describe('what comes and goes', () => {
    it('leaves no body behind, in edit and in play, and no memory of the engine', () => {
      const scene = new Scene();
      const hf = level(32);
      scene.ground(hf);
      const stay = scene.add({ position: [0, 0.5, 0] }, {}, { shape: 'box' });
      const cycle = (k: number) => {
        const body = scene.add({ position: [k % 7, 3, 2] }, {}, { shape: k % 2 ? 'box' : 'sphere' });
        if (k % 50 === 0) scene.physics.raycast({ origin: [k % 7, 9, 2], direction: [0, -1, 0] });
        if (k % 10 === 0) void scene.physics.step(TICK);
        if (k % 3 === 0) scene.world.removeComponent(body, 'Collider');
        if (k % 5 === 0) scene.world.removeComponent(body, 'RigidBody');
        scene.world.destroy(body);
      };
      for (let k = 0; k < 1000; k++) cycle(k);
      expect(scene.physics.stats()).to.include({ components: 2, bodies: 0 });
      scene.physics.begin();
      for (let k = 0; k < 2000; k++) cycle(k);
      scene.run(1);
      const settled = scene.physics.stats();
      expect(settled).to.include({ components: 2, bodies: 1 });
      const bytes = memoryBytes();
      expect(bytes).to.be.greaterThan(2 ** 20);
      for (let k = 0; k < 10_000; k++) cycle(k);
      scene.run(1);
      expect(scene.physics.stats()).to.deep.equal({ ...settled, built: scene.physics.stats().built });
      expect(memoryBytes()).to.equal(bytes);
      expect(stay.position.y).to.be.closeTo(0.5, RESTS);
      for (let k = 0; k < 200; k++) {
        scene.physics.end();
        scene.physics.begin();
        scene.run(2 * TICK);
      }
      expect(memoryBytes()).to.equal(bytes);
      scene.physics.destroy();
      hf.close();
    });

    it('a field that changes in play changes the body: kind, shape, mass, sensor', () => {
      const scene = new Scene();
      const floor = scene.add({ position: [0, -0.5, 0] }, null, { shape: 'box', size: [100, 1, 100] });
      const box = scene.add({ position: [0, 2, 0] }, { kind: 'fixed' }, { shape: 'box' });
      const body = box.components.get('RigidBody')!;
      const collider = box.components.get('Collider')!;
      scene.physics.begin();
      scene.run(1);
      expect(box.position.y).to.equal(2);
      body.set('kind', 'dynamic');
      scene.run(2);
      expect(box.position.y).to.be.closeTo(0.5, RESTS);
      collider.set('shape', 'sphere');
      collider.set('radius', 2);
      scene.run(2);
      expect(box.position.y).to.be.closeTo(2, 2 * RESTS);
      floor.components.get('Collider')!.set('sensor', true);
      body.set('mass', 5);
      scene.run(1);
      expect(box.position.y).to.be.lessThan(0);
      body.set('velocity', [0, 20, 0]);
      body.set('angularDamping', 0.5);
      expect(velocityOf(box).y).to.be.closeTo(20, 1e-5);
    });
  });

  describe('wrong input', () => {
    const refused = (name: string, values: Record<string, unknown>, message: string | RegExp) => {
      const scene = new Scene();
      const entity = scene.world.createEntity();
      expect(() => scene.world.addComponent(entity, name, values)).to.throw(message);
      expect([entity.components.has(name), scene.physics.stats().components]).to.deep.equal([false, 0]);
    };

    it('is refused by name, with what is allowed, and leaves nothing', () => {
      refused(
        'RigidBody',
        { kind: 'dynamc' },
        'kind must be one of "dynamic", "fixed", "kinematic", got "dynamc"',
      );
      refused(
        'RigidBody',
        { mass: -1 },
        'component.add("RigidBody"): mass must be a finite number above 0, got -1',
      );
      refused('RigidBody', { mass: NaN }, 'mass must be a finite number above 0, got NaN');
      refused('RigidBody', { velocity: [0, Infinity, 0] }, 'velocity.y must be a finite number');
      refused('RigidBody', { kind: 'fixed', velocity: [1, 0, 0] }, 'velocity cannot be set of a fixed body');
      refused('RigidBody', { mas: 1 }, 'there is no field "mas" (did you mean "mass"?)');
      refused('Collider', { shape: 'cube' }, 'shape must be one of "box", "sphere"');
      refused(
        'Collider',
        { shape: 'box', radius: 1 },
        'component.add("Collider"): a box has no radius; its measures are size',
      );
      refused(
        'Collider',
        { shape: 'sphere', size: [1, 1, 1] },
        'a sphere has no size; its measures are radius',
      );
      refused('Collider', { size: [1, 0, 1] }, 'size.y must be a finite number above 0, got 0');
      refused('Collider', { shape: 'sphere', radius: 0 }, 'radius must be a finite number above 0, got 0');
      refused('Collider', { restitution: 1.5 }, 'restitution must be a finite number in 0..1, got 1.5');
      refused('Collider', { friction: -0.1 }, 'friction must be a finite number of at least 0');
    });

    it('a field set later is checked as well; a change of shape lets go of the old one’s measures', () => {
      const scene = new Scene();
      const entity = scene.add({}, { kind: 'kinematic' }, { size: [1, 2, 3] });
      const collider = entity.components.get('Collider')!;
      expect(() => collider.set('radius', 2)).to.throw('Collider: a box has no radius');
      collider.set('shape', 'capsule');
      expect(collider.get('size')).to.equal(null);
      collider.set('radius', 2);
      expect(() => entity.components.get('RigidBody')!.set('velocity', [1, 0, 0])).to.throw(
        'RigidBody: velocity cannot be set of a kinematic body, which moves as its entity is moved',
      );
      const values = collider.toRecord();
      expect(() => new Scene().add({}, null, values)).to.not.throw();
    });

    it('of rays, steps and grounds is refused', () => {
      const { physics, world } = new Scene();
      const ray = (fields: object) => () => physics.raycast(fields as never);
      expect(ray({ origin: [0, 0, 0], direction: [0, 0, 0] })).to.throw(
        'physics.raycast: direction must be longer than 0',
      );
      expect(ray({ origin: [0, NaN, 0], direction: [0, 1, 0] })).to.throw('origin.y must be a finite number');
      expect(ray({ origin: [0, 0, 0] })).to.throw('direction must be a vector');
      expect(ray({ origin: [0, 0, 0], direction: [0, 1, 0], maxDistance: -1 })).to.throw(
        'maxDistance must be a finite number of at least 0',
      );
      expect(ray({ origin: [0, 0, 0], direction: [0, 1, 0], length: 1 })).to.throw(
        'there is no field "length"',
      );
      expect(() => physics.step(-1)).to.throw('physics.step: dt must be a finite number in 0..60, got -1');
      const hf = level(4);
      expect(() => physics.addGround(77, hf)).to.throw('terrainCollider.add: no entity has the id 77');
      const [a, b] = [world.createEntity('a'), world.createEntity('b')];
      physics.addGround(a.id, hf);
      physics.addGround(a.id, hf);
      expect(() => physics.addGround(b.id, hf)).to.throw(
        `this heightfield is the ground of the entity "a" (${a.id}) already`,
      );
      expect([physics.removeGround(a.id), physics.removeGround(a.id)]).to.deep.equal([true, false]);
      hf.close();
      expect(() => physics.addGround(a.id, hf)).to.throw('terrainCollider.add: this heightfield is closed');
    });
  });
});
