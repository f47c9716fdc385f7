// The error of a node holds for whatever its neighbours do: judged on random patterns of split nodes, not only on those that errors choose.
import { expect } from 'chai';
import fc from 'fast-check';
import { ErrorTree } from '../../runtime/errorMesh/errorTree.js';
import { Fans } from '../../runtime/errorMesh/fans.js';
import { StopLattice } from '../../runtime/errorMesh/stopLattice.js';
import { Texture } from '../../runtime/texture/texture.js';
import { endsGround, errorOf, groundArea, judge } from '../support/errorMesh.js';
import { fieldFacts, fieldOf, randomFrom } from '../support/fields.js';

const SPLIT = 1;

/** Random holes: in `share` of the texels. */
function mask(width: number, height: number, share: number, seed: number): Texture {
  const random = randomFrom(seed);
  return Texture.create({ width, height, format: 'r8', data: () => [random() < share ? 0 : 255] });
}

const withHoles = fc.record({
  facts: fieldFacts,
  share: fc.constantFrom(0, 0, 0.02, 0.3, 1),
  seed: fc.nat(2 ** 31),
});

function open({ facts, share, seed }: { facts: Parameters<typeof fieldOf>[0]; share: number; seed: number }) {
  const holes = share > 0 ? mask(...facts.texels, share, seed) : undefined;
  const hf = fieldOf(facts, holes ? { holes } : {});
  return { hf, lattice: new StopLattice(hf) };
}

/** Nodes that are not split, as `visit` is told; `splits` is asked of each node that may be drawn. */
function each(
  tree: ErrorTree,
  splits: (id: number) => boolean,
  visit: (level: number, ix: number, iz: number, split: boolean) => void,
): void {
  const { nodes } = tree;
  const go = (level: number, ix: number, iz: number): void => {
    const id = nodes.id(level, ix, iz);
    if (tree.errors[id] < 0) return;
    const split = tree.errors[id] === Infinity || splits(id);
    visit(level, ix, iz, split);
    if (!split || level === 1) return;
    for (let z = 2 * iz; z < Math.min(2 * iz + 2, nodes.rows[level - 1]); z++)
      for (let x = 2 * ix; x < Math.min(2 * ix + 2, nodes.columns[level - 1]); x++) go(level - 1, x, z);
  };
  go(nodes.top, 0, 0);
}

/** The mesh of a choice of split nodes, and the triangles of each drawn node. */
function meshOf(lattice: StopLattice, tree: ErrorTree, splits: (id: number) => boolean) {
  const flags = new Int32Array(tree.nodes.count);
  each(tree, splits, (level, ix, iz, split) => (flags[tree.nodes.id(level, ix, iz)] = split ? SPLIT : 0));
  const fans = new Fans(lattice, tree.nodes, flags);
  const drawn: { id: number; first: number; count: number }[] = [];
  each(tree, splits, (level, ix, iz, split) => {
    const first = fans.count;
    if (!split) fans.putNode(level, ix, iz, SPLIT);
    else if (level === 1) fans.putCells(ix, iz);
    drawn.push({ id: split ? -1 : tree.nodes.id(level, ix, iz), first, count: fans.count - first });
  });
  return { indices: fans.indices.slice(0, fans.count), drawn };
}

/** A choice of about `share` of the nodes. */
function anyNodes(tree: ErrorTree, share: number, seed: number): (id: number) => boolean {
  const random = randomFrom(seed + 1);
  const chosen = Array.from({ length: tree.nodes.count }, () => random() < share);
  return (id) => chosen[id];
}

