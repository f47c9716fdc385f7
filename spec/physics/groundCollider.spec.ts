// The tiles that bodies rest on: against heightAt and rays over the same texels, and under bodies that slide over their seams.
import { expect } from 'chai';
import type { World } from '@dimforge/rapier3d-compat';
import { buildGroundTiles, GroundTiles, TILE_CELLS } from '../../runtime/physics/groundCollider.js';
import { loadRapier, type Rapier } from '../../runtime/physics/rapier.js';
import { castGroundRay } from '../../runtime/terrain/groundRay.js';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { Texture } from '../../runtime/texture/texture.js';
import { fieldOf, randomFrom, slopeAround, TEXELS } from '../support/fields.js';

/** An exactly vertical ray may miss a mesh on its lines; this much sideways a metre cures it. */
const TILT = 1e-6;
/** Metres over the expected ground that a ray starts, and two of those that it goes. */
const ABOVE = 2;
/** m/s: what a box that slides over level ground may move up or down. */
const MOST_BUMP = 0.01;

const GRAVITY = { x: 0, y: -9.81, z: 0 };

let rapier: Rapier;
before(async () => {
  rapier = await loadRapier();
});

/** Heights by a ray from a little over the ground, in the Rapier world's own coordinates; null where nothing is met. */
function probe(world: World, origin: { x: number; z: number }, x: number, y: number, z: number) {
  const top = Math.fround(y + ABOVE);
  const from = { x: x - origin.x, y: top, z: z - origin.z };
  const hit = world.castRay(new rapier.Ray(from, { x: TILT, y: -1, z: TILT / 3 }), 2 * ABOVE, false);
  return hit ? top - hit.timeOfImpact : null;
}

const level = (width: number, height: number, options: { size?: [number, number]; holes?: Texture } = {}) =>
  Heightfield.fromTexture(Texture.create({ width, height, format: 'rgba32f', data: () => [0, 0, 0, 1] }), {
    size: [width, height],
    ...options,
  });

