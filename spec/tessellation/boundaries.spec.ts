import { expect } from 'chai';
import fc from 'fast-check';
import { Boundaries } from '../../runtime/tessellation/boundaries.js';
import type { BoundaryPlan } from '../../runtime/tessellation/bakeJob.js';
import { displacedAlong, displacedEdge } from '../../runtime/tessellation/displace.js';
import { SourceMesh } from '../../runtime/tessellation/sourceMesh.js';
import { cylinder } from '../../runtime/renderer/primitives.js';
import { randomFrom } from '../support/fields.js';
import { roughMap } from '../support/sheets.js';
import { ulp32 } from '../../runtime/tessellation/drawnTransform.js';
import {
  alongRing,
  evenly,
  inWorld,
  judge,
  magnitude,
  placed,
  quad,
  square,
  type Place,
  type Quad,
  type QuadOptions,
} from '../support/boundaries.js';

/** Units in the last place of the coordinates, of the mesh or the world, by which two surfaces may put one point apart. */
const ULPS = 4;

/** Each shared point as each surface puts it: by its place on the ring of the first who names it. */
function sharedPoints(quads: readonly Quad[], boundaries: Boundaries) {
  const points = new Map<string, { quad: Quad; places: ArrayLike<number>; at: number }[]>();
  const put = (key: string, quad: Quad, places: ArrayLike<number>, at: number) =>
    points.set(key, [...(points.get(key) ?? []), { quad, places, at }]);
  const name = (place: Place) => place.map((part) => Math.round(part * 100)).join();
  for (const quad of quads) {
    const { corners, edges } = alongRing(quad, boundaries.planOf(quad.id));
    const { ring } = quad.options;
    for (const [k, places] of corners) put(name(ring[k]), quad, places, 0);
    for (const [k, places] of edges) {
      const [from, to] = [name(ring[k]), name(ring[(k + 1) % 4])];
      const last = places.length / 3 - 1;
      for (let i = 0; i <= last; i++)
        put(from < to ? `${from}>${to} ${i}` : `${to}>${from} ${last - i}`, quad, places, i * 3);
    }
  }
  return [...points.values()].filter((who) => who.length > 1);
}

/** The most units by which any two put a point apart. */
function furthest(quads: readonly Quad[], boundaries: Boundaries): number {
  let most = 0;
  for (const who of sharedPoints(quads, boundaries)) {
    const worlds = who.map(({ quad, places, at }) => inWorld(quad.matrix, places, at));
    const unit = ulp32(Math.max(...who.map(({ quad, places, at }) => magnitude(quad.matrix, places, at))));
    for (const world of worlds)
      for (let axis = 0; axis < 3; axis++)
        most = Math.max(most, Math.abs(world[axis] - worlds[0][axis]) / unit);
  }
  return most;
}

function planned(quads: readonly Quad[]): Boundaries {
  const boundaries = new Boundaries();
  boundaries.update(quads);
  return boundaries;
}

/** A plan as plain data. */
const plain = ({ cornerPlaces, edgePlaces, edgeLevels, stitchedEdges }: BoundaryPlan) =>
  JSON.stringify([
    ...[cornerPlaces, edgePlaces].map((map) =>
      [...map].map(([key, places]) => [key, Array.from(places)] as const).sort(([a], [b]) => a - b),
    ),
    edgeLevels && [...edgeLevels],
    stitchedEdges,
  ]);

const angle = evenly(-180, 180);
const factor = fc.oneof(evenly(0.2, 5), evenly(-5, -0.2));
const along = evenly(-50, 50);
const anyMatrix = fc
  .tuple(fc.tuple(along, along, along), fc.tuple(angle, angle, angle), fc.tuple(factor, factor, factor))
  .map(([position, rotation, scale]) => placed(position, rotation, scale));

/** What each quad's corners may be off its square by, metres: rounding, or what is more than a cell. */
const rounding = fc.constantFrom(0, 0, 2e-5, -2e-5);
const jitter = fc.oneof(rounding, fc.constant(3e-4));