describe('errorMesh tree', () => {
  it('meshes any choice of split nodes without a crack, over all ground and no hole', () => {
    fc.assert(
      fc.property(withHoles, fc.double({ min: 0, max: 1, noNaN: true }), (field, share) => {
        const { lattice } = open(field);
        const tree = new ErrorTree(lattice);
        const { indices } = meshOf(lattice, tree, anyNodes(tree, 0.4 + 0.6 * share, field.seed));
        const judged = judge(lattice, indices);
        expect(judged.turned, 'turned').to.equal(0);
        expect(judged.bad, 'edges used twice one way').to.equal(0);
        expect(judged.area).to.equal(groundArea(lattice));
        for (const edge of judged.open) expect(endsGround(lattice, edge), `edge ${edge}`).to.equal(true);
      }),
      { numRuns: 150 },
    );
  });

  it('bounds the distance of each node’s triangles to every stop under them, whatever its neighbours are', () => {
    let nodes = 0;
    let tight = 0;
    fc.assert(
      fc.property(withHoles, fc.double({ min: 0, max: 1, noNaN: true }), (field, share) => {
        const { lattice } = open(field);
        const tree = new ErrorTree(lattice);
        const { indices, drawn } = meshOf(lattice, tree, anyNodes(tree, 0.3 + 0.65 * share, field.seed));
        for (const { id, first, count } of drawn) {
          let most = 0;
          for (let k = first; k < first + count; k += 3)
            most = Math.max(most, errorOf(lattice, [indices[k], indices[k + 1], indices[k + 2]]));
          const bound = id < 0 ? 0 : tree.errors[id];
          expect(most).to.be.at.most(bound + 1e-9);
          if (id >= 0 && bound > 0) {
            nodes++;
            if (most > bound / 2) tight++;
          }
        }
      }),
      { numRuns: 150 },
    );
    // No bound of twice what is ever needed: on pure noise, the worst there is, more than half of them come near.
    expect(tight / nodes).to.be.above(0.5);
  });

  it('rises toward the root, and says the range of the ground', () => {
    fc.assert(
      fc.property(withHoles, (field) => {
        const { lattice } = open(field);
        const tree = new ErrorTree(lattice);
        const { nodes, errors, lows, highs } = tree;
        for (let level = 2; level <= nodes.top; level++) {
          for (let iz = 0; iz < nodes.rows[level - 1]; iz++) {
            for (let ix = 0; ix < nodes.columns[level - 1]; ix++) {
              const [child, parent] = [nodes.id(level - 1, ix, iz), nodes.id(level, ix >> 1, iz >> 1)];
              expect(errors[parent]).to.be.at.least(errors[child]);
              expect(lows[parent]).to.be.at.most(lows[child]);
              expect(highs[parent]).to.be.at.least(highs[child]);
            }
          }
        }
        expect(lows[nodes.root]).to.equal(lattice.heights.reduce((a, b) => Math.min(a, b)));
        expect(highs[nodes.root]).to.equal(lattice.heights.reduce((a, b) => Math.max(a, b)));
      }),
    );
  });

  it('stays within a bound that the nodes are chosen by, with ever fewer triangles as it rises', () => {
    fc.assert(
      fc.property(withHoles, (field) => {
        const { lattice } = open(field);
        const tree = new ErrorTree(lattice);
        let before = Infinity;
        for (const bound of [0, 0.5, 2, 5, 9, 13, 100]) {
          const { indices } = meshOf(lattice, tree, (id) => tree.errors[id] >= bound);
          expect(judge(lattice, indices).error).to.be.at.most(bound);
          expect(indices.length).to.be.at.most(before);
          before = indices.length;
        }
        if (!lattice.masked) expect(before).to.be.at.most(3 * 4);
      }),
      { numRuns: 60 },
    );
  });

  it('is the surface itself, every cell of it, at a bound of 0', () => {
    const { lattice, hf } = open({
      facts: { texels: [21, 13], texel: [2, 3], origin: [5, 7], seed: 3 },
      share: 0.1,
      seed: 4,
    });
    const tree = new ErrorTree(lattice);
    const { indices } = meshOf(lattice, tree, () => true);
    expect(indices.length / 3).to.equal(2 * countGround(lattice));
    // The triangles meet on heightAt's diagonal: at the middle of a cell they say what it says.
    for (let k = 0; k < indices.length; k += 3) {
      const stops = [indices[k], indices[k + 1], indices[k + 2]];
      const mean = (of: (stop: number) => number) => stops.reduce((sum, stop) => sum + of(stop), 0) / 3;
      const x = mean((stop) => lattice.worldX[stop % lattice.cols]);
      const z = mean((stop) => lattice.worldZ[Math.floor(stop / lattice.cols)]);
      expect(mean((stop) => lattice.heights[stop])).to.be.closeTo(hf.heightAt(x, z), 1e-6);
    }
  });

  it('follows an edit as if it were made anew', () => {
    fc.assert(
      fc.property(withHoles, fc.nat(2 ** 31), (field, seed) => {
        const { lattice, hf } = open(field);
        const tree = new ErrorTree(lattice);
        const random = randomFrom(seed);
        const among = (count: number) => Math.floor(random() * count);
        for (let edit = 0; edit < 3; edit++) {
          const [col, row] = [among(hf.width), among(hf.height)];
          const [cols, rows] = [
            1 + among(Math.min(6, hf.width - col)),
            1 + among(Math.min(6, hf.height - row)),
          ];
          const heights = Array.from({ length: cols * rows }, () => 20 * random() - 10);
          hf.setHeights(col, row, cols, rows, heights);
          tree.update({ col, row, cols, rows });
          const fresh = new ErrorTree(new StopLattice(hf));
          for (const name of ['errors', 'lows', 'highs'] as const)
            expect(tree[name], name).to.deep.equal(fresh[name]);
        }
      }),
      { numRuns: 60 },
    );
  });
});

function countGround(lattice: StopLattice): number {
  let count = 0;
  for (let j = 0; j < lattice.cellsZ; j++)
    for (let i = 0; i < lattice.cellsX; i++) if (lattice.hasGround(i, j)) count++;
  return count;
}
