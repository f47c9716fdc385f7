// Components written in Lua: their definitions (component.define, components/<Name>.lua, the ones that ship), what their
// instances carry for scripts (`state`), and when their functions are called. One for each scene, made by openLua.
import { lua } from 'fengari';
import type { Proxy, lua_State } from 'fengari';
import { MoonscapeError, nearest, refuse, show } from '../runtime/errors.js';
import type { Runtime } from '../runtime/runtime.js';
import type { Component, ComponentType } from '../runtime/world/component.js';
import { pushComponent } from './component.js';
import { rememberTable } from './luaState.js';
import { RESERVED, readFields } from './scriptFields.js';
import { Abort, LuaError, LuaFunction, type Vm } from './vm/index.js';
import { read } from './vm/read.js';

const HOOKS = ['onAdd', 'onStart', 'onUpdate', 'onFrame', 'onChange', 'onRemove'] as const;
type Hook = (typeof HOOKS)[number];

/** A component's Lua half. */
export interface ScriptType extends ComponentType {
  readonly hooks: ReadonlyMap<Hook, LuaFunction>;
  readonly methods: ReadonlyMap<string, LuaFunction>;
}

interface ScriptInstance {
  /** Pushes its state table. */
  state: Proxy;
  started: boolean;
  /** A call of its onUpdate or onFrame has not ended: it is not entered again. */
  busy: Set<Hook>;
  /** One of its functions failed: none is called any more but onRemove. */
  failed: boolean;
}

export interface ScriptComponentOptions {
  /** Names of the components that ship, and the module that each one's definition is. */
  shipped: ReadonlyMap<string, string>;
  /** Whether the project has a file of that path. */
  hasFile: (path: string) => Promise<boolean>;
  /** Gets the error of a component that was stopped by it. */
  failed: (error: unknown) => void;
}

export class ScriptComponents {
  private readonly types = new Map<string, ScriptType>();
  private readonly loading = new Map<string, Promise<void>>();
  /** Of each module that is being read and waits for a component: the module of that. */
  private readonly awaited = new Map<string, string>();
  private readonly instances = new Map<Component, ScriptInstance>();
  private readonly takeOff: (() => void)[];
  /** Those that were there when play began, with what puts their states back; empty in edit. */
  private readonly states = new Map<ScriptInstance, (L: lua_State) => void>();

  constructor(
    private readonly runtime: Runtime,
    private readonly vm: Vm,
    private readonly options: ScriptComponentOptions,
  ) {
    for (const name of options.shipped.keys()) runtime.world.offered.add(name);
    this.takeOff = [
      () => options.shipped.forEach((_, name) => runtime.world.offered.delete(name)),
      runtime.onUpdate((dt) => this.each('onUpdate', dt), 'components'),
      // Those that ship last: what they follow (the camera) the project's own may have moved.
      runtime.onUpdate((dt) => this.each('onFrame', dt, ({ name }) => !options.shipped.has(name)), 'follow'),
      runtime.onUpdate((dt) => this.each('onFrame', dt, ({ name }) => options.shipped.has(name)), 'follow'),
      runtime.onPlay({
        begin: () => this.start(),
        ending: () => this.restoreStates(),
        ended: () => this.endPlay(),
      }),
    ];
  }

  /** Registers the definition in the table at `index`. Nothing is registered where something is wrong with it. */
  define(L: lua_State, where: string, name: string, index: number): void {
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new MoonscapeError(
        `${where}: name must be letters, digits and _, beginning with no digit, got ${show(name)}`,
      );
    if (where === 'component.define' && this.options.shipped.has(name))
      refuse(where, 'name', 'a name that is not taken (this one ships)', name);
    const definition = `${where}: ${name}`;
    const functions = new Map<string, LuaFunction>();
    let declared: unknown;
    lua.lua_checkstack(L, lua.LUA_MINSTACK);
    const table = lua.lua_absindex(L, index);
    lua.lua_pushnil(L);
    while (lua.lua_next(L, table)) {
      const key = lua.lua_type(L, -2) === lua.LUA_TSTRING ? lua.lua_tojsstring(L, -2)! : show(read(L, -2));
      if (key === 'fields') declared = read(L, -1);
      else if (lua.lua_type(L, -1) === lua.LUA_TFUNCTION) functions.set(key, read(L, -1) as LuaFunction);
      else if (key !== '__index')
        throw new MoonscapeError(
          `${definition}: ${show(key)} must be a function (values of an instance go into fields or self.state)`,
        );
      lua.lua_pop(L, 1);
    }
    const fields = readFields(definition, declared);
    this.add(definition, name, fields, functions);
  }

