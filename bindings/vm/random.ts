// math.random and math.randomseed: as Lua has them, but each VM has its own sequence, the same in every run (Fengari's own starts from the
// clock and is shared by all states). Generator: xoshiro128** (Blackman and Vigna 2018), seeded by splitmix32.
import { lauxlib, lua } from 'fengari';
import type { CFunction } from 'fengari';
import { ArgumentError } from './errors.js';
import { absent } from './args.js';

const rotate = (x: number, k: number) => (x << k) | (x >>> (32 - k));

/** A sequence of 32-bit numbers that depends on `seed` alone. */
function sequence(seed: number): () => number {
  const words = new Int32Array(new Float64Array([seed + 0]).buffer);
  let state = words[0] ^ Math.imul(words[1], 0x9e3779b1);
  const s = Int32Array.from({ length: 4 }, () => {
    state = (state + 0x9e3779b9) | 0;
    let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return z ^ (z >>> 15);
  });
  return () => {
    const result = Math.imul(rotate(Math.imul(s[1], 5), 7), 9);
    const t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 11);
    return result >>> 0;
  };
}

/** `random` and `randomseed` for the `math` table of one VM. */
export function randomFunctions(seed: number): Record<string, CFunction> {
  let next = sequence(seed);
  const unit = () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) * 2 ** -53;
  return {
    random(L) {
      if (absent(L, 1)) {
        lua.lua_pushnumber(L, unit());
        return 1;
      }
      const first = lauxlib.luaL_checkinteger(L, 1);
      const [low, high] = absent(L, 2) ? [1, first] : [first, lauxlib.luaL_checkinteger(L, 2)];
      if (low > high) throw new ArgumentError(`the interval ${low}..${high} is empty`);
      lua.lua_pushinteger(L, low + Math.floor(unit() * (high - low + 1)));
      return 1;
    },
    randomseed(L) {
      next = sequence(lauxlib.luaL_checknumber(L, 1));
      return 0;
    },
  };
}
