// Ten minutes of frames at 60 a second of spec/fixtures/walk.lua: edits, plays, removals. `npm run bench walk`
import { openLua } from '../bindings/index.js';
import { createNodeHost } from '../runtime/host/node.js';
import { Runtime } from '../runtime/runtime.js';
import { WALK, walk } from '../spec/support/walk.js';
import type { Row } from './measurement.js';

const FRAMES = 36_000;
/** Bytes of heap that come and go with the collector's mood. */
const SLACK = 4 * 2 ** 20;

export async function run(): Promise<Row[]> {
  const runtime = await Runtime.create({ host: createNodeHost({ project: '.' }), width: 64, height: 36 });
  const failures: unknown[] = [];
  const lua = openLua(runtime, { failed: (error) => failures.push(error) });
  try {
    await lua.run(WALK, 'walk.lua');
    const start = performance.now();
    const list = await walk(runtime, lua, { frames: FRAMES, drawEvery: 300, settleEvery: 3000 });
    const seconds = (performance.now() - start) / 1000;
    const [first, ...rest] = list;
    const { frame: _, heap, ...standing } = first;
    const same = rest.every(
      ({ frame: _, heap: __, ...now }) => JSON.stringify(now) === JSON.stringify(standing),
    );
    const growth = rest.at(-1)!.heap - heap;
    return [
      {
        name: `${FRAMES} frames`,
        value: `${seconds.toFixed(0)} s, ${failures.length} errors`,
        bound: 'no error',
        ok: failures.length === 0,
      },
      {
        name: 'GPU bytes, entities, meshes, fields, components each 3,000 frames',
        value: same ? 'the same' : 'not the same',
        bound: 'the same',
        ok: same,
      },
      {
        name: 'heap from frame 3,000 to the end',
        value: `${(growth / 2 ** 20).toFixed(2)} MiB more`,
        bound: `under ${SLACK / 2 ** 20} MiB`,
        ok: growth < SLACK,
      },
    ];
  } finally {
    lua.close();
    await runtime.destroy();
  }
}
