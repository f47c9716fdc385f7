import { expect } from 'chai';
import type { Point, TerrainMesh } from '../../runtime/terrain/terrainMesh.js';
import type { TerrainNode } from '../../runtime/terrain/terrainNodes.js';
import { VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { freeing } from '../support/gpu.js';
import { fieldTexture, GROUNDS, makeMesh, openField, PoolReading } from '../support/terrain.js';

const N = 8;
const id = ({ level, ix, iz }: { level: number; ix: number; iz: number }) => `${level},${ix},${iz}`;
const between = (a: Point, b: Point, t: number): Point => ({
  x: a.x + (b.x - a.x) * t,
  y: a.y + (b.y - a.y) * t,
  z: a.z + (b.z - a.z) * t,
});

/** The node's ancestor `up` levels above. */
const ancestor = (node: TerrainNode, up: number) =>
  id({ level: node.level - up, ix: node.ix >> up, iz: node.iz >> up });

/** Narrows a path down to two cameras, next to each other in numbers, between which the nodes of the cut change. */
function change(mesh: TerrainMesh, from: Point, to: Point): [before: Point, after: Point] | null {
  const cutAt = (t: number) => {
    mesh.updateCut(between(from, to, t));
    return mesh.nodes().map(id).join(' ');
  };
  const first = cutAt(0);
  if (cutAt(1) === first) return null;
  let [low, high] = [0, 1];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (cutAt(middle) === first) low = middle;
    else high = middle;
  }
  return [between(from, to, low), between(from, to, high)];
}

/** Every vertex drawn, by what it stands for: node and column and row. */
async function drawn(mesh: TerrainMesh): Promise<{ reading: PoolReading; byNode: Map<string, TerrainNode> }> {
  const reading = await PoolReading.of(mesh);
  return { reading, byNode: new Map(reading.nodes.map((node) => [id(node), node])) };
}

/** Calls `pair` with each vertex of the finer of two overlapping nodes and the vertex of the coarser that it merges into. */
function eachPair(
  a: { reading: PoolReading; byNode: Map<string, TerrainNode> },
  b: { reading: PoolReading; byNode: Map<string, TerrainNode> },
  pair: (a: number, b: number, levels: number) => void,
): void {
  for (const [fine, coarse, swap] of [
    [a, b, false],
    [b, a, true],
  ] as const) {
    for (const node of fine.byNode.values()) {
      for (let up = swap ? 1 : 0; up <= node.level; up++) {
        const over = coarse.byNode.get(ancestor(node, up));
        if (!over) continue;
        for (let j = 0; j <= N; j++) {
          for (let i = 0; i <= N; i++) {
            const column = ((node.ix * N + i) >> up) - over.ix * N;
            const row = ((node.iz * N + j) >> up) - over.iz * N;
            if (column < 0 || row < 0) continue;
            const at = fine.reading.at(node.slot, i, j);
            const to = coarse.reading.at(over.slot, column, row);
            if (swap) pair(to, at, up);
            else pair(at, to, up);
          }
        }
        break;
      }
    }
  }
}

