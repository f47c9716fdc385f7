import { expect } from 'chai';
import fc from 'fast-check';
import { Cut, type CutOptions } from '../../runtime/terrain/cut.js';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { NodeBounds } from '../../runtime/terrain/nodeBounds.js';
import { axisStops, nearestStop } from '../../runtime/terrain/lattice.js';
import { fieldFacts, fieldOf, randomFrom, randomTexture, type FieldFacts } from '../support/fields.js';
import {
  holding,
  keyOf,
  placeOf,
  ratioOf,
  referenceCut,
  SIDES,
  squareOf,
  type Camera,
  type Place,
} from '../support/referenceCut.js';

/** Roundings of one distance, relative. */
const ROUNDING = 1e-12;

const share = fc.double({ min: 0, max: 1, noNaN: true });
const sceneFacts = fc.record({
  field: fieldFacts,
  maxNodes: fc.integer({ min: 4, max: 150 }),
  nodeVerts: fc.constantFrom(3, 5, 9, 33),
  lodFactor: fc.double({ min: 0.3, max: 8, noNaN: true }),
  /** Shares of the field's sides: a cut's own rect, in, around or across the field; null is the field's. */
  rect: fc.option(fc.tuple(share, share, share, share)),
  /** Side of a root square of the longer side; null is the cut's own choice. */
  root: fc.option(fc.double({ min: 0.51, max: 1.9, noNaN: true })),
  /** Seed of a keep that drops a third. */
  drops: fc.option(fc.nat(1e6)),
  seed: fc.nat(2 ** 31),
});
type SceneFacts = typeof sceneFacts extends fc.Arbitrary<infer T> ? T : never;

const dropsThird = (seed: number) => (place: Place) =>
  (Math.imul(place.ix + 1, 73856093) ^
    Math.imul(place.iz + 1, 19349663) ^
    Math.imul(place.level, 83492791) ^
    seed) %
    3 !==
  0;

function sceneOf(facts: SceneFacts, options: Partial<CutOptions> = {}) {
  const hf = fieldOf(facts.field);
  const rect = facts.rect && {
    minX: hf.minX + (facts.rect[0] - 0.6) * hf.size.width,
    minZ: hf.minZ + (facts.rect[1] - 0.6) * hf.size.depth,
    maxX: hf.minX + (facts.rect[2] + 0.5) * hf.size.width,
    maxZ: hf.minZ + (facts.rect[3] + 0.5) * hf.size.depth,
  };
  const { maxNodes, nodeVerts, lodFactor, drops } = facts;
  const keep = drops === null ? undefined : dropsThird(drops);
  const { minX, minZ, maxX, maxZ } = rect ?? hf;
  const rootSize = facts.root === null ? undefined : facts.root * Math.max(maxX - minX, maxZ - minZ);
  const own = { ...(rect && { rect }), ...(rootSize && { rootSize }) };
  const cut = new Cut({ hf, maxNodes, nodeVerts, lodFactor, keep, ...own, ...options });
  const random = randomFrom(facts.seed);
  const camera = (): Camera => {
    const reach = Math.max(hf.size.width, hf.size.depth);
    return {
      x: cut.cornerX + (2 * random() - 0.5) * hf.size.width,
      y: 12 * (2 * random() - 1) + (random() < 0.5 ? 0 : random() * reach),
      z: cut.cornerZ + (2 * random() - 0.5) * hf.size.depth,
    };
  };
  return { hf, cut, keep, camera };
}

function nodesOf(cut: Cut): Map<string, Place & { entry: number }> {
  const nodes = new Map<string, Place & { entry: number }>();
  for (let entry = 0; entry < cut.count; entry++) {
    const place = placeOf(cut, entry);
    nodes.set(keyOf(place), { ...place, entry });
  }
  return nodes;
}

const check = (body: (facts: SceneFacts) => void, runs = 120) =>
  fc.assert(fc.property(sceneFacts, body), { numRuns: runs });