describe('groundCollider', function () {
  this.timeout(120_000);

  it('holds the surface that heightAt answers and rays meet, at random places, lines, centres and rims', () => {
    let [points, worst] = [0, 0];
    for (const texels of [...TEXELS, [40, 56]] as [number, number][]) {
      for (const [texel, origin] of [
        [
          [1, 1],
          [0, 0],
        ],
        [
          [0.5, 0.5],
          [1e5, -1e5],
        ],
        [
          [2, 7.3],
          [1e6, 17],
        ],
      ] as [[number, number], [number, number]][]) {
        const hf = fieldOf({ texels, texel, origin, seed: 7 });
        const zero = { x: origin[0], y: 0, z: origin[1] };
        const world = new rapier.World(GRAVITY);
        const tiles = buildGroundTiles(rapier, world, hf, { origin: zero });
        world.step();
        const random = randomFrom(11);
        const along = (min: number, max: number, step: number, count: number) => {
          const kind = random();
          const place =
            kind < 0.6
              ? min + (max - min) * random()
              : kind < 0.9
                ? min + step * (Math.floor(random() * count) + 0.5)
                : kind < 0.95
                  ? min
                  : max;
          // A ray on the very edge in singles may stand past it.
          return Math.min(Math.max(place, min + 1e-4 * step), max - 1e-4 * step);
        };
        // A place in singles is off by half a unit, on ground of this slope; coordinates are at most half the field's side.
        const unit = 2 ** -24 * Math.max(hf.size.width, hf.size.depth, 16);
        for (let k = 0; k < 2500; k++) {
          const x = along(hf.minX, hf.maxX, hf.texelX, texels[0]);
          const z = along(hf.minZ, hf.maxZ, hf.texelZ, texels[1]);
          const y = hf.heightAt(x, z);
          const met = probe(world, zero, x, y, z);
          const allowed = (4 * unit + 2 * TILT * ABOVE) * (1 + slopeAround(hf, x, z));
          const facts = `${texels.join(' × ')} at ${x}, ${z}: ${met} against ${y}`;
          expect(met, facts).to.not.equal(null);
          expect(Math.abs(met! - y), facts).to.be.at.most(allowed);
          worst = Math.max(worst, Math.abs(met! - y) / (1 + slopeAround(hf, x, z)));
          const ray = castGroundRay(hf, { x, y: y + ABOVE, z }, { x: 0, y: -1, z: 0 });
          expect(ray?.point.y).to.equal(y);
          points++;
        }
        tiles.free();
        world.free();
        hf.close();
      }
    }
    expect(points).to.be.at.least(50_000);
    expect(worst).to.be.lessThan(1e-4);
  });

  it('is cut at exactly the cells that have no ground: 11 × 11 places over each cell', () => {
    const random = randomFrom(4);
    const [width, height] = [19, 13];
    for (const mask of [
      (i: number, j: number) => (i === 9 && j === 6 ? 0 : 1),
      (i: number, j: number) => (i === 0 || j === height - 1 ? 0 : 1),
      () => (random() < 0.4 ? 0 : 1),
    ]) {
      const holes = Texture.create({ width, height, format: 'r8', data: (i, j) => [mask(i, j)] });
      const hf = fieldOf(
        { texels: [width, height], texel: [1.3, 0.7], origin: [2e5, 0], seed: 5 },
        { holes },
      );
      const zero = { x: 2e5, y: 0, z: 0 };
      const world = new rapier.World(GRAVITY);
      const tiles = buildGroundTiles(rapier, world, hf, { origin: zero });
      world.step();
      let [solid, cut] = [0, 0];
      for (let j = -1; j < height; j++) {
        for (let i = -1; i < width; i++) {
          const ground = hf.cellHasGround(i, j);
          for (let k = 0; k < 121; k++) {
            const within = (cell: number, step: number, min: number, side: number, texels: number) => {
              // The strips along the rim are half a cell.
              const [from, to] = [Math.max(cell, -0.5), Math.min(cell + 1, texels - 0.5)];
              return min + (from + 0.5 + (to - from) * (1e-3 + (step / 10) * (1 - 2e-3))) * side;
            };
            const x = within(i, k % 11, hf.minX, hf.texelX, width);
            const z = within(j, Math.floor(k / 11), hf.minZ, hf.texelZ, height);
            expect(hf.hasGroundAt(x, z)).to.equal(ground);
            const met = probe(world, zero, x, hf.heightAt(x, z), z);
            expect(met !== null, `cell ${i}, ${j}, step ${k}`).to.equal(ground);
            if (ground) solid++;
            else cut++;
          }
        }
      }
      expect(Math.min(solid, cut)).to.be.at.least(121);
      tiles.free();
      expect(world.colliders.len()).to.equal(0);
      world.free();
      hf.close();
    }
  });

  describe('under what slides', () => {
    const shapes = {
      box: (r: Rapier, size: number) => r.ColliderDesc.cuboid(size / 2, size / 2, size / 2),
      ball: (r: Rapier, size: number) => r.ColliderDesc.ball(size / 2),
      capsule: (r: Rapier, size: number) => r.ColliderDesc.capsule(size / 4, size / 4),
      cylinder: (r: Rapier, size: number) => r.ColliderDesc.cylinder(size / 2, size / 2),
      hull: (r: Rapier, size: number) =>
        r.ColliderDesc.convexHull(
          Float32Array.from(
            [-1, -1, -1, 1, -1, -1, 1, -1, 1, -1, -1, 1, 0, 1, 0],
            (part) => (part * size) / 2,
          ),
        )!,
    };
    const side = 6 * TILE_CELLS;
    // A diagonal wall of holes beside the way, so that tiles are partly cut where bodies slide.
    const ragged = () =>
      Texture.create({
        width: side,
        height: side,
        format: 'r8',
        data: (i, j) => [(i * 7 + j * 3) % 11 === 0 && Math.abs(j - side / 2) > 4 ? 0 : 1],
      });

    for (const [name, shape] of Object.entries(shapes)) {
      it(`a ${name} moves up or down by less than ${MOST_BUMP} m/s, over seams and beside holes`, () => {
        let seams = 0;
        for (const holes of [undefined, ragged()]) {
          const hf = level(side, side, { holes });
          const world = new rapier.World(GRAVITY);
          const tiles = buildGroundTiles(rapier, world, hf);
          const random = randomFrom(3);
          for (let slide = 0; slide < 40; slide++) {
            const angle = holes ? 0.06 * (random() - 0.5) + (slide % 2) * Math.PI : 2 * Math.PI * random();
            const speed = 2 + 8 * random();
            const size = [0.5, 1, 2][slide % 3];
            const turn = holes ? 0 : angle / 2;
            const body = world.createRigidBody(
              rapier.RigidBodyDesc.dynamic()
                .setTranslation(random(), size / 2 + 0.001, random() - 0.5)
                .setRotation({ x: 0, y: Math.sin(turn), z: 0, w: Math.cos(turn) })
                .setLinvel(speed * Math.cos(angle), 0, speed * Math.sin(angle))
                .lockRotations(),
            );
            const slick = shape(rapier, size)
              .setFriction(0)
              .setFrictionCombineRule(rapier.CoefficientCombineRule.Min);
            world.createCollider(slick, body);
            let tile = 0;
            for (let step = 0; step < 300; step++) {
              world.step();
              const at = body.translation();
              if (Math.max(Math.abs(at.x), Math.abs(at.z)) > side / 2 - 2) break;
              const now = Math.floor(at.x / TILE_CELLS);
              if (step > 10) {
                if (now !== tile) seams++;
                expect(Math.abs(body.linvel().y), `slide ${slide}, step ${step}`).to.be.lessThan(MOST_BUMP);
              }
              tile = now;
            }
            world.removeRigidBody(body);
          }
          tiles.free();
          world.free();
          hf.close();
        }
        expect(seams).to.be.greaterThan(60);
      });
    }
  });

  it('builds what is asked for, once, and again only the tiles that hold an edited texel', () => {
    const hf = level(2048, 2048);
    const world = new rapier.World(GRAVITY);
    const tiles = new GroundTiles(rapier, world, hf);
    const place = tiles.tilesIn({ minX: -20, minZ: -20, maxX: 20, maxZ: 20 });
    const built = tiles.acquire(place);
    expect(built).to.equal(tiles.count);
    expect(built).to.be.within(25, 36);
    expect(tiles.acquire(place)).to.equal(0);
    hf.setHeights(1024, 1024, 1, 1, [3]);
    const holding = tiles.tilesOf({ col: 1024, row: 1024, cols: 1, rows: 1 });
    tiles.rebuild(holding);
    expect(tiles.stats.rebuilt).to.be.within(1, 4);
    // Nobody uses the tiles there.
    const before = tiles.stats.rebuilt;
    tiles.rebuild(tiles.tilesOf({ col: 5, row: 5, cols: 30, rows: 30 }));
    expect(tiles.stats.rebuilt).to.equal(before);
    world.step();
    const [x, z] = [hf.minX + 1024.5, hf.minZ + 1024.5];
    expect(probe(world, { x: 0, z: 0 }, x, 3, z)).to.be.closeTo(3, 1e-5);
    tiles.release(place);
    expect(tiles.count).to.equal(built);
    tiles.release(place);
    expect([tiles.count, world.colliders.len()]).to.deep.equal([0, 0]);
    expect(tiles.acquire(tiles.tilesIn({ minX: 5000, minZ: 0, maxX: 6000, maxZ: 10 }))).to.equal(0);
    world.free();
    hf.close();
  });

  it('has every texel in the tiles that tilesOf names, and no cell outside those that tilesIn names', () => {
    const hf = fieldOf({ texels: [37, 21], texel: [1.3, 0.7], origin: [-1e5, 40], seed: 2 });
    const world = new rapier.World(GRAVITY);
    const tiles = new GroundTiles(rapier, world, hf);
    const random = randomFrom(6);
    for (let k = 0; k < 3000; k++) {
      const [col, row] = [Math.floor(random() * 37), Math.floor(random() * 21)];
      const around = {
        minX: hf.minX + (col - 0.49) * hf.texelX,
        maxX: hf.minX + (col + 1.49) * hf.texelX,
        minZ: hf.minZ + (row - 0.49) * hf.texelZ,
        maxZ: hf.minZ + (row + 1.49) * hf.texelZ,
      };
      expect(tiles.tilesOf({ col, row, cols: 1, rows: 1 })).to.deep.equal(tiles.tilesIn(around));
    }
    expect(tiles.acquire(tiles.tilesIn(hf))).to.equal(
      Math.ceil(38 / TILE_CELLS) * Math.ceil(22 / TILE_CELLS),
    );
    tiles.free();
    world.free();
    hf.close();
  });
});
