// The native half of the Lua module `~terrainSystem.modules.terrainWater`, and the handle of a water that is drawn. The work
// is runtime/terrain/terrainWater.ts.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import type { CutUpdate } from '../runtime/terrain/terrainMesh.js';
import { TerrainWater } from '../runtime/terrain/terrainWater.js';
import { contextOf, waitFor } from './context.js';
import { heightfieldHandle } from './terrainHeightfield.js';
import { nodeTable } from './terrainMesh.js';
import { given } from './values.js';
import { arg, ArgumentError, defineHandle, int, push, type Bindings, type Options } from './vm/index.js';

export const terrainWaterHandle = defineHandle<TerrainWater>('terrain water', {
  kind: TerrainWater,
  module: 'terrainWater',
  getters: {
    cut: (self, L) => push(L, self.nodes().map(nodeTable)),
    look({ look: { color, clarity, waves, foam } }, L) {
      push(L, { color: [color.x, color.y, color.z], clarity, waves, foam });
    },
  },
  describe: ({ hf }) => `terrain water of ${hf.describe()}`,
  stale: ({ destroyed, hf }) => destroyed && `this terrain water is destroyed (of ${hf.describe()})`,
});

const LOOK = ['color', 'clarity', 'waves', 'foam'] as const;
const CUT = ['maxNodes', 'nodeVerts', 'minNodeSize', 'lodFactor'] as const;

/** The look that a table states; its numbers are checked by the runtime. */
function lookOf(options: Options) {
  const { clarity, waves, foam } = options.fields;
  return given({ color: options.vector('color'), clarity, waves, foam });
}

function answerUpdate(L: lua_State, { changed, nodes, remeshed, lodFactor }: CutUpdate): number {
  push(L, { changed, nodes: int(nodes), remeshed: int(remeshed), lodFactor });
  return 1;
}

export const terrainWater: Bindings = {
  /** create(hf, { camera, maxNodes?, nodeVerts?, minNodeSize?, lodFactor?, color?, clarity?, waves?, foam? }) -> state. Waits. */
  create(L: lua_State) {
    const hf = heightfieldHandle.check(L, 1, 'hf');
    const options = arg.options(L, 2, 'options', true).only('camera', ...CUT, ...LOOK);
    const [x, y, z] = options.need('camera', options.vector('camera'));
    const { maxNodes, nodeVerts, minNodeSize, lodFactor } = options.fields;
    const cut = given({ maxNodes, nodeVerts, minNodeSize, lodFactor });
    const checked = { camera: { x, y, z }, ...cut, ...lookOf(options) } as never;
    const { runtime } = contextOf(L);
    return waitFor(
      L,
      () => TerrainWater.create(runtime, hf, checked),
      (L, state) => (terrainWaterHandle.push(L, state), 1),
    );
  },

  /** of(hf) -> state, or nil where its water is not drawn */
  of(L: lua_State) {
    const state = TerrainWater.of(heightfieldHandle.check(L, 1, 'hf'));
    if (state) terrainWaterHandle.push(L, state);
    else lua.lua_pushnil(L);
    return 1;
  },

  /** updateCut(state, hf, camera) -> { changed, nodes, remeshed, lodFactor } */
  updateCut(L: lua_State) {
    const state = terrainWaterHandle.check(L, 1, 'state');
    const hf = heightfieldHandle.check(L, 2, 'hf');
    if (state.hf !== hf)
      throw new ArgumentError(
        `hf must be the heightfield that the water was created from (${state.hf.describe()}), got another (${hf.describe()})`,
      );
    const [x, y, z] = arg.vector(L, 3, 'camera');
    return answerUpdate(L, state.updateCut({ x, y, z }));
  },

  /** followCamera(state) -> { changed, nodes, remeshed, lodFactor } */
  followCamera(L: lua_State) {
    const state = terrainWaterHandle.check(L, 1, 'state');
    const { worldPosition } = contextOf(L).runtime.world.mainCamera;
    return answerUpdate(L, state.updateCut(worldPosition, 'terrainWater.followCamera'));
  },

  /** setLook(state, { color?, clarity?, waves?, foam? }) */
  setLook(L: lua_State) {
    const state = terrainWaterHandle.check(L, 1, 'state');
    state.setLook(lookOf(arg.options(L, 2, 'look', true).only(...LOOK)) as never);
    return 0;
  },

  /** destroy(state). A second time does nothing. */
  destroy(L: lua_State) {
    const state = terrainWaterHandle.test(L, 1) ?? terrainWaterHandle.check(L, 1, 'state');
    state.destroy();
    return 0;
  },
};
