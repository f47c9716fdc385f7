// A random walk with edits, plays, removals: no error, and what stands stays the same. `npm run bench walk` goes on for ten minutes
// of frames.
import { expect } from 'chai';
import { runScene } from '../support/lua.js';
import { WALK, walk } from '../support/walk.js';

/** Bytes of heap that a JIT and its caches add over the walk; a thing kept a frame is more. */
const HEAP_SLACK = 2_000_000;

describe('a world over time', function () {
  this.timeout(120_000);

  it('walks 1,200 frames with edits, plays and removals, and memory stays flat', async () => {
    await runScene(WALK, {
      name: 'walk.lua',
      look: async ({ runtime, lua }) => {
        const [, first, ...rest] = await walk(runtime, lua, {
          frames: 1200,
          drawEvery: 100,
          settleEvery: 200,
        });
        const { frame: _, heap, ...standing } = first;
        for (const { frame, heap: later, ...now } of rest) {
          expect(now, `at frame ${frame}`).to.deep.equal(standing);
          expect(later - heap, `heap at frame ${frame}`).to.be.below(HEAP_SLACK);
        }
      },
    });
  });
});
