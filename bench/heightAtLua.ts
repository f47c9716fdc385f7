// What hf:heightAt costs from Lua, against an empty bound function with two numbers in and one out, in the same process: as a
// method of a handle, and as a function held in a local. `node --import ./scripts/register.mjs bench/heightAtLua.ts`
import { lauxlib, lua, to_luastring, type CFunction, type lua_State } from 'fengari';
import { pathToFileURL } from 'node:url';
import { heightfieldHandle } from '../bindings/terrainHeightfield.js';
import { Vm } from '../bindings/vm/index.js';
import { Heightfield } from '../runtime/terrain/heightfield.js';
import { Texture } from '../runtime/texture/texture.js';
import { median, type Row } from './measurement.js';

const SIDE = 256;
/** Short rounds, many of them: what else the machine does falls on all loops alike. */
const CALLS = 1 << 13;
const ROUNDS = 301;
const MOST_RATIO = 1.6;

/** A loop of calls, as a scene writes it: the place changes with each one. */
const loop = (call: string) => `
  local subject, f = subject, subject and subject.heightAt or empty
  return function()
    local sum = 0.0
    for i = 1, ${CALLS} do
      local x = (i % 251) * 3.7 - 460.0
      sum = sum + ${call}
    end
    return sum
  end`;

/** The least that a binding does: two numbers in, one out. */
const empty: CFunction = (L) => {
  const x = lauxlib.luaL_checknumber(L, 1);
  const z = lauxlib.luaL_checknumber(L, 2);
  lua.lua_pushnumber(L, x + z);
  return 1;
};

/** The same behind a handle, self not looked at. */
const emptyMethod: CFunction = (L) => {
  const x = lauxlib.luaL_checknumber(L, 2);
  const z = lauxlib.luaL_checknumber(L, 3);
  lua.lua_pushnumber(L, x + z);
  return 1;
};

function setEmpty(L: lua_State): void {
  lua.lua_pushcfunction(L, empty);
  lua.lua_setglobal(L, to_luastring('empty'));
  lua.lua_newuserdata(L, 0);
  lua.lua_createtable(L, 0, 1);
  lua.lua_createtable(L, 0, 1);
  lua.lua_pushcfunction(L, emptyMethod);
  lua.lua_setfield(L, -2, to_luastring('heightAt'));
  lua.lua_setfield(L, -2, to_luastring('__index'));
  lua.lua_setmetatable(L, -2);
  lua.lua_setglobal(L, to_luastring('handle'));
}

function field(): Heightfield {
  const texels = new Float32Array(SIDE * SIDE * 4);
  for (let texel = 0; texel < SIDE * SIDE; texel++)
    texels.set([20 * Math.sin((texel % SIDE) / 9) + Math.floor(texel / SIDE) / 7, 0, 0, 1], texel * 4);
  return Heightfield.fromTexture(new Texture(SIDE, SIDE, 'rgba32f', texels), { size: [1024, 1024] });
}

/** Compiles a loop; calling what it answers runs it once on the main thread. */
function compile(vm: Vm, subject: 'hf' | 'handle' | null, call: string): () => void {
  const { L } = vm;
  if (subject) lua.lua_getglobal(L, to_luastring(subject));
  else lua.lua_pushnil(L);
  lua.lua_setglobal(L, to_luastring('subject'));
  const source = to_luastring(loop(call));
  lauxlib.luaL_loadbufferx(L, source, source.length, to_luastring('=bench'), 't');
  lua.lua_call(L, 0, 1);
  const push = lua.lua_toproxy(L, -1);
  lua.lua_pop(L, 1);
  return () => {
    push(L);
    lua.lua_call(L, 0, 1);
    lua.lua_pop(L, 1);
  };
}

/** Rows of the report: nanoseconds a call, and the ratios with their bound. */
export async function run(): Promise<Row[]> {
  const vm = new Vm();
  setEmpty(vm.L);
  heightfieldHandle.push(vm.L, field());
  lua.lua_setglobal(vm.L, to_luastring('hf'));
  const loops: Record<string, () => void> = {
    'nothing, the loop alone': compile(vm, null, 'x'),
    'empty function': compile(vm, null, 'f(x, 100.5)'),
    'empty method': compile(vm, 'handle', 'subject:heightAt(x, 100.5)'),
    'hf:heightAt': compile(vm, 'hf', 'subject:heightAt(x, 100.5)'),
    'heightAt in a local': compile(vm, 'hf', 'f(subject, x, 100.5)'),
  };
  const times = new Map(Object.keys(loops).map((name) => [name, [] as number[]]));
  for (let round = -40; round < ROUNDS; round++) {
    for (const [name, once] of Object.entries(loops)) {
      const start = performance.now();
      once();
      if (round >= 0) times.get(name)!.push(((performance.now() - start) * 1e6) / CALLS);
    }
  }
  const ns = new Map([...times].map(([name, values]) => [name, median(values)]));
  const rows = [...ns].map(([name, value]) => ({
    name: `Lua: ${name}`,
    value: `${value.toFixed(0)} ns`,
    bound: '',
    ok: true,
  }));
  const compare = (name: string, base: string) => {
    const paired = times.get(name)!.map((value, round) => value / times.get(base)![round]);
    const ratio = median(paired);
    const value = `${ratio.toFixed(2)} x`;
    rows.push({
      name: `Lua: ${name} against ${base}`,
      value,
      bound: `${MOST_RATIO} x`,
      ok: ratio <= MOST_RATIO,
    });
  };
  compare('hf:heightAt', 'empty function');
  compare('hf:heightAt', 'empty method');
  compare('heightAt in a local', 'empty function');
  return rows;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) console.table(await run());
