// The one ordered list of what scripts see, and openLua, which opens a VM on a runtime with all of it.
import type { lua_State } from 'fengari';
import quadtreeSource from '../lua/terrainSystem/modules/quadtree.lua';
import scatterSource from '../lua/terrainSystem/modules/scatter.lua';
import terrainBrushSource from '../lua/terrainSystem/modules/terrainBrush.lua';
import terrainColliderSource from '../lua/terrainSystem/modules/terrainCollider.lua';
import terrainErrorMeshSource from '../lua/terrainSystem/modules/terrainErrorMesh.lua';
import terrainHeightfieldSource from '../lua/terrainSystem/modules/terrainHeightfield.lua';
import scatterComponentSource from '../lua/terrainSystem/components/Scatter.lua';
import terrainSource from '../lua/terrainSystem/components/Terrain.lua';
import waterSource from '../lua/terrainSystem/components/Water.lua';
import terrainMeshSource from '../lua/terrainSystem/modules/terrainMesh.lua';
import terrainWaterSource from '../lua/terrainSystem/modules/terrainWater.lua';
import { checkNumber } from '../runtime/errors.js';
import type { Runtime } from '../runtime/runtime.js';
import { asset } from './asset.js';
import { camera } from './camera.js';
import { component } from './component.js';
import { Context } from './context.js';
import { ecs, openEcs } from './ecs.js';
import { entity } from './entity.js';
import { input } from './input.js';
import { physics, terrainCollider } from './physics.js';
import { quadtree } from './quadtree.js';
import { renderer } from './renderer.js';
import { scatter } from './scatter.js';
import { scene } from './scene.js';
import { selfCheck } from './selfCheck.js';
import { terrain } from './terrain.js';
import { terrainBrush } from './terrainBrush.js';
import { terrainErrorMesh } from './terrainErrorMesh.js';
import { terrainHeightfield } from './terrainHeightfield.js';
import { terrainMesh } from './terrainMesh.js';
import { terrainWater } from './terrainWater.js';
import { texture } from './texture.js';
import { pushBindings, Vm, type Bindings, type BudgetLimits, type LuaError } from './vm/index.js';

/** The globals, in the order in which they are registered. `require` and `print` come with the VM. */
const GLOBALS: readonly [name: string, bindings: Bindings][] = [
  ['asset', asset],
  ['texture', texture],
  ['terrain', terrain],
  ['entity', entity],
  ['ecs', ecs],
  ['component', component],
  ['renderer', renderer],
  ['physics', physics],
  ['scene', scene],
  ['camera', camera],
  ['input', input],
];

/** The modules that ship: their Lua half, and the native half that its chunk gets. A module comes after what it stands on. */
const MODULES: readonly [name: string, source: string, native: Bindings][] = [
  ['terrainSystem.modules.quadtree', quadtreeSource, quadtree],
  [
    'terrainSystem.modules.terrainHeightfield',
    terrainHeightfieldSource,
    { ...terrainHeightfield, ...selfCheck },
  ],
  ['terrainSystem.modules.terrainBrush', terrainBrushSource, terrainBrush],
  ['terrainSystem.modules.terrainMesh', terrainMeshSource, terrainMesh],
  ['terrainSystem.modules.terrainErrorMesh', terrainErrorMeshSource, terrainErrorMesh],
  ['terrainSystem.modules.terrainCollider', terrainColliderSource, terrainCollider],
  ['terrainSystem.modules.scatter', scatterSource, scatter],
  ['terrainSystem.modules.terrainWater', terrainWaterSource, terrainWater],
];

/** The components that ship, each a Lua file of its system. */
const COMPONENTS: readonly [name: string, module: string, source: string][] = [
  ['Terrain', 'terrainSystem.components.Terrain', terrainSource],
  ['Water', 'terrainSystem.components.Water', waterSource],
  ['Scatter', 'terrainSystem.components.Scatter', scatterComponentSource],
];

