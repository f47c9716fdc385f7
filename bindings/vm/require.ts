// `require`. `~system.modules.name` is a module of an installed system: one that ships (its source is in `systemModules`, its native half in
// `natives`), or one that the project has under `systems/<system>/`. Any other name is a file of the project: "a.b" is a/b.lua. A
// module loads once; one that is being loaded by another entry is waited for.
import { lauxlib, lua, to_luastring } from 'fengari';
import type { CFunction, Proxy, lua_State } from 'fengari';
import { checkSource } from './chunk.js';
import { LuaError, keepTraceback, nameFunction } from './errors.js';
import { string } from './args.js';
import { MoonscapeError } from '../../runtime/errors.js';
import { checkCanWait, wait } from './vm.js';
import type { Entry, Vm } from './vm.js';

/** A module that is loaded or being loaded. */
interface Module {
  name: string;
  /** Pushes what the module answered, once it is loaded. */
  value: Proxy | null;
  /** The entry that loads it. */
  loader: Entry;
  /** Settles when it is loaded or has failed; what it settles to does not matter. */
  done: Promise<void>;
  finish: () => void;
}

/** A module's source and what its chunk is called with. */
interface Source {
  name: string;
  text: string;
  chunkName: string;
  native?: (L: lua_State) => void;
}

/** Words joined by dots, the first perhaps after a `~`. */
const NAME = /^~?[\w-]+(\.[\w-]+)*$/;

/** The modules of a VM. */
export class Modules {
  readonly #vm: Vm;
  readonly #modules = new Map<string, Module>();
  /** The module that an entry waits for. */
  readonly #awaited = new WeakMap<Entry, Module>();
  /** Names of the modules that an entry is loading, the outermost first. */
  readonly #loading = new WeakMap<Entry, string[]>();

  constructor(vm: Vm) {
    this.#vm = vm;
    nameFunction(this.require, 'require');
  }

  /** `require(name)`. */
  readonly require: CFunction = (L) => {
    const name = string(L, 1, 'name');
    if (!NAME.test(name))
      throw new MoonscapeError(
        `require: a module's name is words joined by dots ("shapes.tower", "~terrainSystem.modules.quadtree"), got "${name}"`,
      );
    lua.lua_settop(L, 1);
    return this.#find(L, name);
  };

