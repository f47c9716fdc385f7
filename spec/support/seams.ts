// Judges of a drawn terrain that know only its triangles and where its nodes lie: edges that one triangle uses, and
// vertices that two nodes share.
import type { Cut } from '../../runtime/terrain/cut.js';
import type { TerrainNode } from '../../runtime/terrain/terrainNodes.js';
import { VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import type { PoolReading } from './terrain.js';

type Place = [number, number, number];

/** The triangles of the index run that have an area to speak of: no two corners are one place. */
export function* drawnTriangles(reading: PoolReading): Generator<[Place, Place, Place]> {
  const { indices } = reading;
  for (let t = 0; t < indices.length; t += 3) {
    const corners = [0, 1, 2].map((c) => placeOf(reading, indices[t + c])) as [Place, Place, Place];
    if (!same(corners[0], corners[1]) && !same(corners[1], corners[2]) && !same(corners[0], corners[2]))
      yield corners;
  }
}

const placeOf = ({ words }: PoolReading, vertex: number): Place => {
  const at = vertex * VERTEX_WORDS;
  return [words[at], words[at + 1], words[at + 2]];
};
const same = (a: Place, b: Place) => a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
const edgeKey = (a: Place, b: Place) => `${a.join()}|${b.join()}`;

/** Where the drawn ground is: asks whether the finest cell at (column, row), counted from the cut's corner, is drawn. */
function coverage(nodes: readonly TerrainNode[], maxLevel: number): (column: number, row: number) => boolean {
  const drawn = new Set(nodes.map(({ level, ix, iz }) => `${level},${ix},${iz}`));
  return (column, row) => {
    if (column < 0 || row < 0) return false;
    for (let level = maxLevel; level >= 0; level--) {
      if (drawn.has(`${level},${column >> (maxLevel - level)},${row >> (maxLevel - level)}`)) return true;
    }
    return false;
  };
}

/** One side of a node: its vertices in order, and the finest cell outside each quad of it. */
function sides(node: TerrainNode, nodeVerts: number, maxLevel: number) {
  const n = nodeVerts - 1;
  // Finest cells: twice a level's node indices for each level below it. A quad is a part of a cell; its own is taken.
  const span = 2 ** (maxLevel - node.level);
  const cell = (ix: number, i: number) => ix * span + Math.floor((i * span) / n);
  const column = (i: number) => cell(node.ix, i);
  const row = (j: number) => cell(node.iz, j);
  return [
    { vertex: (k: number) => [0, k] as const, outside: (k: number) => [node.ix * span - 1, row(k)] as const },
    {
      vertex: (k: number) => [n, k] as const,
      outside: (k: number) => [(node.ix + 1) * span, row(k)] as const,
    },
    {
      vertex: (k: number) => [k, 0] as const,
      outside: (k: number) => [column(k), node.iz * span - 1] as const,
    },
    {
      vertex: (k: number) => [k, n] as const,
      outside: (k: number) => [column(k), (node.iz + 1) * span] as const,
    },
  ];
}

/** Edges of drawn triangles that no second triangle uses the other way round, but for those on the outline of what is drawn. */
export function openEdges(reading: PoolReading, cut: Cut): string[] {
  const used = new Map<string, number>();
  for (const [a, b, c] of drawnTriangles(reading)) {
    for (const [from, to] of [
      [a, b],
      [b, c],
      [c, a],
    ]) {
      const back = edgeKey(to, from);
      const open = used.get(back) ?? 0;
      if (open > 0) used.set(back, open - 1);
      else used.set(edgeKey(from, to), (used.get(edgeKey(from, to)) ?? 0) + 1);
    }
  }
  // Along the outline a vertex may have any number of quads' edges; they start and end on outline vertices of one side.
  const outline = new Set<string>();
  const covered = coverage(reading.nodes, cut.maxLevel);
  for (const node of reading.nodes) {
    for (const side of sides(node, reading.nodeVerts, cut.maxLevel)) {
      for (let k = 0; k < reading.nodeVerts - 1; k++) {
        const [column, row] = side.outside(k);
        if (inRect(cut, column, row) && covered(column, row)) continue;
        const [a, b] = [side.vertex(k), side.vertex(k + 1)].map(([i, j]) =>
          reading.position(node.slot, i, j),
        );
        outline.add(edgeKey(a, b));
        outline.add(edgeKey(b, a));
      }
    }
  }
  return [...used].filter(([key, count]) => count > 0 && !outline.has(key)).map(([key]) => key);
}

/** False for a finest cell wholly past the cut's rect, where ground has no area. */
function inRect(cut: Cut, column: number, row: number): boolean {
  const size = cut.root.size / 2 ** cut.maxLevel;
  return column * size < cut.rect.maxX - cut.rect.minX && row * size < cut.rect.maxZ - cut.rect.minZ;
}

/** Compares, bit for bit, the vertices that two drawn nodes have at one finest index: all that meet there must agree. */
export function sharedVertices(reading: PoolReading, cut: Cut): { compared: number; different: string[] } {
  const n = reading.nodeVerts - 1;
  const known = new Map<string, string>();
  const different: string[] = [];
  let compared = 0;
  for (const node of reading.nodes) {
    const step = 2 ** (cut.maxLevel - node.level);
    for (let k = 0; k <= n; k++) {
      for (const [i, j] of new Set([
        [0, k],
        [n, k],
        [k, 0],
        [k, n],
      ] as const)) {
        // A vertex between two of the coarser neighbour's stands on the one before it, by the stitch.
        const odd =
          ((i === 0 && node.coarseMask & 1) || (i === n && node.coarseMask & 2)) &&
          (node.iz * n + j) % 2 === 1
            ? true
            : ((j === 0 && node.coarseMask & 4) || (j === n && node.coarseMask & 8)) &&
              (node.ix * n + i) % 2 === 1;
        if (odd) continue;
        const place = `${(node.ix * n + i) * step},${(node.iz * n + j) * step}`;
        const bits = reading.key(node.slot, i, j);
        const before = known.get(place);
        if (before === undefined) known.set(place, bits);
        else {
          compared++;
          if (before !== bits) different.push(`${place} in level ${node.level}`);
        }
      }
    }
  }
  return { compared, different };
}
