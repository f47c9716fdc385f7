// What shared boundaries cost the processor: 1,000 tiles that meet, their outlines of 16 edges each, at levels 2 and 6. A frame in
// which nothing changes; one in which a tile moves; and all at once, as when a scene is opened. `npm run bench boundaries`
import { pathToFileURL } from 'node:url';
import { plane } from '../runtime/renderer/primitives.js';
import { Boundaries, type BoundarySurface } from '../runtime/tessellation/boundaries.js';
import { displacedAlong, displacedCorner } from '../runtime/tessellation/displace.js';
import { SourceMesh } from '../runtime/tessellation/sourceMesh.js';
import { composeMatrix, vec3 } from '../runtime/world/vector.js';
import { median, type Row } from './measurement.js';

const TILES = 1000;
const COLUMNS = 32;
const ROUNDS = 41;
/** Milliseconds of a frame in which nothing changes; the whole of tessellation has 0.5. */
const MOST_SAME = 0.25;

function makeTiles(level: number): (index: number, height?: number) => BoundarySurface {
  const { vertices, indices } = plane({ columns: 4, rows: 4 });
  const source = SourceMesh.of('tile', vertices, indices);
  const data = Float32Array.from({ length: 64 * 64 }, (_, k) => Math.sin(k));
  const heights = { data, width: 64, height: 64, clamp: false, low: -1, high: 1 };
  const displacement = { heights, scale: 0.1, stretch: null };
  // Turned, so that no place is met exactly: the dearer case.
  const turn = Math.PI / 6;
  const [c, s] = [Math.cos(turn), Math.sin(turn)];
  return (index, height = 0) => {
    const [x, z] = [index % COLUMNS, Math.floor(index / COLUMNS)];
    return {
      id: index,
      matrix: composeMatrix(vec3(c * x + s * z, height, c * z - s * x), vec3(0, 30, 0), vec3(1, 1, 1)),
      level,
      stitch: true,
      version: 0,
      source,
      displacedCorner: (corner, out) => displacedCorner(source, corner, displacement, out),
      displacedEdge: (edge, n, out) => displacedAlong(source, edge, n, displacement, out),
    };
  };
}

const timed = (work: () => unknown): number => {
  const start = performance.now();
  work();
  return performance.now() - start;
};

export function run(): Promise<Row[]> {
  const rows = [2, 6].flatMap((level): Row[] => {
    const make = makeTiles(level);
    const tiles = Array.from({ length: TILES }, (_, index) => make(index));
    const boundaries = new Boundaries();
    const first = timed(() => boundaries.update(tiles));
    if (tiles.some(({ id }) => boundaries.planOf(id).edgePlaces.size === 0))
      throw new Error('bench: a tile meets no other');
    const same = median(Array.from({ length: ROUNDS }, () => timed(() => boundaries.update(tiles))));
    const moving = Array.from({ length: ROUNDS }, (_, round) => {
      tiles[TILES / 2] = make(TILES / 2, (round + 1) % 2);
      return timed(() => boundaries.update(tiles));
    });
    return [
      {
        name: `shared boundaries of ${TILES} tiles at level ${level}, nothing changes`,
        value: `${same.toFixed(3)} ms`,
        bound: `at most ${MOST_SAME} ms`,
        ok: same <= MOST_SAME,
      },
      { name: `… one of them moves`, value: `${median(moving).toFixed(2)} ms`, bound: '', ok: true },
      { name: `… all of them come`, value: `${first.toFixed(0)} ms`, bound: '', ok: true },
    ];
  });
  return Promise.resolve(rows);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) console.table(await run());