  /** Answers the module if it is there, waits for it if another entry loads it, loads it otherwise. */
  #find(L: lua_State, name: string): number {
    const module = this.#modules.get(name);
    if (module?.value) {
      module.value(L);
      return 1;
    }
    const entry = this.#vm.entry;
    if (!entry)
      throw new MoonscapeError(`require: module "${name}" can only be loaded by a script that runs`);
    if (module) {
      this.#refuseCycle(module, entry);
      this.#awaited.set(entry, module);
      return wait(L, module.done, (L) => {
        this.#awaited.delete(entry);
        return this.#find(L, name);
      });
    }
    const shipped = this.#shipped(name);
    if (shipped) {
      this.#begin(name, entry);
      return this.#load(L, shipped);
    }
    const path = projectPath(name);
    const { loadModule } = this.#vm.options;
    if (!loadModule) throw notFound(name, path);
    checkCanWait(L);
    this.#begin(name, entry);
    return wait(L, this.#read(name, path, loadModule), (L, text) =>
      this.#load(L, { name, text, chunkName: path }),
    );
  }

  #shipped(name: string): Source | null {
    const { systemModules, natives } = this.#vm.options;
    const text = systemModules?.get(name);
    if (text === undefined) return null;
    return { name, text, chunkName: `${name.replaceAll('.', '/')}.lua`, native: natives?.get(name) };
  }

  async #read(
    name: string,
    path: string,
    loadModule: (path: string) => Promise<string | undefined>,
  ): Promise<string> {
    try {
      const text = await loadModule(path);
      if (text === undefined) throw notFound(name, path);
      return text;
    } catch (error) {
      this.#end(name, null);
      throw error;
    }
  }

  /** Runs the module's chunk; waits pass through it. */
  #load(L: lua_State, source: Source): number {
    const { name, chunkName, native } = source;
    try {
      const bytes = to_luastring(checkSource(source.text, chunkName));
      lua.lua_pushcfunction(L, keepTraceback);
      const status = lauxlib.luaL_loadbufferx(L, bytes, bytes.length, to_luastring(`@${chunkName}`), 't');
      if (status !== lua.LUA_OK) throw broken(name, lua.lua_tojsstring(L, -1)!);
      lua.lua_pushstring(L, to_luastring(name));
      if (native) native(L);
      else lua.lua_pushstring(L, to_luastring(chunkName));
    } catch (error) {
      this.#end(name, null);
      throw error;
    }
    return this.#finish(L, lua.lua_pcallk(L, 2, 1, 2, name, this.#finish), name);
  }

  /** Keeps what the chunk answered (true if nothing), or hands its error on. */
  readonly #finish = (L: lua_State, status: number, name: string): number => {
    if (this.#vm.aborted) throw this.#vm.aborted;
    if (status !== lua.LUA_OK && status !== lua.LUA_YIELD) {
      this.#end(name, null);
      return lua.lua_error(L);
    }
    if (lua.lua_type(L, -1) === lua.LUA_TNIL) {
      lua.lua_pop(L, 1);
      lua.lua_pushboolean(L, true);
    }
    this.#end(name, lua.lua_toproxy(L, -1));
    return 1;
  };

  #begin(name: string, loader: Entry): void {
    let finish = () => undefined as void;
    const done = new Promise<void>((resolve) => (finish = resolve));
    this.#modules.set(name, { name, value: null, loader, done, finish });
    const loading = this.#loading.get(loader);
    if (loading) loading.push(name);
    else this.#loading.set(loader, [name]);
  }

  #end(name: string, value: Proxy | null): void {
    const module = this.#modules.get(name);
    if (!module || module.value) return;
    const loading = this.#loading.get(module.loader)!;
    loading.splice(loading.lastIndexOf(name), 1);
    if (value) module.value = value;
    else this.#modules.delete(name);
    module.finish();
  }

  /** Names of the modules that an entry is loading, the outermost first; none outside any entry. */
  loadedBy(entry: Entry | null): readonly string[] {
    return (entry && this.#loading.get(entry)) ?? [];
  }

  /** Forgets what an entry was still loading when it ended (it was stopped, or left the load in a coroutine). */
  endEntry(entry: Entry): void {
    for (const name of [...(this.#loading.get(entry) ?? [])]) this.#end(name, null);
    this.#awaited.delete(entry);
  }

  /** Refuses to wait for a module that, directly or through other entries, waits for `entry` itself. */
  #refuseCycle(module: Module, entry: Entry): void {
    const path = [module.name];
    for (let next: Module | undefined = module; next; next = this.#awaited.get(next.loader)) {
      if (next !== module) path.push(next.name);
      if (next.loader !== entry) continue;
      const loading = this.#loading.get(entry)!;
      const cycle = loading.slice(loading.indexOf(next.name));
      throw new MoonscapeError(
        `require: modules require each other in a circle: ${[...cycle, ...path].map((name) => `"${name}"`).join(' → ')}`,
      );
    }
  }
}

/** The project file of a module. `NAME` has no separator in it, so the path cannot leave the project. */
function projectPath(name: string): string {
  const path = `${name.replace('~', '').replaceAll('.', '/')}.lua`;
  return name.startsWith('~') ? `systems/${path}` : path;
}

function notFound(name: string, path: string): MoonscapeError {
  const shipped = name.startsWith('~') ? `no such system module ships with the engine, and ` : '';
  return new MoonscapeError(
    `require: there is no module "${name}": ${shipped}the project has no file ${path}`,
  );
}

const broken = (name: string, message: string) =>
  new LuaError(`require: module "${name}" is broken: ${message}`);