  private add(
    where: string,
    name: string,
    fields: ScriptType['fields'],
    functions: Map<string, LuaFunction>,
  ): void {
    const hooks = new Map<Hook, LuaFunction>();
    const methods = new Map<string, LuaFunction>();
    for (const [key, f] of functions) {
      if ((HOOKS as readonly string[]).includes(key)) hooks.set(key as Hook, f);
      else {
        const near = /^on[A-Z]/.test(key) ? nearest(key, HOOKS) : undefined;
        if (near) throw new MoonscapeError(`${where}: there is no hook "${key}" (did you mean "${near}"?)`);
        if (RESERVED.includes(key) || fields.some((field) => field.name === key))
          throw new MoonscapeError(`${where}: a method must not have the name of a field (${key})`);
        methods.set(key, f);
      }
    }
    const type: ScriptType = {
      ...{ name, fields, hooks, methods },
      begin: (instance) => this.begin(type, instance),
      changed: hooks.has('onChange')
        ? (instance, field) => this.enter(type, instance, 'onChange', field)
        : undefined,
      onRemove: (instance) => this.remove(type, instance),
    };
    this.runtime.world.defineComponent(type);
    this.types.set(name, type);
  }

  /**
   * Resolves once the definition of `name` is there if there is one anywhere: native, defined, shipped, or in the
   * project's components/. Undefined where there is nothing to wait for.
   */
  need(name: string): Promise<void> | undefined {
    if (this.runtime.world.componentTypes.has(name) || !/^[A-Za-z_]\w*$/.test(name)) return undefined;
    const waiting = this.refuseCycle(name);
    let loading = this.loading.get(name);
    if (!loading) {
      const forget = () => void this.loading.delete(name);
      this.loading.set(name, (loading = this.load(name)));
      loading.then(forget, forget);
    }
    const goOn = () => {
      for (const module of waiting) this.awaited.delete(module);
    };
    loading.then(goOn, goOn);
    return loading;
  }

  /** Refuses to wait for a file that waits for who asks, itself or through others; notes what waits for it from now on. */
  private refuseCycle(name: string): readonly string[] {
    const { entry, modules } = this.vm;
    const asking = [...modules.loadedBy(entry)];
    const wanted = this.moduleOf(name);
    for (let next: string | undefined = wanted; next; next = this.awaited.get(next))
      if (asking.includes(next))
        throw new MoonscapeError(
          `component.add: the file of the component ${show(name)} cannot be read while it, or one that it asks for, uses ${name}; do that in a function of it`,
        );
    for (const module of asking) this.awaited.set(module, wanted);
    return asking;
  }

  private moduleOf(name: string): string {
    return this.options.shipped.get(name) ?? `components.${name}`;
  }

  /** How many instances there are; what stop may bring back counts. */
  get count(): number {
    return this.instances.size;
  }

  /** Whether any instance is called in every frame, in edit too (those that ship follow what others move, and do not count). */
  get animated(): boolean {
    for (const [{ type, removed }, { failed }] of this.instances)
      if (
        !removed &&
        !failed &&
        (type as ScriptType).hooks.has('onFrame') &&
        !this.options.shipped.has(type.name)
      )
        return true;
    return false;
  }

  private async load(name: string): Promise<void> {
    const shipped = this.options.shipped.get(name);
    if (!shipped && !(await this.options.hasFile(`components/${name}.lua`))) return;
    const push = await this.vm.require(this.moduleOf(name));
    // The file may have called component.define itself.
    if (this.runtime.world.componentTypes.has(name)) return;
    const { L } = this.vm;
    push(L);
    try {
      if (lua.lua_type(L, -1) !== lua.LUA_TTABLE)
        throw new MoonscapeError(
          `component.add: components/${name}.lua must return the component's table, got ${show(read(L, -1))}`,
        );
      this.define(L, 'component.add', name, -1);
    } finally {
      lua.lua_pop(L, 1);
    }
  }

  /** Pushes the state table of an instance. */
  pushState(L: lua_State, instance: Component): void {
    const found = this.instances.get(instance);
    if (found) found.state(L);
    else lua.lua_pushnil(L);
  }

  /** The type of an instance, if it is written in Lua. */
  typeOf({ type }: Component): ScriptType | undefined {
    const found = this.types.get(type.name);
    return found === type ? found : undefined;
  }

  /** Takes all types and their instances off. */
  close(): void {
    for (const each of this.takeOff) each();
    for (const name of this.types.keys()) this.runtime.world.undefineComponent(name);
    this.types.clear();
    this.instances.clear();
  }

  private track(instance: Component): void {
    // One that stop brings back has the state that it had.
    const known = this.instances.get(instance);
    if (known) {
      known.started = false;
      known.failed = false;
      return;
    }
    const { L } = this.vm;
    lua.lua_checkstack(L, lua.LUA_MINSTACK);
    // Its handle is there from now on, for its functions to get.
    pushComponent(L, instance);
    lua.lua_pop(L, 1);
    lua.lua_createtable(L, 0, 4);
    const state = lua.lua_toproxy(L, -1);
    lua.lua_pop(L, 1);
    this.instances.set(instance, { state, started: false, failed: false, busy: new Set() });
  }

