// Rays against ground, judged by two triangles a cell met one by one (Möller and Trumbore, 1997).
import { expect } from 'chai';
import fc from 'fast-check';
import type { Heightfield } from '../../runtime/terrain/heightfield.js';
import { castGroundRay } from '../../runtime/terrain/groundRay.js';
import { Texture } from '../../runtime/texture/texture.js';
import type { Vec3 } from '../../runtime/world/vector.js';
import { fieldFacts, fieldOf, randomFrom, TEXELS, type FieldFacts } from '../support/fields.js';

type Triangle = readonly [Vec3, Vec3, Vec3];

/** A share of a triangle's side: rounding may put a ray that passes a side this near on either side of it. */
const SIDE = 1e-9;
/** Metres, times 1 + the largest coordinate: what rounding may move a place by. */
const PLACE = 1e-11;

/** Metres before a hit from which it is judged again. */
const BACK = 1e-3;

const vec = (x: number, y: number, z: number): Vec3 => ({ x, y, z });
const sub = (a: Vec3, b: Vec3) => vec(a.x - b.x, a.y - b.y, a.z - b.z);
const dot = (a: Vec3, b: Vec3) => a.x * b.x + a.y * b.y + a.z * b.z;
const cross = (a: Vec3, b: Vec3) => vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
const unit = (a: Vec3) => {
  const length = Math.hypot(a.x, a.y, a.z);
  return vec(a.x / length, a.y / length, a.z / length);
};

/** Every triangle of a field's ground, the rim's half cells among them. */
function trianglesOf(hf: Heightfield): Triangle[] {
  const stop = (k: number, min: number, max: number, texel: number, texels: number) =>
    k < 0 ? min : k < texels ? min + (k + 0.5) * texel : max;
  const corner = (i: number, j: number) =>
    vec(
      stop(i, hf.minX, hf.maxX, hf.texelX, hf.width),
      hf.read(Math.min(Math.max(i, 0), hf.width - 1), Math.min(Math.max(j, 0), hf.height - 1))[0],
      stop(j, hf.minZ, hf.maxZ, hf.texelZ, hf.height),
    );
  const list: Triangle[] = [];
  for (let j = -1; j < hf.height; j++) {
    for (let i = -1; i < hf.width; i++) {
      if (!hf.cellHasGround(i, j)) continue;
      const [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1)];
      list.push([a, c, b], [b, c, d]);
    }
  }
  return list;
}

/** Distances of the triangles met, each grown (or shrunk, below 0) by `margin` of its sides; those met flatter than `steep` left out. */
function judge(list: Triangle[], origin: Vec3, direction: Vec3, margin: number, steep: number): number[] {
  const met: number[] = [];
  for (const [a, b, c] of list) {
    const [e1, e2] = [sub(b, a), sub(c, a)];
    const p = cross(direction, e2);
    const determinant = dot(e1, p);
    const area = Math.hypot(...Object.values(cross(e1, e2)));
    if (Math.abs(determinant) <= steep * area) continue;
    const s = sub(origin, a);
    const u = dot(s, p) / determinant;
    const q = cross(s, e1);
    const v = dot(direction, q) / determinant;
    if (u < -margin || v < -margin || u + v > 1 + margin) continue;
    const t = dot(e2, q) / determinant;
    if (t >= 0) met.push(t);
  }
  return met;
}

const holesOf = (facts: FieldFacts, share: number) => {
  const random = randomFrom(facts.seed + 1);
  return Texture.create({
    width: facts.texels[0],
    height: facts.texels[1],
    format: 'r8',
    data: () => [random() < share ? 0 : 1],
  });
};

/** A place over, in or beside a field: often exactly on a grid line, a rim or a corner. */
function placeOn(hf: Heightfield, random: () => number): Vec3 {
  const along = (min: number, max: number, texel: number, texels: number) => {
    const kind = random();
    if (kind < 0.5) return min + (max - min) * random();
    if (kind < 0.8) return min + (Math.floor(random() * texels) + 0.5) * texel;
    if (kind < 0.9) return random() < 0.5 ? min : max;
    return min + (max - min) * (2 * random() - 0.5);
  };
  const x = along(hf.minX, hf.maxX, hf.texelX, hf.width);
  const z = along(hf.minZ, hf.maxZ, hf.texelZ, hf.height);
  return vec(x, hf.heightAt(x, z), z);
}