/** Tiles on a small lattice, some of them on one square, in any frame. */
const anyQuads = (matrix: fc.Arbitrary<Quad['matrix']>, off: fc.Arbitrary<number> = jitter) =>
  fc
    .array(
      fc.record({
        x: fc.integer({ min: 0, max: 3 }),
        z: fc.integer({ min: 0, max: 2 }),
        off,
        matrix,
        level: fc.integer({ min: 0, max: 4 }),
        stitch: fc.boolean(),
        order: fc.nat(1000),
        id: fc.nat(1000),
      }),
      { minLength: 1, maxLength: 9 },
    )
    .map((tiles) =>
      [...new Map(tiles.map((tile) => [tile.id, tile])).values()].map(({ x, z, off, ...options }) =>
        quad({ ...options, ring: square(x + off, z - off) }),
      ),
    );

describe('boundaries', () => {
  it('puts the finer of two tiles on the lattice of the coarser', () => {
    const [west, east] = [
      quad({ id: 2, ring: square(-1, 0), level: 5 }),
      quad({ id: 1, ring: square(0, 0), level: 2 }),
    ];
    const boundaries = planned([west, east]);
    const plan = boundaries.planOf(2);
    expect(plan.stitchedEdges).to.equal(1);
    expect([...plan.edgeLevels!].sort()).to.deep.equal([2, 5, 5, 5, 5]);
    expect(boundaries.planOf(1).edgeLevels).to.equal(null);
    expect(boundaries.planOf(1).stitchedEdges).to.equal(0);
    expect(alongRing(west, plan).edges.get(1)).to.have.length(5 * 3);
    expect(furthest([west, east], boundaries)).to.equal(0);
  });

  it('agrees with a judge of all pairs on who shares what, and who owns it', () =>
    fc.assert(
      fc.property(anyQuads(anyMatrix), (quads) => {
        const boundaries = planned(quads);
        const verdicts = judge(quads);
        for (const one of quads) {
          const { corners, edges, stitchedEdges } = verdicts.get(one.id)!;
          const plan = boundaries.planOf(one.id);
          const taken = alongRing(one, plan);
          expect([...taken.corners.keys()].sort()).to.deep.equal([...corners.keys()].sort());
          expect([...taken.edges.keys()].sort()).to.deep.equal([...edges.keys()].sort());
          for (const [k, { level }] of edges) expect(taken.edges.get(k)).to.have.length((2 ** level + 1) * 3);
          expect(plan.stitchedEdges).to.equal(stitchedEdges);
        }
      }),
      { numRuns: 300 },
    ));

  it('gives every point of an edge the owner’s displaced place', () =>
    fc.assert(
      fc.property(anyQuads(anyMatrix), (quads) => {
        const boundaries = planned(quads);
        const verdicts = judge(quads);
        const out = new Float32Array(3);
        for (const one of quads)
          for (const [k, places] of alongRing(one, boundaries.planOf(one.id)).corners) {
            const owner = quads.find(({ id }) => id === verdicts.get(one.id)!.corners.get(k))!;
            // The owner's own corner there, displaced by its own relief; on two of its squares' worth of slack.
            const options = Array.from({ length: owner.source.cornerCount }, (_, corner) => {
              owner.displacedCorner(corner, out);
              const [a, b] = [inWorld(owner.matrix, out), inWorld(one.matrix, places)];
              return Math.max(...a.map((part, axis) => Math.abs(part - b[axis])));
            });
            expect(Math.min(...options)).to.be.below(1e-4);
          }
      }),
    ));

  it('puts shared points within 4 units of f32 of each other, whatever the transforms', () => {
    let worst = 0;
    fc.assert(
      fc.property(anyQuads(anyMatrix, rounding), (quads) => {
        const most = furthest(quads, planned(quads));
        worst = Math.max(worst, most);
        expect(most).to.be.at.most(ULPS);
      }),
      { numRuns: 500 },
    );
    // The tolerance is not a wide one.
    expect(worst).to.be.greaterThan(1);
  });

  describe('where transforms are translations exact in f32', () => {
    const quarter = fc.integer({ min: -4000, max: 4000 }).map((n) => n / 4);
    const mirror = fc.constantFrom(1, -1, 2, 0.5);
    const matrix = fc
      .tuple(quarter, quarter, quarter, mirror, mirror, mirror)
      .map(([x, y, z, a, b, c]) => placed([x, y, z], [0, 0, 0], [a, b, c]));

    it('gives all one place, to the bit, of translations and mirrored ones by steps of 0.25 m', () =>
      fc.assert(
        fc.property(anyQuads(matrix, fc.constant(0)), (quads) => {
          expect(furthest(quads, planned(quads))).to.equal(0);
        }),
        { numRuns: 500 },
      ));

    it('gives all one f32 place of the world where there is one, of any offsets in f32', () => {
      const offset = evenly(-30, 30).map(Math.fround);
      const matrix = fc.tuple(offset, offset, offset).map((position) => placed(position));
      let [same, all] = [0, 0];
      fc.assert(
        fc.property(anyQuads(matrix, fc.constant(0)), (quads) => {
          const boundaries = planned(quads);
          expect(furthest(quads, boundaries)).to.be.at.most(ULPS);
          for (const who of sharedPoints(quads, boundaries)) {
            const worlds = who.map(({ quad, places, at }) =>
              inWorld(quad.matrix, places, at).map(Math.fround).join(),
            );
            all++;
            if (new Set(worlds).size === 1) same++;
          }
        }),
        { numRuns: 500 },
      );
      // There is no such place where an offset is no multiple of the steps that its mesh has there, and another's is.
      expect(same / all).to.be.greaterThan(0.75);
    });
  });

  describe('the grid of 0.1 mm', () => {
    const shares = (west: Place[], east: Place[]) =>
      planned([quad({ id: 1, ring: west }), quad({ id: 2, ring: east, level: 3 })]).planOf(2)
        .stitchedEdges === 1;

    it('joins what rounding puts on both sides of a cell’s border, on each axis', () => {
      for (let axis = 0; axis < 3; axis++)
        for (const border of [0.5e-4, 1.5e-4, 12.34565, -7.00005]) {
          const shift = (ring: Place[], by: number) =>
            ring.map(
              (at) => at.map((part, k) => (k === axis ? part + border + by : part)) as unknown as Place,
            );
          expect(
            shares(shift(square(-1, 0), -1e-7), shift(square(0, 0), 1e-7)),
            `${axis} ${border}`,
          ).to.equal(true);
          expect(
            shares(shift(square(-1, 0), 2e-5), shift(square(0, 0), -2e-5)),
            `${axis} ${border}`,
          ).to.equal(true);
        }
    });

    it('parts what is further apart than a cell', () => {
      for (const gap of [1.1e-4, 2e-4, 1e-3]) {
        expect(shares(square(-1 - gap, 0), square(0, 0)), `${gap}`).to.equal(false);
        expect(shares(square(-1, 0), square(0, gap)), `${gap}`).to.equal(false);
      }
    });

    it('matches a kilometre from the origin, and 100 km from it in f32-friendly places', () => {
      for (const far of [1000, 100_000]) {
        const matrix = placed([far, 20, -far]);
        const [a, b] = [square(far - 1, -far), square(far, -far)];
        const quads = [
          quad({ id: 1, ring: a, matrix }),
          quad({ id: 2, ring: b, matrix: placed([far + 3, 0, 7 - far]), level: 4 }),
        ];
        const boundaries = planned(quads);
        expect(boundaries.planOf(2).stitchedEdges).to.equal(1);
        expect(furthest(quads, boundaries)).to.equal(0);
        // Its points stay where they are to the micrometre: the world’s own f32 steps of 8 mm are not its grid.
        const out = new Float32Array(3);
        const places = alongRing(quads[0], boundaries.planOf(1)).edges.get(1)!;
        const own = Array.from({ length: 5 }, (_, edge) => {
          quads[0].displacedEdge(edge, 2, out);
          return Math.hypot(...[0, 1, 2].map((k) => out[k] - places[3 + k]));
        });
        expect(Math.min(...own)).to.be.below(2e-6);
      }
    });
  });

  describe('owners', () => {
    it('are the coarsest of a chain of three, and of any number on one edge', () => {
      // Three upright sheets and the floor meet along x = 0.
      const fan = [0, 1, 2, 3].map((k) =>
        quad({
          id: 10 - k,
          level: [3, 1, 4, 2][k],
          ring: [
            [0, 0, 0],
            [Math.cos(k), Math.sin(k), 0],
            [Math.cos(k), Math.sin(k), 1],
            [0, 0, 1],
          ],
          matrix: placed([k, 0, 0], [0, 20 * k, 0]),
        }),
      );
      const boundaries = planned(fan);
      expect(fan.map(({ id }) => boundaries.planOf(id).stitchedEdges)).to.deep.equal([1, 0, 1, 1]);
      for (const one of fan) expect(alongRing(one, boundaries.planOf(one.id)).edges.get(3)).to.have.length(9);
      expect(furthest(fan, boundaries)).to.be.at.most(ULPS);

      const row = [4, 2, 0].map((level, k) => quad({ id: k, level, ring: square(k, 0) }));
      const chain = planned(row);
      expect(row.map(({ id }) => chain.planOf(id).stitchedEdges)).to.deep.equal([1, 1, 0]);
      expect(alongRing(row[1], chain.planOf(1)).edges.get(3)).to.have.length(5 * 3);
      expect(alongRing(row[1], chain.planOf(1)).edges.get(1)).to.have.length(2 * 3);
    });

    it('give a corner of four tiles of four levels one place', () => {
      const four = [0, 1, 2, 3].map((k) =>
        quad({ id: k, level: 4 - k, ring: square(k % 2, k >> 1), matrix: placed([k / 2, k, 3]) }),
      );
      const boundaries = planned(four);
      const middle = sharedPoints(four, boundaries).filter((who) => who.length === 4);
      expect(middle).to.have.length(1);
      const worlds = middle[0].map(({ quad, places, at }) => inWorld(quad.matrix, places, at).join());
      expect(new Set(worlds).size).to.equal(1);
      // The coarsest is tile 3, which is the last.
      const out = new Float32Array(3);
      const own = [0, 1, 2, 3].map((corner) => {
        four[3].displacedCorner(corner, out);
        return inWorld(four[3].matrix, out)
          .map((part) => part.toFixed(5))
          .join();
      });
      const [x, y, z] = worlds[0].split(',').map((part) => Number(part).toFixed(5));
      expect(own).to.include([x, y, z].join());
    });

    it('that do not stitch take nothing, and are followed at their level', () => {
      const quads = [
        quad({ id: 1, level: 2, stitch: false, ring: square(0, 0) }),
        quad({ id: 2, level: 4, ring: square(1, 0) }),
        quad({ id: 3, level: 1, ring: square(0, 1) }),
        quad({ id: 0, level: 2, ring: square(-1, 0) }),
      ];
      const boundaries = planned(quads);
      expect(boundaries.planOf(1)).to.equal(planned([]).planOf(1));
      expect(alongRing(quads[1], boundaries.planOf(2)).edges.get(3)).to.have.length(5 * 3);
      // At equal levels the one that does not stitch owns, whatever the ids.
      const taken = alongRing(quads[3], boundaries.planOf(0)).edges.get(1)!;
      const edgePoints = new Float32Array(9);
      const own = Array.from({ length: 5 }, (_, edge) => {
        quads[0].displacedEdge(edge, 4, edgePoints);
        return edgePoints.slice(3, 6).join();
      });
      expect(own).to.include([...taken.subarray(6, 9)].join());
    });

    it('are not asked of a surface that is flattened, and nothing is where a place is not finite', () => {
      const flat = {
        ...quad({ id: 1, ring: square(0, 0), level: 3 }),
        matrix: placed([0, 0, 0], [0, 0, 0], [1, 0, 1]),
      };
      const lost = { ...quad({ id: 3, ring: square(-1, 0) }), matrix: placed([NaN, 0, 0]) };
      const east = quad({ id: 2, ring: square(1, 0), level: 5 });
      const boundaries = planned([flat, east, lost]);
      expect(boundaries.planOf(1).edgePlaces.size).to.equal(0);
      expect(boundaries.planOf(2).stitchedEdges).to.equal(1);
      expect(boundaries.planOf(3).cornerPlaces.size).to.equal(0);
    });
  });

  describe('update', () => {
    /** Any change of one quad's options; null: it goes. */
    const change = fc.record({
      which: fc.nat(1000),
      how: fc.constantFrom('level', 'version', 'stitch', 'matrix', 'ring', 'go', 'come', 'none'),
      value: fc.nat(3),
      matrix: anyMatrix,
    });

    const changedBy = (quads: Quad[], { which, how, value, matrix }: Record<string, never>): Quad[] => {
      const all = [...quads];
      if (how === 'come')
        return all.concat(quad({ id: 2000 + which, ring: square(value, 0), level: value, matrix }));
      if (all.length === 0) return all;
      const k = which % all.length;
      const { options } = all[k];
      const made: Record<string, Partial<QuadOptions>> = {
        level: { level: value },
        version: { version: value },
        stitch: { stitch: value < 2 },
        matrix: { matrix },
        ring: { ring: square(value, 1) },
      };
      if (how === 'go') all.splice(k, 1);
      else if (how !== 'none') all[k] = quad({ ...options, ...(made[how] as Partial<QuadOptions>) });
      return all;
    };

    it('comes to what a fresh start comes to, re-plans those that share with what changed, and says which plans are others', () =>
      fc.assert(
        fc.property(anyQuads(anyMatrix), fc.array(change, { maxLength: 6 }), (start, changes) => {
          const boundaries = new Boundaries();
          boundaries.update(start);
          let quads = start;
          for (const step of changes) {
            const before = new Map(quads.map(({ id }) => [id, boundaries.planOf(id)]));
            const next = changedBy(quads, step as never);
            if (new Set(next.map(({ id }) => id)).size < next.length) continue;
            const changed = boundaries.update(next).map(({ id }) => id);
            const fresh = planned(next);
            const [was, is] = [judge(quads), judge(next)];
            const moved = [...new Set([...quads, ...next])].filter(
              (q) => !quads.includes(q) || !next.includes(q),
            );
            const sharing = new Set(
              moved.flatMap(({ id }) => [
                id,
                ...(was.get(id)?.sharers ?? []),
                ...(is.get(id)?.sharers ?? []),
              ]),
            );
            const there = new Set(next.map(({ id }) => id));
            const marked = [...sharing].filter((id) => there.has(id));
            // A quad made anew has a source of its own, and counts as moved.
            expect(boundaries.planned).to.equal(marked.length);
            for (const { id } of next) {
              const plan = boundaries.planOf(id);
              expect(plain(plan)).to.equal(plain(fresh.planOf(id)));
              const old = before.get(id);
              expect(changed.includes(id)).to.equal(plain(plan) !== plain(old ?? planned([]).planOf(id)));
              if (old && !changed.includes(id)) expect(plan).to.equal(old);
            }
            quads = next;
          }
        }),
        { numRuns: 200 },
      ));

    /** Three tiles in a row and one apart. */
    const row = () => [
      quad({ id: 1, level: 4, ring: square(0, 0) }),
      quad({ id: 2, level: 2, ring: square(1, 0) }),
      quad({ id: 3, level: 3, ring: square(2, 0) }),
      quad({ id: 4, level: 3, ring: square(9, 0) }),
    ];
    const ids = (changed: { id: number }[]) => changed.map(({ id }) => id).sort();

    it('answers those that share an edge with one that moves away, changes level, goes or comes', () => {
      const tiles = row();
      const boundaries = new Boundaries();
      expect(ids(boundaries.update(tiles))).to.deep.equal([1, 2, 3]);
      expect(boundaries.update(tiles)).to.deep.equal([]);
      expect(boundaries.planned).to.equal(0);

      const finer = [tiles[0], { ...tiles[1], level: 5 }, tiles[2], tiles[3]];
      expect(ids(boundaries.update(finer))).to.deep.equal([1, 2, 3]);
      expect([1, 2, 3].map((id) => boundaries.planOf(id).stitchedEdges)).to.deep.equal([0, 2, 0]);

      const away = [finer[0], { ...finer[1], matrix: placed([0, 5, 0]) }, finer[2], finer[3]];
      expect(ids(boundaries.update(away))).to.deep.equal([1, 2, 3]);
      expect([1, 2, 3].map((id) => boundaries.planOf(id).cornerPlaces.size)).to.deep.equal([0, 0, 0]);
      expect(ids(boundaries.update(finer))).to.deep.equal([1, 2, 3]);

      expect(ids(boundaries.update(finer.slice(1)))).to.deep.equal([2]);
      expect(ids(boundaries.update(finer))).to.deep.equal([1, 2]);
      expect(boundaries.planOf(77).cornerPlaces.size).to.equal(0);
    });

    it('asks for no bake where nothing of a plan changed: a neighbour of an owner, and all that move as one', () => {
      const tiles = row();
      const boundaries = new Boundaries();
      boundaries.update(tiles);
      // Tile 2 owns both edges at level 2; its neighbour’s level says nothing to it.
      const finer = [{ ...tiles[0], level: 5 }, ...tiles.slice(1)];
      expect(ids(boundaries.update(finer))).to.deep.equal([1]);
      expect(boundaries.planned).to.equal(2);
      const together = finer.map((tile) => ({ ...tile, matrix: placed([3, 1, 0.5]) }));
      expect(boundaries.update(together)).to.deep.equal([]);
      // Another object with the same numbers is not a move.
      boundaries.update(together.map((tile) => ({ ...tile, matrix: Float64Array.from(tile.matrix) })));
      expect(boundaries.planned).to.equal(0);
    });

    it('asks a surface for its displaced places once while it stays as it is', () => {
      const tiles = row();
      let asked = 0;
      const counted = tiles.map((tile) => ({
        ...tile,
        displacedEdge: (...parameters: Parameters<Quad['displacedEdge']>) => {
          asked++;
          tile.displacedEdge(...parameters);
        },
      }));
      const boundaries = new Boundaries();
      boundaries.update(counted);
      expect(asked).to.equal(2);
      boundaries.update([{ ...counted[0], level: 5 }, ...counted.slice(1)]);
      expect(asked).to.equal(2);
    });
  });

  it('takes of an edge what the kernels’ twin makes of it, bit for bit', () => {
    const random = randomFrom(3);
    const { vertices, indices } = cylinder({ segments: 5 });
    const source = SourceMesh.of('cylinder', vertices, indices);
    const heights = roughMap(9, random);
    for (const surface of [
      { heights, scale: 0.3, stretch: null },
      {
        heights: { ...heights, clamp: true },
        scale: -2,
        stretch: Float32Array.of(2, 1, 0.5, 0.1, -0.2, 0.3),
      },
      { heights: null, scale: 1, stretch: null },
    ])
      for (const n of [1, 2, 16])
        for (let edge = 0; edge < source.edgeCount; edge++) {
          const all = new Float32Array((n - 1) * 3);
          displacedAlong(source, edge, n, surface, all);
          const one = new Float32Array(3);
          for (let i = 1; i < n; i++) {
            displacedEdge(source, edge, i, n, surface, one);
            expect(all.slice(i * 3 - 3, i * 3)).to.deep.equal(one);
          }
        }
  });

  it('costs little for 1,000 surfaces that do not change', () => {
    const tiles = Array.from({ length: 1000 }, (_, k) =>
      quad({ id: k, level: k % 5, ring: square(k % 32, Math.floor(k / 32)) }),
    );
    const boundaries = planned(tiles);
    const times = Array.from({ length: 51 }, () => {
      const start = performance.now();
      boundaries.update(tiles);
      return performance.now() - start;
    }).sort((a, b) => a - b);
    // The whole system has 0.5 ms; a shared machine may be slow.
    expect(times[25]).to.be.below(0.25);
  });
});