describe('terrainMesh', () => {
  describe('popping', () => {
    for (const ground of ['flat', 'hilly', 'stepped'] as const) {
      for (const maxNodes of [200, 52]) {
        const lodFactor = maxNodes === 52 ? 4 : 2;
        const kind = `${ground} ground, ${maxNodes === 52 ? 'where the pool lowers the factor' : 'within the pool'}`;

        it(`draws the same vertices before and after a merge or a split, bit for bit: ${kind}`, () =>
          freeing(async (gpu) => {
            const hf = openField(gpu, fieldTexture(32, 32, GROUNDS[ground], [32, 32]));
            const high = hf.heightRange.high;
            const [from, to] = [
              { x: -9, y: high + 3, z: 2 },
              { x: 21, y: high + 14, z: 17 },
            ];
            const { mesh } = await makeMesh(gpu, hf, {
              camera: from,
              nodeVerts: N + 1,
              maxNodes,
              lodFactor,
            });
            if (maxNodes === 52) expect(mesh.cut.lodFactor).to.be.lessThan(lodFactor);
            let changes = 0;
            let compared = 0;
            let different = 0;
            for (let step = 0; step < 12; step++) {
              const found = change(mesh, between(from, to, step / 12), between(from, to, (step + 1) / 12));
              if (!found) continue;
              changes++;
              const [before, after] = found;
              mesh.updateCut(before);
              const old = mesh.nodes();
              mesh.updateCut(after);
              // From one camera the old nodes and the new ones: only the nodes differ. Neither has stitched an edge here
              // that the other has not, so the masks go in as they stand.
              const fresh = await drawn(mesh);
              mesh.build(old);
              const words = await mesh.vertexBuffer.read();
              const bits = new Uint32Array(words.buffer);
              const stale = {
                reading: Object.assign(Object.create(PoolReading.prototype) as PoolReading, {
                  nodes: old,
                  nodeVerts: N + 1,
                  words,
                  bits,
                  indices: new Uint32Array(0),
                }),
                byNode: new Map(old.map((node) => [id(node), node])),
              };
              eachPair(stale, fresh, (a, b, levels) => {
                if (levels === 0) return;
                compared++;
                for (let word = 0; word < VERTEX_WORDS; word++) {
                  if (stale.reading.bits[a + word] !== fresh.reading.bits[b + word]) different++;
                }
              });
              mesh.updateCut(before);
            }
            expect(different).to.equal(0);
            expect(changes).to.be.greaterThan(3);
            expect(compared).to.be.greaterThan(500);
            mesh.destroy();
            hf.close();
          }));

        it(`moves no vertex by a jump along a slow path: ${kind}`, () =>
          freeing(async (gpu) => {
            const hf = openField(gpu, fieldTexture(32, 32, GROUNDS[ground], [32, 32]));
            const { low, high } = hf.heightRange;
            const from = { x: -6, y: high + 2, z: -4 };
            const { mesh } = await makeMesh(gpu, hf, {
              camera: from,
              nodeVerts: N + 1,
              maxNodes,
              lodFactor,
            });
            let before = await drawn(mesh);
            let lastFactor = mesh.cut.lodFactor;
            let merges = 0;
            let rise = 0;
            let slide = 0;
            for (let step = 1; step <= 80; step++) {
              const moved = 0.03;
              const camera = { x: from.x + step * moved, y: from.y, z: from.z };
              const { lodFactor: factor } = mesh.updateCut(camera);
              const after = await drawn(mesh);
              // The morph runs over 0.3 of lodFactor × size: its speed is at most (path + the factor's own change, at the
              // finest parent's size) over that band, for each level, times how far a vertex has to go.
              const parent = mesh.cut.root.size / 2 ** (mesh.cut.maxLevel - 1);
              const band = 0.299 * Math.min(factor, lastFactor) * parent;
              const change =
                moved + (Math.abs(factor - lastFactor) / factor) * Math.max(...reach(mesh, camera));
              const speed = (change / band) * (mesh.cut.maxLevel + 1);
              const farthest = high - low + 2 * mesh.cut.root.size;
              eachPair(before, after, (a, b, levels) => {
                const p = before.reading.words;
                const q = after.reading.words;
                if (levels > 0) merges++;
                rise = Math.max(rise, Math.abs(p[a + 1] - q[b + 1]) - speed * (high - low));
                const slid = Math.hypot(p[a] - q[b], p[a + 2] - q[b + 2]);
                slide = Math.max(slide, slid - Math.min(speed, 1) * farthest);
              });
              before = after;
              lastFactor = factor;
            }
            expect(rise, 'metres up or down beyond what the morph may do').to.be.at.most(1e-4);
            expect(slide, 'metres sideways beyond what the morph may do').to.be.at.most(1e-4);
            if (maxNodes === 520) expect(merges).to.be.greaterThan(0);
            mesh.destroy();
            hf.close();
          }));
      }
    }
  });
});

/** Distances from a camera to the corners of what is drawn. */
function reach(mesh: TerrainMesh, camera: Point): number[] {
  const { minX, maxX, minZ, maxZ } = mesh.cut.rect;
  const { low, high } = mesh.hf.heightRange;
  return [minX, maxX].flatMap((x) =>
    [minZ, maxZ].flatMap((z) => [low, high].map((y) => Math.hypot(x - camera.x, y - camera.y, z - camera.z))),
  );
}