describe('groundRay', function () {
  this.timeout(120_000);

  it('straight down and up is heightAt, bit for bit, where there is ground', () => {
    let [met, missed] = [0, 0];
    fc.assert(
      fc.property(fieldFacts, (facts) => {
        const hf = fieldOf(facts, { holes: holesOf(facts, 0.2) });
        const random = randomFrom(facts.seed);
        for (let k = 0; k < 400; k++) {
          const { x, y, z } = placeOn(hf, random);
          for (const [from, dy] of [
            [y + 100 * random(), -1],
            [y - 100 * random(), 1],
          ]) {
            const hit = castGroundRay(hf, vec(x, from, z), vec(0, dy, 0));
            if (hf.hasGroundAt(x, z)) {
              expect(hit?.point).to.deep.equal({ x, y, z });
              expect(hit!.distance).to.equal(Math.abs(from - y));
              expect(hit!.normal.y * -dy).to.be.greaterThan(0);
              met++;
            } else {
              expect(hit).to.equal(null);
              missed++;
            }
            expect(castGroundRay(hf, vec(x, from, z), vec(0, -dy, 0))).to.satisfy(
              (away: unknown) => away === null || from === y,
            );
          }
        }
        hf.close();
      }),
      { numRuns: 150 },
    );
    expect(met).to.be.greaterThan(50_000);
    expect(missed).to.be.greaterThan(5_000);
  });

  it('meets what two triangles a cell meet, from anywhere in any direction', () => {
    let [rays, met, special] = [0, 0, 0];
    const random = randomFrom(20);
    const origins: [number, number][] = [
      [0, 0],
      [1e5, -1e5],
      [-3.21, 1e6],
    ];
    const sides: [number, number][] = [...TEXELS.filter(([w, h]) => w * h < 200), [7, 9], [12, 5]];
    for (let round = 0; round < 120; round++) {
      const texels = sides[round % sides.length];
      const texel: [number, number] = round % 3 === 0 ? [1, 1] : [0.3 + 8 * random(), 0.3 + 8 * random()];
      const facts = { texels, texel, origin: origins[round % origins.length], seed: round };
      const hf = fieldOf(facts, round % 2 ? { holes: holesOf(facts, 0.3) } : {});
      const list = trianglesOf(hf);
      const largest = Math.max(...[hf.minX, hf.maxX, hf.minZ, hf.maxZ].map(Math.abs), 100);
      const place = PLACE * (1 + largest);
      for (let k = 0; k < 900; k++) {
        const target = placeOn(hf, random);
        let from = placeOn(hf, random);
        const kind = random();
        // From above, from below, along the ground, level, along one axis of the grid, from far off.
        if (kind < 0.7) from = vec(from.x, from.y + 40 * (random() - 0.4), from.z);
        else if (kind < 0.8) from = vec(from.x, target.y, from.z);
        else if (kind < 0.9) from = vec(target.x, from.y + 15, from.z);
        if (random() < 0.1)
          from = vec(from.x + 3000 * (random() - 0.5), 900 * random(), from.z - 3000 * random());
        const toward = sub(target, from);
        if (Math.hypot(toward.x, toward.y, toward.z) === 0) continue;
        const direction = unit(toward);
        if (direction.x === 0 && direction.z === 0) continue;
        rays++;
        const hit = castGroundRay(hf, from, direction);
        const sure = Math.min(...judge(list, from, direction, -SIDE, 1e-6));
        const perhaps = Math.min(...judge(list, from, direction, SIDE, 0));
        const facts = JSON.stringify({ round, texels, texel, from, direction, hit, sure, perhaps });
        if (hit) {
          met++;
          const { normal, point, distance } = hit;
          // A ray that hardly comes down shifts its place by rounding over how far it comes down; one along the ground has none.
          const steep = Math.abs(dot(normal, direction));
          if (steep > 1e-9) {
            const back = distance - BACK;
            const near = vec(
              from.x + direction.x * back,
              from.y + direction.y * back,
              from.z + direction.z * back,
            );
            const off = Math.min(...judge(list, near, direction, 1e-6, 0).map((t) => Math.abs(t - BACK)));
            expect(off, `not on a triangle: ${facts}`).to.be.at.most((place * 10) / steep);
            expect(distance, `past a sure triangle: ${facts}`).to.be.at.most(sure + (place * 10) / steep);
          }
          expect(Math.abs(point.y - hf.heightAt(point.x, point.z)), facts).to.be.at.most(place * 100 * 60);
          expect(dot(normal, direction), facts).to.be.at.most(0);
        } else {
          expect(sure, `slipped through: ${facts}`).to.equal(Infinity);
          if (perhaps < Infinity) special++;
        }
      }
      hf.close();
    }
    expect(rays).to.be.greaterThan(100_000);
    expect(met).to.be.greaterThan(30_000);
    // Aimed at the very edge of the rect or of a hole.
    expect(special).to.be.lessThan(rays / 25);
  });

  it('slips through no line, corner or diagonal, from above or from below', () => {
    const random = randomFrom(9);
    let rays = 0;
    for (const texels of [...TEXELS.slice(1), [40, 40]] as [number, number][]) {
      for (const [origin, texel] of [
        [
          [0, 0],
          [1, 1],
        ],
        [
          [1e6, -1e6],
          [0.7, 0.7],
        ],
        [
          [-3.21, 17],
          [30.1, 0.37],
        ],
      ] as [[number, number], [number, number]][]) {
        const hf = fieldOf({ texels, texel, origin, seed: 3 });
        for (let k = 0; k < 4000; k++) {
          const centre = (min: number, size: number, n: number) =>
            min + (Math.floor(random() * n) + 0.5) * size;
          const [x0, z0] = [centre(hf.minX, hf.texelX, texels[0]), centre(hf.minZ, hf.texelZ, texels[1])];
          const share = k % 4 === 0 ? 0 : random();
          // A corner, a line along X or Z, a diagonal; inside the rect.
          const x = Math.min(
            Math.max(x0 + (k % 4 === 1 || k % 4 === 3 ? share * hf.texelX : 0), hf.minX),
            hf.maxX,
          );
          const z = Math.min(
            Math.max(z0 + (k % 4 === 2 ? share : k % 4 === 3 ? -share : 0) * hf.texelZ, hf.minZ),
            hf.maxZ,
          );
          const up = random() < 0.5 ? 1 : -1;
          // Steep enough to be inside the rect between the lowest and the highest ground, or in the plane of the line.
          const reach = Math.min(x - hf.minX, hf.maxX - x, z - hf.minZ, hf.maxZ - z) / 25;
          const kind = Math.floor(random() * 3);
          const dx = kind === 1 ? 0 : reach * (2 * random() - 1);
          const dz = kind === 2 ? 0 : reach * (2 * random() - 1);
          const from = vec(x - dx * 20, -up * 20, z - dz * 20);
          const direction = unit(vec(dx, up, dz));
          const hit = castGroundRay(hf, from, direction);
          if (!hit) expect.fail(`slipped: ${JSON.stringify({ texels, texel, origin, from, direction })}`);
          rays++;
        }
        hf.close();
      }
    }
    expect(rays).to.be.greaterThan(80_000);
  });

  it('sees a hole as exactly its cell: 11 × 11 rays over each cell of its neighbourhood', () => {
    for (const origin of [
      [0, 0],
      [1e5, 1e5],
    ] as [number, number][]) {
      const holes = Texture.create({
        width: 9,
        height: 7,
        format: 'r8',
        data: (i, j) => [i === 4 && j === 3 ? 0 : 1],
      });
      const hf = fieldOf({ texels: [9, 7], texel: [1.3, 0.7], origin, seed: 5 }, { holes });
      const slant = unit(vec(1e-7, -1, -2e-7));
      let through = 0;
      for (let j = 2; j <= 4; j++) {
        for (let i = 3; i <= 5; i++) {
          for (let k = 0; k < 121; k++) {
            // From just inside one edge of the cell to just inside the other.
            const [fx, fz] = [k % 11, Math.floor(k / 11)].map((step) => 1e-4 + (step / 10) * (1 - 2e-4));
            const x = hf.minX + (i + 0.5 + fx) * hf.texelX;
            const z = hf.minZ + (j + 0.5 + fz) * hf.texelZ;
            const cut = i === 4 && j === 3;
            for (const direction of [vec(0, -1, 0), slant])
              expect(
                castGroundRay(hf, vec(x, 12, z), direction) === null,
                `${i}, ${j}, ${fx}, ${fz}`,
              ).to.equal(cut);
            if (cut) through++;
          }
        }
      }
      expect(through).to.equal(121);
      hf.close();
    }
  });

  it('stops at its length, meets what it starts on, and turns the normal to where it came from', () => {
    const hf = fieldOf({ texels: [8, 8], texel: [2, 2], origin: [0, 0], seed: 1 });
    const y = hf.heightAt(1, 1);
    const down = vec(0, -1, 0);
    expect(castGroundRay(hf, vec(1, y + 5, 1), down, 4.9)).to.equal(null);
    expect(castGroundRay(hf, vec(1, y + 5, 1), down, 5.1)?.point.y).to.equal(y);
    expect(castGroundRay(hf, vec(1, y, 1), down)?.distance).to.equal(0);
    const slant = unit(vec(0.3, -1, 0.2));
    expect(castGroundRay(hf, vec(1, y, 1), slant)?.distance).to.equal(0);
    const hit = castGroundRay(hf, vec(0, 20, 0), slant)!;
    expect(hit.normal.y).to.be.greaterThan(0);
    expect(castGroundRay(hf, vec(0, 20, 0), slant, hit.distance - 1e-9)).to.equal(null);
    expect(castGroundRay(hf, vec(0, -20, 0), unit(vec(0.3, 1, 0.2)))!.normal.y).to.be.lessThan(0);
    hf.close();
    expect(() => castGroundRay(hf, vec(0, 0, 0), down)).to.throw(
      'physics.raycast: this heightfield is closed',
    );
  });
});
