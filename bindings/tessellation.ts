// Methods of the component Tessellation: what its latest bake did, as its native fields say it.
import { lua, to_luastring } from 'fengari';
import type { lua_State } from 'fengari';
import type { TessellationReport } from '../runtime/tessellation/tessellation.js';
import type { Component } from '../runtime/world/component.js';
import { pushInteger } from './vm/index.js';

const count = (field: Exclude<keyof TessellationReport, 'status'>) => (self: Component, L: lua_State) => {
  pushInteger(L, self.number(field));
  return 1;
};

export const tessellation = {
  /** getStatus() -> "", "pending", "ok", "clamped", "too_large" or "rejected_mode" */
  getStatus(self: Component, L: lua_State) {
    lua.lua_pushstring(L, to_luastring(self.get('status') as string));
    return 1;
  },

  /** getActiveLevel() -> the level of the mesh that stands */
  getActiveLevel: count('activeLevel'),

  /** getTriangleCount() -> its triangles */
  getTriangleCount: count('outputTriangles'),

  /** getVertexCount() -> its vertices */
  getVertexCount: count('outputVertices'),

  /** getStitchedEdges() -> edges of its outline that the last bake placed on a coarser neighbour's lattice */
  getStitchedEdges: count('stitchedEdges'),
};
