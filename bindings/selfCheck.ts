// terrainHeightfield.check for Lua: a ground's queries, drawing, collider and rays held to each other. The work is
// runtime/terrain/selfCheck.ts.
import type { lua_State } from 'fengari';
import { MoonscapeError } from '../runtime/errors.js';
import type { CheckFinding, CheckResult } from '../runtime/terrain/selfCheck.js';
import { contextOf, waitFor } from './context.js';
import { heightfieldHandle } from './terrainHeightfield.js';
import { terrainMeshHandle } from './terrainMesh.js';
import { given } from './values.js';
import { arg, int, push, type Bindings } from './vm/index.js';

export const selfCheck: Bindings = {
  /** check(hf, state?, { samples?, seed?, views? }?) -> result. Waits. */
  check(L: lua_State) {
    const hf = heightfieldHandle.check(L, 1, 'hf');
    const state = arg.absent(L, 2) ? null : terrainMeshHandle.check(L, 2, 'state');
    if (state && state.hf !== hf)
      throw new MoonscapeError('terrainHeightfield.check: state must be a terrain mesh of this heightfield');
    const options = arg.options(L, 3).only('samples', 'seed', 'views').fields;
    const { terrains } = contextOf(L).runtime;
    const mesh = state ?? [...terrains].find((terrain) => terrain.hf === hf) ?? null;
    return waitFor(
      L,
      // What scenes hardly ever do comes with the first that does.
      async () => {
        const { checkGround } = await import('../runtime/terrain/selfCheck.js');
        const { reportCheck } = await import('../runtime/terrain/checkReport.js');
        const result = await checkGround(hf, { mesh, ...(given(options) as object) });
        return tableOf(result, reportCheck(hf, result, mesh !== null));
      },
      (L, table) => (push(L, table), 1),
    );
  },
};

/** The result as a script sees it: counts are integers, places are `{ x, z }`. */
function tableOf({ ok, samples, seed, places, pairs, detail, worst }: CheckResult, lines: string[]): object {
  return {
    ok,
    samples: int(samples),
    seed,
    places: Object.fromEntries(Object.entries(places).map(([kind, count]) => [kind, int(count)])),
    pairs: pairs.map((pair) => ({
      ...{ pair: pair.pair, ok: pair.ok, compared: int(pair.compared), empty: int(pair.empty) },
      ...{ over: int(pair.over), missing: int(pair.missing) },
      ...findingTable(pair.worst),
    })),
    detail: { places: int(detail.places), ...findingTable(detail.worst) },
    ...(worst ? { pair: worst.pair, ...findingTable(worst) } : {}),
    lines,
  };
}

function findingTable(worst: CheckFinding | null): object {
  if (!worst) return {};
  const { x, z, kind, a, b, off, bound } = worst;
  return {
    worst: off,
    bound,
    place: { x, z },
    kind,
    ...(a === null ? {} : { a }),
    ...(b === null ? {} : { b }),
  };
}
