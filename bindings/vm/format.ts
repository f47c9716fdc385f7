// string.format as Lua 5.3 has it. Fengari's own goes through a JavaScript sprintf that knows neither %g and %e as C writes them, nor a
// precision of integers, nor the space and # flags, and throws where bytes are no UTF-8.
import { lauxlib, lua, to_luastring } from 'fengari';
import type { CFunction, lua_State } from 'fengari';
import { text } from './read.js';
import { vmOf } from './state.js';

const PERCENT = 37;
/** Flags, width and precision of one conversion, and its letter. At most two digits each, as in Lua. */
const SPEC = /^([-+ #0]*)(\d*)(?:(\.)(\d*))?(.?)/s;

interface Spec {
  left: boolean;
  plus: boolean;
  space: boolean;
  alternate: boolean;
  zero: boolean;
  width: number;
  /** -1 where none was written. */
  precision: number;
  letter: string;
}

/** `string.format(format, …)`. */
export const format: CFunction = (L) => {
  const pattern = lauxlib.luaL_checkstring(L, 1);
  const { budget } = vmOf(L);
  const pieces: Uint8Array[] = [];
  let argument = 1;
  let at = 0;
  while (at < pattern.length) {
    const next = pattern.indexOf(PERCENT, at);
    budget.work(L, 10);
    if (next < 0) break;
    if (next > at) pieces.push(pattern.subarray(at, next));
    if (pattern[next + 1] === PERCENT) {
      pieces.push(pattern.subarray(next, next + 1));
      at = next + 2;
      continue;
    }
    const { spec, length } = parse(L, pattern, next + 1);
    argument++;
    lauxlib.luaL_checkany(L, argument);
    pieces.push(convert(L, spec, argument));
    at = next + 1 + length;
  }
  pieces.push(pattern.subarray(at));
  return pushJoined(L, pieces);
};

/** Joins through Lua's own concatenation, which caps the length. */
function pushJoined(L: lua_State, pieces: Uint8Array[]): number {
  let total = 0;
  for (const piece of pieces) total += piece.length;
  if (total > MAX_LENGTH) return lauxlib.luaL_error(L, to_luastring('string too large'));
  const { budget } = vmOf(L);
  budget.work(L, total / 32);
  budget.made(L, total);
  const joined = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  lua.lua_pushlstring(L, joined, total);
  return 1;
}

/** The cap that the patch of Fengari puts on strings. */
const MAX_LENGTH = 64 * 1024 * 1024;

function parse(L: lua_State, pattern: Uint8Array, at: number): { spec: Spec; length: number } {
  const head = String.fromCharCode(...pattern.subarray(at, at + 32));
  const [whole, flags, width, dot, precision, letter] = SPEC.exec(head)!;
  if (flags.length > 5 || width.length > 2 || (precision?.length ?? 0) > 2)
    lauxlib.luaL_error(L, to_luastring('invalid format (width or precision too long)'));
  const spec = {
    left: flags.includes('-'),
    plus: flags.includes('+'),
    space: flags.includes(' '),
    alternate: flags.includes('#'),
    zero: flags.includes('0'),
    width: Number(width),
    precision: dot ? Number(precision) : -1,
    letter,
  };
  return { spec, length: whole.length };
}

function convert(L: lua_State, spec: Spec, i: number): Uint8Array {
  switch (spec.letter) {
    case 'c':
      return pad(spec, Uint8Array.of(lauxlib.luaL_checkinteger(L, i) & 255));
    case 'd':
    case 'i':
      return to_luastring(integer(spec, lauxlib.luaL_checkinteger(L, i)));
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return to_luastring(unsigned(spec, lauxlib.luaL_checkinteger(L, i) >>> 0));
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return to_luastring(float(spec, lauxlib.luaL_checknumber(L, i)));
    case 'q':
      return quote(L, i);
    case 's':
      return string(L, spec, i);
    default:
      return lauxlib.luaL_error(
        L,
        to_luastring("invalid option '%%%s' to 'format'"),
        to_luastring(spec.letter),
      );
  }
}

function string(L: lua_State, spec: Spec, i: number): Uint8Array {
  const bytes = lauxlib.luaL_tolstring(L, i);
  lua.lua_pop(L, 1);
  return pad(spec, spec.precision >= 0 ? bytes.subarray(0, spec.precision) : bytes);
}

/** Bytes padded with spaces to the width. */
function pad(spec: Spec, bytes: Uint8Array): Uint8Array {
  if (bytes.length >= spec.width) return bytes;
  const padded = new Uint8Array(spec.width).fill(32);
  padded.set(bytes, spec.left ? 0 : spec.width - bytes.length);
  return padded;
}

/** A number's sign, prefix and digits laid out to the width; `zeros` says whether the 0 flag may fill it. */
function layOut(spec: Spec, sign: string, digits: string, zeros: boolean): string {
  const missing = Math.max(0, spec.width - sign.length - digits.length);
  if (spec.left) return sign + digits + ' '.repeat(missing);
  return zeros && spec.zero ? sign + '0'.repeat(missing) + digits : ' '.repeat(missing) + sign + digits;
}

const signOf = (spec: Spec, negative: boolean) => (negative ? '-' : spec.plus ? '+' : spec.space ? ' ' : '');

const minimumDigits = (spec: Spec, digits: string) =>
  spec.precision === 0 && digits === '0' ? '' : digits.padStart(spec.precision, '0');

function integer(spec: Spec, value: number): string {
  const digits = minimumDigits(spec, String(Math.abs(value)));
  return layOut(spec, signOf(spec, value < 0), digits, spec.precision < 0);
}

const BASES: Record<string, number> = { u: 10, o: 8, x: 16, X: 16 };

function unsigned(spec: Spec, value: number): string {
  const { letter } = spec;
  let digits = minimumDigits(spec, value.toString(BASES[letter]));
  if (letter === 'o' && spec.alternate && !digits.startsWith('0')) digits = `0${digits}`;
  const shown = layOut(
    spec,
    spec.alternate && BASES[letter] === 16 && value !== 0 ? '0x' : '',
    digits,
    spec.precision < 0,
  );
  return letter === 'X' ? shown.toUpperCase() : shown;
}

function float(spec: Spec, value: number): string {
  const negative = value < 0 || Object.is(value, -0);
  const size = Math.abs(value);
  const finite = Number.isFinite(value);
  const digits = finite ? finiteDigits(spec, size) : size === Infinity ? 'inf' : 'nan';
  const prefix = finite && spec.letter.toLowerCase() === 'a' ? '0x' : '';
  const sign = signOf(spec, negative) + prefix;
  const shown = layOut(spec, sign, digits, finite);
  return spec.letter < 'a' ? shown.toUpperCase() : shown;
}

function finiteDigits(spec: Spec, size: number): string {
  const precision = spec.precision < 0 ? 6 : spec.precision;
  switch (spec.letter.toLowerCase()) {
    case 'f':
      return withPoint(spec, fixed(size, precision));
    case 'e':
      return exponential(spec, size, precision);
    case 'a':
      return hexadecimal(spec, size);
    default:
      return general(spec, size, precision || 1);
  }
}

/** Digits with `places` decimals, rounded to nearest from the exact value, ties to even, as C does. */
function fixed(size: number, places: number): string {
  if (size >= 1e21) return BigInt(size).toString() + (places ? `.${'0'.repeat(places)}` : '');
  const shown = size.toFixed(places);
  // toFixed takes the larger of two equally near results; such a tie is an exact binary fraction.
  const scaled = size * 10 ** places;
  const isTie = places <= 22 && scaled % 1 === 0.5 && scaled / 10 ** places === size && isExact(size, places);
  if (!isTie || Math.floor(scaled) % 2 !== 0) return shown;
  return (Math.floor(scaled) / 10 ** places).toFixed(places);
}

/** True if `size` ends in the decimal 5 behind `places` decimals, exactly. */
const isExact = (size: number, places: number) => {
  const more = size.toFixed(Math.min(100, places + 40));
  return /^50*$/.test(more.slice(more.indexOf('.') + 1 + places));
};

const withPoint = (spec: Spec, digits: string) =>
  spec.alternate && !digits.includes('.') ? `${digits}.` : digits;

function exponential(spec: Spec, size: number, precision: number): string {
  const [mantissa, exponent] = size.toExponential(precision).split('e');
  return `${withPoint(spec, mantissa)}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}

/** `%g`: fixed or exponential by the decimal exponent after rounding, trailing zeros dropped unless `#`. */
function general(spec: Spec, size: number, precision: number): string {
  const exponent = size === 0 ? 0 : Number(size.toExponential(precision - 1).split('e')[1]);
  if (exponent < -4 || exponent >= precision) {
    const [mantissa, power] = exponential(spec, size, precision - 1).split('e');
    return `${trim(spec, mantissa)}e${power}`;
  }
  return trim(spec, withPoint(spec, fixed(size, precision - 1 - exponent)));
}

const trim = (spec: Spec, digits: string) =>
  spec.alternate || !digits.includes('.') ? digits : digits.replace(/\.?0+$/, '');

/** `%a` without its `0x`: one hexadecimal digit, the fraction, a binary exponent. */
function hexadecimal(spec: Spec, size: number): string {
  if (size === 0) return `0${spec.precision > 0 ? `.${'0'.repeat(spec.precision)}` : ''}p+0`;
  let exponent = Math.max(-1022, Math.floor(Math.log2(size)));
  if (size / 2 ** exponent >= 2) exponent++;
  else if (size / 2 ** exponent < 1 && exponent > -1022) exponent--;
  let bits = BigInt(Math.round((size / 2 ** exponent) * 2 ** 52));
  let places = 13;
  if (spec.precision >= 0 && spec.precision < 13) {
    const drop = BigInt(4 * (13 - spec.precision));
    const half = 1n << (drop - 1n);
    const rest = bits & ((1n << drop) - 1n);
    bits >>= drop;
    if (rest > half || (rest === half && (bits & 1n) === 1n)) bits++;
    places = spec.precision;
  }
  const shown = bits.toString(16).padStart(places + 1, '0');
  let fraction = shown.slice(-places || shown.length);
  const lead = shown.slice(0, shown.length - places);
  if (spec.precision < 0) fraction = fraction.replace(/0+$/, '');
  else fraction = fraction.padEnd(spec.precision, '0');
  return `${lead}${fraction && places ? `.${fraction}` : ''}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
}

/** `%q`: a literal that Lua reads back as the same value. */
function quote(L: lua_State, i: number): Uint8Array {
  switch (lua.lua_type(L, i)) {
    case lua.LUA_TSTRING:
      vmOf(L).budget.work(L, lua.lua_tostring(L, i)!.length);
      return quoteString(lua.lua_tostring(L, i)!);
    case lua.LUA_TNUMBER: {
      const value = lua.lua_tonumber(L, i);
      if (lua.lua_isinteger(L, i)) return to_luastring(value === -2147483648 ? '0x80000000' : String(value));
      if (!Number.isFinite(value))
        return to_luastring(value > 0 ? '1e9999' : value < 0 ? '-1e9999' : '(0/0)');
      return to_luastring(float({ ...PLAIN, letter: 'a' }, value));
    }
    case lua.LUA_TNIL:
    case lua.LUA_TBOOLEAN: {
      const shown = text(lauxlib.luaL_tolstring(L, i));
      lua.lua_pop(L, 1);
      return to_luastring(shown);
    }
    default:
      return lauxlib.luaL_argerror(L, i, to_luastring('value has no literal form'));
  }
}

const PLAIN: Spec = {
  left: false,
  plus: false,
  space: false,
  alternate: false,
  zero: false,
  width: 0,
  precision: -1,
  letter: 'g',
};

function quoteString(bytes: Uint8Array): Uint8Array {
  const out: number[] = [34];
  bytes.forEach((byte, at) => {
    if (byte === 34 || byte === 92 || byte === 10) out.push(92, byte);
    else if (byte < 32 || byte === 127) {
      const next = bytes[at + 1];
      const digits = String(byte);
      const shown = next >= 48 && next <= 57 ? digits.padStart(3, '0') : digits;
      out.push(92, ...[...shown].map((digit) => digit.charCodeAt(0)));
    } else out.push(byte);
  });
  out.push(34);
  return Uint8Array.from(out);
}
