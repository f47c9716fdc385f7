// What of a node's cells has ground, from the holes of its heightfield: all, none, or some. A mesh is exact along holes, so a node of the
// last kind is split down to its cells, and one without ground is drawn as nothing.
import type { NodeTree } from './nodeTree.js';
import type { StopLattice } from './stopLattice.js';

export const enum Cover {
  Whole,
  None,
  Some,
}

/** Cover of each node of `tree`; null where there are no holes. */
export function nodeCover(lattice: StopLattice, tree: NodeTree): Uint8Array | null {
  if (!lattice.masked) return null;
  const { cellsX, cellsZ, top } = tree;
  const cover = new Uint8Array(tree.count);
  for (let level = 1; level <= top; level++) {
    const columns = tree.columns[level];
    for (let iz = 0; iz < tree.rows[level]; iz++) {
      for (let ix = 0; ix < columns; ix++) {
        let seen: Cover | -1 = -1;
        const toX =
          level === 1 ? Math.min(2 * ix + 2, cellsX) : Math.min(2 * ix + 2, tree.columns[level - 1]);
        const toZ = level === 1 ? Math.min(2 * iz + 2, cellsZ) : Math.min(2 * iz + 2, tree.rows[level - 1]);
        for (let z = 2 * iz; z < toZ; z++) {
          for (let x = 2 * ix; x < toX; x++) {
            const part: Cover =
              level > 1
                ? cover[tree.id(level - 1, x, z)]
                : lattice.hasGround(x, z)
                  ? Cover.Whole
                  : Cover.None;
            seen = seen === -1 || seen === part ? part : Cover.Some;
          }
        }
        cover[tree.id(level, ix, iz)] = seen;
      }
    }
  }
  return cover;
}
