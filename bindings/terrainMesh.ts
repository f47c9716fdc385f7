// The native half of the Lua module `~terrainSystem.modules.terrainMesh`, and the handle of a terrain mesh. The work is
// runtime/terrain/terrainMesh.ts and terrainBinding.ts.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import { show } from '../runtime/errors.js';
import type { Heightfield } from '../runtime/terrain/heightfield.js';
import { TerrainMesh, type CutUpdate, type Point } from '../runtime/terrain/terrainMesh.js';
import type { TerrainNode } from '../runtime/terrain/terrainNodes.js';
import { bufferHandle } from './buffer.js';
import { contextOf, waitFor, type Context } from './context.js';
import type { Entity } from '../runtime/world/entity.js';
import { entityAt } from './entity.js';
import { heightfieldHandle } from './terrainHeightfield.js';
import { given, rect, sizedRect } from './values.js';
import {
  arg,
  ArgumentError,
  defineHandle,
  int,
  type LuaFunction,
  Options,
  push,
  pushInteger,
  pushVector,
  type Bindings,
} from './vm/index.js';

/** An entity's id, from itself or its number. One that is gone was unbound when it went, so these functions may ask for it. */
const idAt = (L: lua_State): number =>
  lua.lua_type(L, 1) === lua.LUA_TNUMBER
    ? arg.integer(L, 1, 'entityId')
    : entityAt(L, 1, 'terrainMesh', 'entityId').id;

export const terrainMeshHandle = defineHandle<TerrainMesh>('terrain mesh', {
  kind: TerrainMesh,
  module: 'terrainMesh',
  getters: {
    cut: (self, L) => push(L, self.nodes().map(nodeTable)),
    vertexBuffer: (self, L) => bufferHandle.push(L, self.vertexBuffer),
    indexBuffer: (self, L) => bufferHandle.push(L, self.indexBuffer),
    mesh: (self, L) => push(L, self.mesh),
    maxNodes: (self, L) => pushInteger(L, self.maxNodes),
    nodeVerts: (self, L) => pushInteger(L, self.nodeVerts),
  },
  describe: ({ mesh, hf }) => `terrain mesh ${mesh} of ${hf.describe()}`,
  stale: ({ destroyed, mesh, hf }) =>
    destroyed && `this terrain mesh is destroyed (${mesh} of ${hf.describe()})`,
});

/** A node as scripts see it: counts are integers, metres are floats. */
export function nodeTable({ level, ix, iz, x, z, size, slot, coarseMask }: TerrainNode): object {
  return {
    ...{ level: int(level), ix: int(ix), iz: int(iz), x, z, size },
    ...{ slot: int(slot), coarseMask: int(coarseMask) },
  };
}

const WHERE_CREATE = 'terrainMesh.create';
const CREATE_OPTIONS = [
  ...['camera', 'maxNodes', 'nodeVerts', 'minNodeSize', 'rootSize', 'lodFactor', 'keep', 'rect'],
];

/** The predicate as the cut asks it. Its answer is checked there. */
const keepOf = (keep: LuaFunction) => (node: { level: number; ix: number; iz: number }) =>
  keep.call({ ...node, level: int(node.level), ix: int(node.ix), iz: int(node.iz) }) as boolean;

const warned = new WeakSet<Entity>();

/** Says, once an entity, that a transform does nothing to its terrain. */
export function warnOfTransform(context: Context, entity: Entity): void {
  if (warned.has(entity) || entity.worldMatrix.every((part, i) => part === (i % 5 === 0 ? 1 : 0))) return;
  warned.add(entity);
  context.options.warn(
    `terrainMesh: the entity ${entity} is moved, turned or scaled (or hangs under one that is); its terrain stands in the world and ignores that`,
  );
}

/** The mesh and heightfield of an update, which belong together. */
function pair(L: lua_State): { state: TerrainMesh; hf: Heightfield } {
  const state = terrainMeshHandle.check(L, 1, 'state');
  const hf = heightfieldHandle.check(L, 2, 'hf');
  if (state.hf !== hf)
    throw new ArgumentError(
      `hf must be the heightfield that the mesh was created from (${state.hf.describe()}), got another (${hf.describe()})`,
    );
  return { state, hf };
}

function cameraAt(L: lua_State, index: number): Point {
  const [x, y, z] = arg.vector(L, index, 'camera');
  return { x, y, z };
}

function answerUpdate(L: lua_State, { changed, nodes, remeshed, lodFactor }: CutUpdate): number {
  push(L, { changed, nodes: int(nodes), remeshed: int(remeshed), lodFactor });
  return 1;
}