describe('cut', () => {
  describe('select', () => {
    it('chooses what a plain selection by the rules chooses, at the same factor', function () {
      this.timeout(60_000);
      check((facts) => {
        const { hf, cut, keep, camera } = sceneOf(facts);
        for (let k = 0; k < 3; k++) {
          const from = camera();
          cut.select(from);
          const judge = referenceCut(hf, cut, from, keep);
          expect(cut.lodFactor).to.be.closeTo(judge.lodFactor, ROUNDING * judge.lodFactor);
          expect([...nodesOf(cut).keys()].sort()).to.deep.equal([...judge.nodes.keys()].sort());
        }
      });
    });

    it('bounds a node past the field by the next that meets it', () => {
      const hf = fieldOf({ texels: [8, 8], texel: [1, 1], origin: [0, 0], seed: 3 });
      const grid = { cornerX: hf.minX, cornerZ: hf.minZ, width: 16, depth: 16, rootSize: 16, maxLevel: 3 };
      const bounds = new NodeBounds(hf, grid);
      const at = (ix: number, iz: number) => {
        const pair = new Float64Array(2);
        bounds.read(3, ix, iz, pair, 0);
        return [...pair];
      };
      for (let k = 0; k < 8; k++) {
        expect(at(k, 6)).to.deep.equal(at(Math.min(k, 3), 3));
        expect(at(7, k)).to.deep.equal(at(3, Math.min(k, 3)));
      }
      expect(at(0, 0)).not.to.deep.equal(at(3, 3));
    });

    it('has no node that only rounding brings into the rect', () => {
      const hf = fieldOf({ texels: [32, 32], texel: [31.25, 31.25], origin: [0, 0], seed: 1 });
      const depth = 1000 * (513 / 1024);
      const rect = { minX: hf.minX, maxX: hf.maxX, minZ: hf.minZ, maxZ: hf.minZ + depth * (1 + 1e-10) };
      const cut = new Cut({ hf, rect, rootSize: 1000, minNodeSize: 1, nodeVerts: 3, maxNodes: 4096 });
      cut.select({ x: 0, y: 5, z: hf.minZ + depth });
      const sizes = [...nodesOf(cut).values()].map((node) => {
        const { z0, z1, size } = squareOf(cut, node)!;
        return (z1 - z0) / size;
      });
      expect(cut.maxLevel).to.equal(10);
      expect(Math.min(...sizes)).to.be.above(1e-3);
    });

    it('tiles the rect, each place once', () => {
      check((facts) => {
        const { cut, camera } = sceneOf({ ...facts, drops: null });
        cut.select(camera());
        const nodes = nodesOf(cut);
        expect(nodes.size).to.equal(cut.count);
        let area = 0;
        for (const node of nodes.values()) {
          const square = squareOf(cut, node);
          expect(square, 'a node wholly past the rect').not.to.be.null;
          area += (square!.x1 - square!.x0) * (square!.z1 - square!.z0);
          if (node.level > 0)
            expect(holding(nodes, { level: node.level - 1, ix: node.ix >> 1, iz: node.iz >> 1 })).to.be
              .undefined;
        }
        const whole = (cut.rect.maxX - cut.rect.minX) * (cut.rect.maxZ - cut.rect.minZ);
        expect(area).to.be.closeTo(whole, 1e-6 * whole);
      });
    });

    it('keeps the pool, the balance and the factor; masks name the coarser neighbours that are drawn', () => {
      check((facts) => {
        const { hf, cut, camera } = sceneOf(facts);
        const from = camera();
        cut.select(from);
        expect(cut.count).to.be.at.most(cut.maxNodes);
        expect(cut.lodFactor).to.be.above(0).and.at.most(cut.askedLodFactor);
        const nodes = nodesOf(cut);
        for (const node of nodes.values()) {
          if (node.level < cut.maxLevel)
            expect(ratioOf(hf, cut, node, from)).to.be.at.least(cut.lodFactor * (1 - ROUNDING));
          let mask = 0;
          for (const { bit, dx, dz } of SIDES) {
            const across = { level: node.level, ix: node.ix + dx, iz: node.iz + dz };
            const neighbour = across.ix < 0 || across.iz < 0 ? undefined : holding(nodes, across);
            if (!neighbour || neighbour.level === node.level) continue;
            expect(neighbour.level).to.equal(node.level - 1);
            mask |= bit;
          }
          expect(cut.coarseMask[node.entry]).to.equal(mask);
        }
      });
    });

    it('gives each node a slot of its own, kept while it stays, and says what changed', () => {
      check((facts) => {
        const { cut, camera } = sceneOf(facts);
        let before = new Map<string, { slot: number; mask: number }>();
        let at = camera();
        for (let k = 0; k < 6; k++) {
          at = k % 2 ? { ...at, x: at.x + cut.root.size / 100 } : camera();
          const { changed } = cut.select(at);
          const now = new Map<string, { slot: number; mask: number }>();
          let differs = false;
          for (const [key, { entry }] of nodesOf(cut)) {
            const old = before.get(key);
            if (old) expect(cut.slot[entry]).to.equal(old.slot);
            const masked = old !== undefined && old.mask !== cut.coarseMask[entry];
            expect(cut.isNew[entry]).to.equal(old ? 0 : 1);
            expect(cut.maskChanged[entry]).to.equal(masked ? 1 : 0);
            differs ||= !old || masked;
            expect(cut.slot[entry]).to.be.below(cut.maxNodes);
            now.set(key, { slot: cut.slot[entry], mask: cut.coarseMask[entry] });
          }
          differs ||= [...before.keys()].some((key) => !now.has(key));
          expect(changed).to.equal(differs);
          const fresh = [...cut.isNew.subarray(0, cut.count).keys()].filter((entry) => cut.isNew[entry]);
          expect([...cut.added.subarray(0, cut.addedCount)]).to.deep.equal(fresh);
          expect(new Set([...now.values()].map(({ slot }) => slot)).size).to.equal(cut.count);
          before = now;

          expect(cut.select({ ...at }).changed, 'the same camera again').to.be.false;
          expect(cut.addedCount).to.equal(0);
          expect([...cut.isNew, ...cut.maskChanged].every((flag) => flag === 0)).to.be.true;
        }
      }, 60);
    });

    it('is a function of the camera alone, whatever the way there', () => {
      check((facts) => {
        const { hf, cut, camera } = sceneOf(facts);
        const other = sceneOf(facts).cut;
        for (let k = 0; k < 5; k++) cut.select(camera());
        const last = camera();
        cut.select(last);
        other.select(last);
        const list = (c: Cut) =>
          Array.from({ length: c.count }, (_, k) => [keyOf(placeOf(c, k)), c.coarseMask[k]]);
        expect(list(cut)).to.deep.equal(list(other));
        expect(cut.lodFactor).to.equal(other.lodFactor);
        expect(hf.closed).to.be.false;
      }, 60);
    });

    it('moves its factor no faster than the camera nears a node of the finest size', () => {
      check((facts) => {
        const { cut, camera } = sceneOf({ ...facts, drops: null, lodFactor: 8 });
        const finest = cut.root.size / 2 ** Math.max(0, cut.maxLevel - 1);
        const [from, to] = [camera(), camera()];
        const length = Math.hypot(to.x - from.x, to.y - from.y, to.z - from.z);
        let last = NaN;
        for (let k = 0; k <= 200; k++) {
          const t = k / 200;
          cut.select({
            x: from.x + (to.x - from.x) * t,
            y: from.y + (to.y - from.y) * t,
            z: from.z + (to.z - from.z) * t,
          });
          if (k > 0)
            expect(Math.abs(cut.lodFactor - last)).to.be.at.most(
              ((length / 200) * (1 + 1e-6)) / finest + 1e-9,
            );
          last = cut.lodFactor;
        }
      }, 40);
    });
  });

  describe('nearDistance and farDistance', () => {
    it('bound the distance of every vertex place at its stop, and of those it morphs to', () => {
      check((facts) => {
        const { hf, cut, camera } = sceneOf(facts);
        const from = camera();
        cut.select(from);
        const { minX, minZ, maxX, maxZ } = cut.rect;
        const x = axisStops({ min: hf.minX, texel: hf.texelX, texels: hf.width }, { min: minX, max: maxX });
        const z = axisStops({ min: hf.minZ, texel: hf.texelZ, texels: hf.height }, { min: minZ, max: maxZ });
        const cells = cut.nodeVerts - 1;
        const inside = Math.log2(cells);
        const random = randomFrom(facts.seed + 1);
        for (let k = 0; k < 40 && cut.count > 0; k++) {
          const entry = Math.floor(random() * cut.count);
          const level = cut.level[entry];
          const spacing = cut.root.size / 2 ** level / cells;
          const up = Math.floor(random() * (level + 1));
          const index = (first: number) => {
            const i = first * cells + Math.floor(random() * (cells + 1));
            return (i >> up) << up;
          };
          const place = [index(cut.ix[entry]) * spacing, index(cut.iz[entry]) * spacing];
          const px = Math.min(place[0], maxX - minX);
          const pz = Math.min(place[1], maxZ - minZ);
          const stops = [nearestStop(x, px), nearestStop(z, pz)];
          // A stop in whole texels has its texel's height; on the rect's own edges it lies between its cell's corners.
          const heights = [0, 1].flatMap((a) =>
            [0, 1].map((b) => {
              const i = Math.min(x.cell[stops[0]] + (x.fraction[stops[0]] > 0 ? a : 0), hf.width - 1);
              const j = Math.min(z.cell[stops[1]] + (z.fraction[stops[1]] > 0 ? b : 0), hf.height - 1);
              return hf.read(i, j)[0];
            }),
          );
          const beyond = Math.max(0, up - inside);
          for (const height of heights) {
            const distance = Math.hypot(px + minX - from.x, height - from.y, pz + minZ - from.z);
            const slack = ROUNDING * (distance + Math.abs(minX) + Math.abs(minZ));
            expect(cut.nearDistance(entry, beyond)).to.be.at.most(distance + slack);
            expect(cut.farDistance(entry, beyond)).to.be.at.least(distance - slack);
          }
        }
      });
    });
  });

  describe('keep', () => {
    const field: FieldFacts = { texels: [64, 64], texel: [1, 1], origin: [0, 0], seed: 5 };
    const above: Camera = { x: 3, y: 20, z: -4 };

    it('is asked once a node, with its corner and size in metres, until reset', () => {
      const asked = new Map<string, number>();
      const hf = fieldOf(field);
      const keep: CutOptions['keep'] = (node) => {
        expect(node).to.deep.equal({ ...node, x: -32 + node.ix * node.size, z: -32 + node.iz * node.size });
        expect(node.size).to.equal(64 / 2 ** node.level);
        asked.set(keyOf(node), (asked.get(keyOf(node)) ?? 0) + 1);
        return node.x < 0;
      };
      const cut = new Cut({ hf, keep, nodeVerts: 5 });
      for (let k = 0; k < 50; k++) cut.select({ ...above, x: k - 25 });
      expect(Math.max(...asked.values())).to.equal(1);
      cut.reset();
      cut.select({ ...above, x: 24 });
      expect(asked.get('0:0:0')).to.equal(2);
    });

    it('has the pool spent on what is drawn', () => {
      const hf = fieldOf(field);
      const options = { hf, nodeVerts: 3, maxNodes: 150, lodFactor: 50 };
      const whole = new Cut(options);
      const half = new Cut({ ...options, keep: (node) => node.x + node.size / 2 < 0 || node.level === 0 });
      whole.select(above);
      half.select(above);
      expect(half.count).to.be.at.most(150);
      expect(half.lodFactor).to.be.above(whole.lodFactor * 1.2);
    });

    it('leaves an empty cut if it keeps nothing', () => {
      const cut = new Cut({ hf: fieldOf(field), keep: () => false });
      cut.select(above);
      expect(cut.count).to.equal(0);
      expect(cut.lodFactor).to.equal(2);
    });

    it('that keeps nothing of a tree of millions ends all the same', () => {
      const hf = fieldOf({ ...field, texels: [700, 700] });
      const cut = new Cut({ hf, keep: () => false, nodeVerts: 3, minNodeSize: 0.2, lodFactor: 1000 });
      cut.select(above);
      expect(cut.count).to.equal(0);
      expect(cut.lodFactor).to.be.above(0).and.below(1000);
    });

    it('that throws or answers no boolean is an error that names it and the node, and the last cut stands', () => {
      let answer: () => unknown = () => true;
      const keep = () => answer() as boolean;
      const cut = new Cut({ hf: fieldOf(field), keep, nodeVerts: 5, maxNodes: 400 });
      cut.select({ x: 30, y: 5, z: 30 });
      const state = () => [cut.count, cut.lodFactor, ...cut.level, ...cut.ix, ...cut.slot, ...cut.coarseMask];
      const before = state();
      for (const [wrong, message] of [
        [
          () => 1,
          /terrainMesh\.updateCut: keep\(\{ level = \d+, ix = \d+, iz = \d+ \}\) must answer a boolean, got 1/,
        ],
        [() => undefined, /must answer a boolean, got nothing/],
        [
          () => {
            throw new Error('lost at sea');
          },
          /keep\(\{ level = .*\}\) failed: lost at sea/,
        ],
      ] as const) {
        answer = wrong;
        expect(() => cut.select({ x: -30, y: 5, z: -30 })).to.throw(message);
        expect(state()).to.deep.equal(before);
      }
      answer = () => true;
      expect(cut.select({ x: -30, y: 5, z: -30 }).changed).to.be.true;
    });
  });

  describe('options', () => {
    const field: FieldFacts = { texels: [64, 64], texel: [1, 1], origin: [0, 0], seed: 5 };

    it('are refused out of range, each by name', () => {
      const hf = fieldOf(field);
      for (const [options, message] of [
        [{ maxNodes: 3 }, 'terrainMesh.create: maxNodes must be an integer in 4..4096, got 3'],
        [{ maxNodes: 4097 }, 'maxNodes must be'],
        [{ nodeVerts: 32 }, 'nodeVerts must be one of 3, 5, 9, 17, 33, 65, 129, got 32'],
        [{ lodFactor: 0 }, 'lodFactor must be a finite number above 0, at most 1000, got 0'],
        [{ lodFactor: 1001 }, 'lodFactor must be'],
        [{ minNodeSize: 0 }, 'minNodeSize must be a finite number above 0, got 0'],
        [
          { rootSize: 2 },
          'rootSize 2 makes 1024 root squares (32 × 32) of a 64 × 64 m rect, past the pool of 512',
        ],
        [{ rect: { minX: 40, minZ: 0, maxX: 50, maxZ: 9 } }, 'rect must be one that overlaps'],
        [{ rect: { minX: 4, minZ: 0, maxX: 4, maxZ: 9 } }, 'rect must be of some width'],
        [{ keep: true as never }, 'keep must be a function'],
        [{ nodes: 5 } as never, 'there is no field "nodes"'],
        [{ rootSize: 64, minNodeSize: 64 / 2 ** 20, nodeVerts: 129, maxNodes: 4096 }, 'minNodeSize'],
      ] as [Partial<CutOptions>, string][]) {
        expect(() => new Cut({ hf, ...options }), JSON.stringify(options)).to.throw(message);
      }
      for (const bad of [NaN, Infinity, undefined as never]) {
        expect(() => new Cut({ hf }).select({ x: 0, y: bad, z: 0 })).to.throw(
          /terrainMesh\.updateCut: camera must be three finite numbers, got \{ x = 0, y = \S+, z = 0 \}/,
        );
      }
      hf.close();
      expect(() => new Cut({ hf })).to.throw(
        'terrainMesh.create: this heightfield is closed (64 × 64 texels at 0, 0)',
      );
    });

    it('lowers the finest level to what the pool can hold around a camera, and says so', () => {
      const hf = fieldOf(field);
      const tight = new Cut({ hf, nodeVerts: 3, maxNodes: 40 });
      expect([tight.maxLevel, tight.loweredFrom]).to.deep.equal([2, 6]);
      expect(new Cut({ hf, nodeVerts: 3, maxNodes: 97 })).to.include({ maxLevel: 6, loweredFrom: null });
      expect(new Cut({ hf, maxNodes: 4 })).to.include({ maxLevel: 0, loweredFrom: 2 });
      // On a corner of four nodes at every level, inside their boxes: the worst place.
      for (const maxNodes of [17, 33, 65, 97, 100]) {
        const cut = new Cut({ hf, nodeVerts: 3, maxNodes });
        cut.select({ x: 0, y: hf.heightAt(0, 0), z: 0 });
        expect(cut.lodFactor).to.be.above(0);
      }
    });

    it('default to the half-texel spacing, so that the finest nodes visit every stop', () => {
      const hf = Heightfield.fromTexture(randomTexture(800, 600, 1), { size: [800, 600] });
      const cut = new Cut({ hf });
      expect(cut.root).to.deep.equal({ size: 200, columns: 4, rows: 3 });
      expect(cut.minNodeSize).to.equal(16);
      expect(cut.root.size / 2 ** cut.maxLevel / 32).to.be.at.most(0.5);
    });
  });

  describe('reset', () => {
    it('takes the ground that was read again, and keeps the slots of nodes that stay', async () => {
      let height = 0;
      const flat = () => {
        const texture = randomTexture(64, 64, 1, 0);
        texture.update({ data: () => [height, 0, 0, 1] });
        return texture;
      };
      const hf = Heightfield.fromTexture(flat(), { size: [64, 64] }, async () => ({ texture: flat() }));
      const cut = new Cut({ hf, nodeVerts: 5 });
      const camera = { x: 0, y: 500, z: 0 };
      cut.select(camera);
      expect(cut.count).to.equal(1);
      const slot = cut.slot[0];
      height = 490;
      await hf.refresh();
      cut.reset();
      expect(cut.select(camera).changed).to.be.true;
      expect(cut.count).to.be.above(16);
      height = 0;
      await hf.refresh();
      cut.reset();
      cut.select(camera);
      expect([cut.count, cut.slot[0]]).to.deep.equal([1, slot]);
      cut.reset();
      expect(cut.select(camera).changed).to.be.false;
    });
  });
});
