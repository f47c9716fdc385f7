// The native half of the Lua module `~terrainSystem.modules.quadtree`. The work is runtime/terrain/quadtree.ts.
import type { lua_State } from 'fengari';
import { rootGrid } from '../runtime/terrain/quadtree.js';
import { arg, int, push, type Bindings } from './vm/index.js';

export const quadtree: Bindings = {
  /** rootGrid(width, depth, { maxNodes?, minNodeSize?, rootSize? }?) -> { size, columns, rows } */
  rootGrid(L: lua_State) {
    const options = arg.options(L, 3).only('maxNodes', 'minNodeSize', 'rootSize');
    const grid = rootGrid(arg.number(L, 1, 'width'), arg.number(L, 2, 'depth'), options.fields);
    push(L, { size: grid.size, columns: int(grid.columns), rows: int(grid.rows) });
    return 1;
  },
};
