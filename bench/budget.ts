// What budgets cost a script: a tight arithmetic loop, one that mostly calls the engine (hf:heightAt), and one of tables and strings,
// each with every limit set and with none, in one process and in rounds that take turns. `npm run bench budget`
import { heightfieldHandle } from '../bindings/terrainHeightfield.js';
import { arg, Vm, type LuaFunction } from '../bindings/vm/index.js';
import { Heightfield } from '../runtime/terrain/heightfield.js';
import { Texture } from '../runtime/texture/texture.js';
import { median, type Row } from './measurement.js';

const ROUNDS = 61;
const SIDE = 64;

const LOOPS: Record<string, { source: string; most: number | null }> = {
  'a tight loop of arithmetic': {
    source: 'local sum = 0.0 for i = 1, 30000 do sum = sum + i * 0.5 - sum / 3 end return sum',
    most: 1.2,
  },
  'a loop that mostly calls the engine': {
    source:
      'local hf, sum = hf, 0.0 for i = 1, 6000 do sum = sum + hf:heightAt(i % 50 - 25.0, i % 41 - 20.0) end return sum',
    most: 1.07,
  },
  'a loop of tables and strings': {
    source:
      'local n = 0 for i = 1, 1500 do local t = { i, i + 1, name = "n" .. i } n = n + #t + #t.name:upper() end return n',
    most: null,
  },
};

export async function run(): Promise<Row[]> {
  const vm = new Vm();
  const texels = new Float32Array(SIDE * SIDE * 4).map((_, i) => (i % 4 === 3 ? 1 : Math.sin(i)));
  const hf = Heightfield.fromTexture(new Texture(SIDE, SIDE, 'rgba32f', texels), { size: [100, 100] });
  let taken: LuaFunction | null = null;
  vm.register('bench', {
    field: (L) => (heightfieldHandle.push(L, hf), 1),
    take: (L) => ((taken = arg.func(L, 1, 'f')), 0),
  });
  await vm.run('hf = bench.field()', 'budget.lua');
  const rows: Row[] = [];
  for (const [name, { source, most }] of Object.entries(LOOPS)) {
    await vm.run(`bench.take(function() ${source} end)`, 'budget.lua');
    const loop = taken as unknown as LuaFunction;
    const times: Record<'with' | 'without', number[]> = { with: [], without: [] };
    for (let round = 0; round < ROUNDS; round++)
      for (const kind of ['with', 'without'] as const) {
        vm.setBudget(
          kind === 'with' ? { ms: 1e6, instructions: 1e12, strings: 1e12, objects: 1e12, lines: 1e9 } : null,
        );
        const start = performance.now();
        await vm.call(loop);
        if (round > 5) times[kind].push(performance.now() - start);
      }
    const ratio = median(times.with) / median(times.without);
    rows.push({
      name: `${name}, with every limit against none`,
      value: `${ratio.toFixed(2)}x (${median(times.with).toFixed(2)} ms, ${median(times.without).toFixed(2)} ms)`,
      bound: most === null ? '' : `at most ${most}x`,
      ok: most === null || ratio <= most,
    });
  }
  return rows;
}
