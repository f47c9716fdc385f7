// The nodes of a cut as people see and hand them in: records, and the checks of a list that somebody made.
import { checkInteger, MoonscapeError, refuse } from '../errors.js';
import type { Cut } from './cut.js';
import type { KeepNode } from './keepAnswers.js';

/** A node of the cut. */
export interface TerrainNode extends KeepNode {
  /** Its place in the pool. */
  slot: number;
  /** Edges whose neighbour is one level coarser: 1 −X, 2 +X, 4 −Z, 8 +Z. */
  coarseMask: number;
}

/** A list of nodes in arrays, the first `count` of them in use. */
export interface NodeList {
  count: number;
  level: ArrayLike<number>;
  ix: ArrayLike<number>;
  iz: ArrayLike<number>;
  slot: ArrayLike<number>;
  coarseMask: ArrayLike<number>;
}

/** Node number `entry` of a list of nodes on the cut's grid; default: of the cut itself. */
export function nodeOf(cut: Cut, entry: number, list: NodeList = cut): TerrainNode {
  const level = list.level[entry];
  const size = cut.root.size / 2 ** level;
  const ix = list.ix[entry];
  const iz = list.iz[entry];
  return {
    level,
    ix,
    iz,
    x: cut.cornerX + ix * size,
    z: cut.cornerZ + iz * size,
    size,
    slot: list.slot[entry],
    coarseMask: list.coarseMask[entry],
  };
}

/** Turns records into a list; refuses a node off the cut's grid, naming both, a slot used twice and a list past the pool. */
export function checkNodes(where: string, cut: Cut, nodes: readonly TerrainNode[]): NodeList {
  if (nodes.length > cut.maxNodes)
    refuse(where, 'nodes', `at most maxNodes (${cut.maxNodes}) long`, nodes.length);
  const slots = new Set<number>();
  nodes.forEach((node, at) => {
    const name = `node ${at + 1} of the list`;
    checkInteger(where, `${name}: level`, node.level, { min: 0, max: cut.maxLevel });
    checkInteger(where, `${name}: coarseMask`, node.coarseMask, { min: 0, max: node.level === 0 ? 0 : 15 });
    checkInteger(where, `${name}: slot`, node.slot, { min: 0, max: cut.maxNodes - 1 });
    if (slots.has(node.slot)) refuse(where, `${name}: slot`, 'a slot that no other node has', node.slot);
    slots.add(node.slot);
    checkOnGrid(where, name, cut, node);
  });
  const field = (name: keyof TerrainNode) => nodes.map((node) => node[name]);
  return {
    count: nodes.length,
    level: field('level'),
    ix: field('ix'),
    iz: field('iz'),
    slot: field('slot'),
    coarseMask: field('coarseMask'),
  };
}

function checkOnGrid(where: string, name: string, cut: Cut, node: TerrainNode): void {
  const { level, ix, iz, x, z, size } = node;
  const side = cut.root.size / 2 ** level;
  const columns = cut.root.columns * 2 ** level;
  const rows = cut.root.rows * 2 ** level;
  const whole =
    Number.isInteger(ix) && Number.isInteger(iz) && ix >= 0 && iz >= 0 && ix < columns && iz < rows;
  const near = (a: number, b: number) => Math.abs(a - b) <= 1e-6 * side;
  if (whole && near(size, side) && near(x, cut.cornerX + ix * side) && near(z, cut.cornerZ + iz * side))
    return;
  throw new MoonscapeError(
    `${where}: ${name} (level ${level}, ix ${ix}, iz ${iz}, corner ${x}, ${z}, size ${size}) does not stand on the ` +
      `cut's grid: ${columns} × ${rows} nodes of ${side} m from ${cut.cornerX}, ${cut.cornerZ}`,
  );
}
