// The native half of the Lua module `~terrainSystem.modules.scatter`, and the handle of a scatter. The work is
// runtime/scatter/scatter.ts.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import { Scatter, type ScatterFields } from '../runtime/scatter/scatter.js';
import { SCATTER_FIELDS } from '../runtime/scatter/scatterRules.js';
import { contextOf, waitFor } from './context.js';
import { entityAt } from './entity.js';
import { heightfieldHandle } from './terrainHeightfield.js';
import { given, sizedRect } from './values.js';
import { arg, defineHandle, Options, push, pushInteger, type Bindings } from './vm/index.js';

export const scatterHandle = defineHandle<Scatter>('scatter', {
  kind: Scatter,
  module: 'scatter',
  getters: {
    count: (self, L) => pushInteger(L, self.count),
    mesh: (self, L) => push(L, self.rules.mesh),
    material: (self, L) => push(L, self.rules.material),
  },
  methods: {
    /** instance(i) -> { position, rotation, scale }; i from 1 to count */
    instance(self, L) {
      const { position, rotation, scale } = self.instance(
        arg.integer(L, 2, 'i', { min: 1, max: Math.max(self.count, 1) }) - 1,
      );
      push(L, { position: { ...position }, rotation: { ...rotation }, scale });
      return 1;
    },
  },
  describe: (self) => `scatter of ${self.describe()}`,
  stale: (self) => self.destroyed && `this scatter is destroyed (${self.describe()})`,
});

/** Fields that `false` takes back to their defaults in an update. */
const OPTIONAL = new Set(['material', 'slope', 'height', 'layer', 'rect', 'maxDistance', 'filter']);

/** The fields as a script wrote them; ranges, the rect and the filter are brought into the runtime's shape, the rest is its to check. */
function fieldsOf(options: Options): Partial<ScatterFields> {
  options.only(...SCATTER_FIELDS);
  const off: Record<string, null> = {};
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options.fields)) {
    if (value === false && OPTIONAL.has(name)) off[name] = null;
    else kept[name] = value;
  }
  const rest = new Options(kept);
  const filter = rest.func('filter');
  const part = rest.has('rect') ? sizedRect(new Options(rest.table('rect')!), 'rect') : undefined;
  return {
    ...kept,
    ...given({
      slope: rest.range('slope'),
      height: rest.range('height'),
      scale: rest.range('scale'),
      yaw: rest.range('yaw'),
      rect: part && given(part),
      filter: filter && ((x: number, z: number, y: number) => filter.callNumbers(x, z, y) as boolean),
    }),
    ...off,
  };
}

/** An entity's id, from itself or its number. One that is gone has no scatter any more, so these functions may ask for it. */
const idAt = (L: lua_State): number =>
  lua.lua_type(L, 1) === lua.LUA_TNUMBER
    ? arg.integer(L, 1, 'entityId')
    : entityAt(L, 1, 'scatter', 'entityId').id;

export const scatter: Bindings = {
  /** create(hf, { mesh, density, … }) -> state */
  create(L: lua_State) {
    const hf = heightfieldHandle.check(L, 1, 'hf');
    const fields = fieldsOf(arg.options(L, 2, 'fields', true));
    scatterHandle.push(L, Scatter.create(contextOf(L).runtime, hf, given(fields) as ScatterFields));
    return 1;
  },

  /** update(state, fields) */
  update(L: lua_State) {
    const state = scatterHandle.check(L, 1, 'state');
    state.update(fieldsOf(arg.options(L, 2, 'fields', true)));
    return 0;
  },

  /** visible(state) -> how many instances the last frame drew. Waits. */
  visible(L: lua_State) {
    const state = scatterHandle.check(L, 1, 'state');
    return waitFor(
      L,
      () => state.visible(),
      (L, count) => (pushInteger(L, count), 1),
    );
  },

  /** bind(entityId, state) */
  bind(L: lua_State) {
    const { id } = entityAt(L, 1, 'scatter.bind', 'entityId');
    contextOf(L).runtime.scatterBindings.bind(id, scatterHandle.check(L, 2, 'state'));
    return 0;
  },

  /** forEntity(entityId) -> state or nil */
  forEntity(L: lua_State) {
    push(L, contextOf(L).runtime.scatterBindings.forEntity(idAt(L)));
    return 1;
  },

  /** unbind(entityId) -> whether it had one */
  unbind(L: lua_State) {
    const id = idAt(L);
    lua.lua_pushboolean(L, contextOf(L).runtime.scatterBindings.unbind(id));
    return 1;
  },

  /** destroy(state). A second time does nothing. */
  destroy(L: lua_State) {
    const state = scatterHandle.test(L, 1) ?? scatterHandle.check(L, 1, 'state');
    state.destroy();
    return 0;
  },
};