export interface LuaOptions {
  /** Gets each line that scripts print. Default: the host's console. */
  print?: (line: string) => void;
  /** Gets each line of a warning. Default: the host's. */
  warn?: (line: string) => void;
  /** Gets the error of a component that was stopped by it; the scene goes on. Default: its lines go to `warn`. */
  failed?: (error: LuaError) => void;
  /** Gets the load report of each ground read from a texture, as lines for a person. Default: nobody. */
  report?: (lines: string[]) => void;
  /** Milliseconds that one entry into Lua may run, waits excluded; above 0. Default: no limit. As `budget.ms`. */
  budgetMs?: number;
  /** What one entry and the whole scene may use. What is left out of it stands as in DEFAULT_BUDGET; Infinity lifts a limit. */
  budget?: BudgetLimits;
  /** Seed of math.random before a script sets its own. Default 0. */
  seed?: number;
}

/**
 * What entries may use unless the host says otherwise: no honest script comes near it, and a runaway one ends before it has filled the
 * memory. Time and instructions are not limited.
 */
export const DEFAULT_BUDGET: Readonly<BudgetLimits> = {
  strings: 2 ** 32,
  objects: 20_000_000,
  lines: 100_000,
  scene: { lines: 1_000_000 },
};

/** Scripts on a runtime. */
export interface Lua {
  readonly vm: Vm;
  /** Runs a scene's source to its end, waits included. `chunkName` is what messages call it. Throws a LuaError. */
  run(source: string, chunkName: string): Promise<void>;
  /** Throws the first failure of work that no script waited for (a capture that could not be written). Call it after frames. */
  check(): void;
  /** How many instances of components written in Lua there are. */
  readonly components: number;
  /** Whether a component of the scene is called in every frame, whatever the mode. */
  readonly animated: boolean;
  /** Ends the scripts, takes their callbacks off and frees what they made. The runtime stays. A second time does nothing. */
  close(): void;
}

/** Opens Lua on a runtime: the documented globals, `require` for the project's and our own modules. `close` it before the runtime. */
export function openLua(runtime: Runtime, options: LuaOptions = {}): Lua {
  const { host } = runtime;
  const {
    print = (line) => host.print(line),
    warn = (line) => host.warn(line),
    report = () => undefined,
    failed = (error) => [error.message, error.traceback].filter(Boolean).forEach((line) => warn(line)),
    budgetMs,
    budget,
    seed,
  } = options;
  const vm = new Vm({
    print,
    seed,
    loadModule: (path) => runtime.track(readModule(runtime, path)),
    systemModules: new Map([
      ...MODULES.map(([name, source]) => [`~${name}`, source] as const),
      ...COMPONENTS.map(([, module, source]) => [`~${module}`, source] as const),
    ]),
    natives: new Map(MODULES.map(([name, , native]) => [`~${name}`, nativeHalf(name, native)])),
  });
  const context = new Context(runtime, vm, {
    ...{ warn, report },
    components: {
      shipped: new Map(COMPONENTS.map(([name, module]) => [name, `~${module}`])),
      hasFile: async (path) => (await runtime.track(readModule(runtime, path))) !== undefined,
      failed: (error) => failed(error as LuaError),
    },
  });
  for (const [name, bindings] of GLOBALS) vm.register(name, bindings);
  openEcs(vm, runtime.world);
  if (budgetMs !== undefined) checkNumber('openLua', 'budgetMs', budgetMs, { above: 0 });
  vm.setBudget({
    ...DEFAULT_BUDGET,
    ...(budgetMs === undefined ? {} : { ms: budgetMs }),
    ...budget,
    scene: { ...DEFAULT_BUDGET.scene, ...budget?.scene },
  });
  return {
    vm,
    run: (source, chunkName) => vm.run(source, chunkName),
    check: () => context.check(),
    get components() {
      return context.components.count;
    },
    get animated() {
      return context.components.animated;
    },
    close() {
      vm.close();
      context.close();
    },
  };
}

/** Pushes a module's native half; messages call its functions by the last part of the module's name. */
const nativeHalf = (name: string, native: Bindings) => (L: lua_State) =>
  pushBindings(L, name.slice(name.lastIndexOf('.') + 1), native);

/** A project's module, or undefined where there is no such file. */
async function readModule(runtime: Runtime, path: string): Promise<string | undefined> {
  try {
    return await runtime.assets.readText('require', path);
  } catch (error) {
    const code = ((error as Error).cause as { code?: unknown } | undefined)?.code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