  private begin(type: ScriptType, instance: Component): Promise<void> | undefined {
    this.track(instance);
    const playing = this.runtime.mode === 'play' && type.hooks.has('onStart');
    if (!type.hooks.has('onAdd') && !playing) {
      this.instances.get(instance)!.started = this.runtime.mode === 'play';
      return undefined;
    }
    return (async () => {
      try {
        await this.enter(type, instance, 'onAdd');
        if (this.runtime.mode === 'play') await this.startOne(type, instance);
      } catch (error) {
        // The world takes it off without a word: it never was ready.
        this.forget(instance);
        throw error;
      }
    })();
  }

  private remove(type: ScriptType, instance: Component): void {
    const hook = type.hooks.get('onRemove');
    try {
      hook?.call(instance);
    } catch (error) {
      this.report(error, 'onRemove', instance);
    }
    this.forget(instance);
  }

  private forget(instance: Component): void {
    const entry = this.instances.get(instance);
    // One that was there when play began may come back at stop.
    if (entry && !this.states.has(entry)) this.instances.delete(instance);
  }

  /** Calls a hook in an entry of its own; the error says whose it was. */
  private enter(type: ScriptType, instance: Component, hook: Hook, ...args: unknown[]): Promise<void> {
    const f = type.hooks.get(hook);
    if (!f) return Promise.resolve();
    return this.vm.call(f, instance, ...args).then(
      () => undefined,
      (error: unknown) => {
        throw explain(error, hook, instance);
      },
    );
  }

  private async start(): Promise<void> {
    const { L } = this.vm;
    // Tables that several states hold are remembered once, with the first.
    const seen = new Set<unknown>();
    for (const entry of this.instances.values()) {
      entry.state(L);
      this.states.set(entry, rememberTable(L, -1, seen));
      lua.lua_pop(L, 1);
    }
    for (const instance of [...this.instances.keys()]) {
      const type = this.typeOf(instance);
      if (!type || instance.removed || !instance.ready) continue;
      try {
        await this.startOne(type, instance);
      } catch (error) {
        this.stopOne(error, instance);
      }
    }
  }

  private async startOne(type: ScriptType, instance: Component): Promise<void> {
    const entry = this.instances.get(instance);
    if (!entry || entry.started || entry.failed || instance.removed) return;
    entry.started = true;
    await this.enter(type, instance, 'onStart');
  }

  /** Before the world is put back: what the components remember is as it was, so that their hooks find it so. */
  private restoreStates(): void {
    for (const restore of this.states.values()) restore(this.vm.L);
    for (const entry of this.instances.values()) entry.started = false;
  }

  /** Once it is: what the hooks did to the states (onAdd of one that came back) goes, and what did not come back is forgotten. */
  private endPlay(): void {
    for (const restore of this.states.values()) restore(this.vm.L);
    for (const entry of this.states.keys()) entry.failed = false;
    this.states.clear();
    for (const instance of this.instances.keys()) if (instance.removed) this.instances.delete(instance);
  }

  private async each(
    hook: 'onUpdate' | 'onFrame',
    dt: number,
    of: (type: ScriptType) => boolean = () => true,
  ): Promise<void> {
    for (const [instance, entry] of [...this.instances]) {
      // Asked each time: one of them may end play.
      if (hook === 'onUpdate' && this.runtime.mode !== 'play') return;
      const type = instance.type as ScriptType;
      if (!type.hooks.has(hook) || !of(type) || instance.removed || !instance.ready || entry.failed) continue;
      if (entry.busy.has(hook) || (hook === 'onUpdate' && !entry.started)) continue;
      entry.busy.add(hook);
      await this.runtime.pace(
        this.enter(type, instance, hook, dt)
          .catch((error: unknown) => this.stopOne(error, instance))
          .finally(() => entry.busy.delete(hook)),
      );
    }
  }

  private stopOne(error: unknown, instance: Component): void {
    const entry = this.instances.get(instance);
    if (entry) entry.failed = true;
    if (error instanceof Abort) throw error;
    this.options.failed(error);
  }

  private report(error: unknown, hook: Hook, instance: Component): void {
    this.options.failed(explain(error, hook, instance));
  }
}

/** The error with the component and the entity it was on; what no script may catch goes as it is. */
function explain(error: unknown, hook: Hook, { type, entity }: Component): unknown {
  if (error instanceof Abort || !(error instanceof Error)) return error;
  return new LuaError(`${error.message}\n  (in ${hook} of ${type.name} on the entity ${entity})`, {
    traceback: error instanceof LuaError ? error.traceback : undefined,
    cause: error,
  });
}