/** What create checks here; the rest of the options are the cut's to check. */
function createOptions(options: Options) {
  const [x, y, z] = options.need('camera', options.vector('camera'));
  const keep = options.func('keep');
  const { maxNodes, nodeVerts, minNodeSize, rootSize, lodFactor } = options.fields;
  const part = options.has('rect') ? sizedRect(new Options(options.table('rect')!), 'rect') : undefined;
  return given({
    camera: { x, y, z },
    ...{ maxNodes, nodeVerts, minNodeSize, rootSize, lodFactor },
    rect: part,
    keep: keep && keepOf(keep),
  });
}

export const terrainMesh: Bindings = {
  /** create(hf, { camera, maxNodes?, nodeVerts?, minNodeSize?, rootSize?, lodFactor?, keep?, rect? }) -> state. Waits. */
  create(L: lua_State) {
    const hf = heightfieldHandle.check(L, 1, 'hf');
    const options = createOptions(arg.options(L, 2, 'options', true).only(...CREATE_OPTIONS));
    const context = contextOf(L);
    const { runtime } = context;
    return waitFor(
      L,
      async () => {
        const state = await TerrainMesh.create(runtime, hf, options as never);
        context.addTerrain(state);
        const { loweredFrom, maxLevel, maxNodes } = state.cut;
        if (loweredFrom !== null)
          context.options.warn(
            `${WHERE_CREATE}: a pool of ${maxNodes} nodes (maxNodes) is too small for level ${loweredFrom}, which minNodeSize asks for; the finest level is ${maxLevel}`,
          );
        return state;
      },
      (L, state) => (terrainMeshHandle.push(L, state), 1),
    );
  },

  /** updateCut(state, hf, camera) -> { changed, nodes, remeshed, lodFactor } */
  updateCut(L: lua_State) {
    const { state } = pair(L);
    return answerUpdate(L, state.updateCut(cameraAt(L, 3)));
  },

  /** build(state, hf, nodes) */
  build(L: lua_State) {
    const { state } = pair(L);
    const nodes = arg.table(L, 3, 'nodes') as unknown;
    if (!Array.isArray(nodes) && Object.keys(nodes as object).length > 0)
      throw new ArgumentError(`nodes must be a list of nodes, got ${show(nodes)}`);
    const list = Array.isArray(nodes) ? nodes : [];
    list.forEach((node: unknown, i) => {
      if (typeof node !== 'object' || node === null || Array.isArray(node))
        throw new ArgumentError(
          `nodes[${i + 1}] must be a node { level, ix, iz, x, z, size, slot, coarseMask }`,
        );
    });
    state.build(list as TerrainNode[]);
    return 0;
  },

  /** invalidate(state, { minX, minZ, maxX, maxZ }) -> number of nodes marked */
  invalidate(L: lua_State) {
    const state = terrainMeshHandle.check(L, 1, 'state');
    pushInteger(L, state.invalidate(rect(L, 2, 'rect')));
    return 1;
  },

  /** cameraPosition() -> { x, y, z } of the on-screen camera */
  cameraPosition(L: lua_State) {
    const { x, y, z } = contextOf(L).runtime.world.mainCamera.worldPosition;
    pushVector(L, x, y, z);
    return 1;
  },

  /** bind(entityId, hf, state) */
  bind(L: lua_State) {
    const { id } = entityAt(L, 1, 'terrainMesh.bind', 'entityId');
    const hf = heightfieldHandle.check(L, 2, 'hf');
    contextOf(L).runtime.bindings.bind(id, hf, terrainMeshHandle.check(L, 3, 'state'));
    return 0;
  },

  /** forEntity(entityId) -> hf, state; nothing where the entity is not bound */
  forEntity(L: lua_State) {
    const id = idAt(L);
    const bound = contextOf(L).runtime.bindings.forEntity(id);
    if (!bound) {
      lua.lua_pushnil(L);
      return 1;
    }
    heightfieldHandle.push(L, bound.hf);
    terrainMeshHandle.push(L, bound.mesh);
    return 2;
  },

  /** isBound(entityId) -> boolean */
  isBound(L: lua_State) {
    const id = idAt(L);
    lua.lua_pushboolean(L, contextOf(L).runtime.bindings.isBound(id));
    return 1;
  },

  /** unbind(entityId) -> whether it was bound */
  unbind(L: lua_State) {
    const id = idAt(L);
    lua.lua_pushboolean(L, contextOf(L).runtime.bindings.unbind(id));
    return 1;
  },

  /** followCamera(entityId) -> { changed, nodes, remeshed, lodFactor } */
  followCamera(L: lua_State) {
    const entity = entityAt(L, 1, 'terrainMesh.followCamera', 'entityId');
    const { id } = entity;
    warnOfTransform(contextOf(L), entity);
    const { bindings, world } = contextOf(L).runtime;
    return answerUpdate(L, bindings.follow(id, world.mainCamera.worldPosition));
  },

  /** destroy(state). A second time does nothing. */
  destroy(L: lua_State) {
    const state = terrainMeshHandle.test(L, 1) ?? terrainMeshHandle.check(L, 1, 'state');
    state.destroy();
    return 0;
  },
};
