// The Lua table `asset`: the project's files, found by guid, by path or by kind. The work is runtime/assets.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import { isGuid } from '../runtime/assets/assets.js';
import { contextOf, waitFor } from './context.js';
import { arg, push, type Bindings } from './vm/index.js';

export const asset: Bindings = {
  /** path(guid) -> path or nil. Waits. */
  path(L: lua_State) {
    const guid = arg.string(L, 1, 'guid');
    const { assets } = contextOf(L).runtime;
    return waitFor(
      L,
      () => assets.pathOf('asset.path', guid),
      (L, path) => (push(L, path), 1),
    );
  },

  /** guid(path) -> guid or nil. Waits. */
  guid(L: lua_State) {
    const path = arg.string(L, 1, 'path');
    const { assets } = contextOf(L).runtime;
    return waitFor(
      L,
      () => assets.guidOf('asset.guid', path),
      (L, guid) => (push(L, guid), 1),
    );
  },

  /** exists(pathOrGuid) -> boolean. Waits. */
  exists(L: lua_State) {
    const reference = arg.string(L, 1, 'reference');
    const { assets } = contextOf(L).runtime;
    return waitFor(
      L,
      async () =>
        isGuid(reference)
          ? (await assets.pathOf('asset.exists', reference)) !== null
          : assets.exists('asset.exists', reference),
      (L, found) => (lua.lua_pushboolean(L, found), 1),
    );
  },

  /** list { kind?, folder? } -> list of { path, kind, guid? }. Waits. */
  list(L: lua_State) {
    const options = arg.options(L, 1).only('kind', 'folder');
    const kind = options.string('kind');
    const folder = options.string('folder');
    const { assets } = contextOf(L).runtime;
    return waitFor(
      L,
      () => assets.list('asset.list', { kind, folder }),
      (L, found) => {
        lua.lua_createtable(L, found.length, 0);
        found.forEach((entry, at) => {
          push(L, { ...entry });
          lua.lua_rawseti(L, -2, at + 1);
        });
        return 1;
      },
    );
  },
};
