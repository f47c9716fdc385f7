// The Lua table `terrain`: the ground graph. Each verb takes grounds and answers another; the work is runtime/terrain.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import { fromTexture } from '../runtime/terrain/fromTexture.js';
import type { Ground } from '../runtime/terrain/ground.js';
import * as verbs from '../runtime/terrain/groundVerbs.js';
import { mask, slope, type Band } from '../runtime/terrain/maskVerbs.js';
import { noise } from '../runtime/terrain/noise.js';
import { resample } from '../runtime/terrain/resample.js';
import { ridge, terrace, warp } from '../runtime/terrain/shapeVerbs.js';
import { toTexture, toWeights } from '../runtime/terrain/toTexture.js';
import { toWater } from '../runtime/terrain/toWater.js';
import { writeTerrainData } from '../runtime/terrain/writeTerrainData.js';
import { contextOf, waitFor } from './context.js';
import { textureHandle } from './texture.js';
import { given, PLACE, pushSize, SIZE } from './values.js';
import { arg, defineHandle, int, LuaFunction, push, pushInteger, type Bindings } from './vm/index.js';

export const groundHandle = defineHandle<Ground>('ground', {
  module: 'terrain',
  getters: {
    width: (self, L) => pushInteger(L, self.width),
    height: (self, L) => pushInteger(L, self.height),
    size: (self, L) => pushSize(L, self.size.width, self.size.depth),
    report: (self, L) => push(L, reportOf(self)),
  },
  describe: ({ width, height, size }) =>
    `ground of ${width}×${height} texels over ${size.width}×${size.depth} m`,
});

/** The load report as a table; `lines` is what a person reads. */
function reportOf({ report }: Ground): object {
  const { source, encoding, bitDepth, distinctLevels, min, max, nodata, zeroBorder, warnings } = report;
  const { left, right, top, bottom } = zeroBorder;
  return {
    ...{ source, encoding, min, max, warnings, lines: report.lines() },
    bitDepth: int(bitDepth),
    distinctLevels: int(distinctLevels),
    nodata: int(nodata),
    zeroBorder: { left: int(left), right: int(right), top: int(top), bottom: int(bottom) },
  };
}

const groundAt = (L: lua_State, index: number, name: string): Ground => groundHandle.check(L, index, name);

function answer(L: lua_State, ground: Ground): number {
  groundHandle.push(L, ground);
  return 1;
}

/** A ground, or a number: the second operand of a verb. */
function operand(L: lua_State, index: number, name: string): Ground | number {
  return groundHandle.test(L, index) ?? arg.number(L, index, name);
}

/** A band of a mask: `{ low, high }` or `{ low =, high = }`, of which one may be missing. Other values go through to be refused. */
function band(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { low, high, ...others } = value as Record<string, unknown>;
  return Object.keys(others).length === 0 ? ([low, high] as Band) : value;
}

export const terrain: Bindings = {
  /** from_texture(tex, { encoding?, range?, channel?, size?, nodata? }) -> ground */
  from_texture(L: lua_State) {
    const source = textureHandle.check(L, 1, 'tex');
    const options = arg.options(L, 2).only('encoding', 'range', 'channel', 'size', 'nodata');
    const { encoding, channel, nodata } = options.fields;
    const range = options.range('range');
    const size = options.vector2('size', SIZE);
    const ground = fromTexture(source, given({ encoding, channel, nodata, range, size }) as never);
    contextOf(L).options.report(ground.report.lines());
    return answer(L, ground);
  },

  /** noise { width, height, size?, seed?, octaves?, frequency?, amplitude?, ridged? } -> ground */
  noise(L: lua_State) {
    const options = arg.options(L, 1, 'options', true);
    const size = options.vector2('size', SIZE);
    return answer(L, noise(given({ ...options.fields, size }) as never));
  },

  /** map(ground, function(h, x, z) -> h) -> ground */
  map(L: lua_State) {
    const ground = groundAt(L, 1, 'ground');
    const height = arg.func(L, 2, 'height');
    return answer(
      L,
      verbs.map(ground, (h, x, z) => height.callNumbers(h, x, z) as number),
    );
  },

  /** add(a, b): b is a ground or metres -> ground */
  add: (L: lua_State) => answer(L, verbs.add(groundAt(L, 1, 'a'), operand(L, 2, 'b'))),

  /** scale(ground, factor) -> ground */
  scale: (L: lua_State) => answer(L, verbs.scale(groundAt(L, 1, 'ground'), arg.number(L, 2, 'factor'))),

  /** clamp(ground, low, high) -> ground */
  clamp: (L: lua_State) =>
    answer(L, verbs.clamp(groundAt(L, 1, 'ground'), arg.number(L, 2, 'low'), arg.number(L, 3, 'high'))),

  /** blend(a, b, weight): weight is a ground or a number 0..1 -> ground */
  blend: (L: lua_State) =>
    answer(L, verbs.blend(groundAt(L, 1, 'a'), groundAt(L, 2, 'b'), operand(L, 3, 'weight'))),

  /** resample(ground, { width, height, smooth? }) -> ground */
  resample(L: lua_State) {
    const ground = groundAt(L, 1, 'ground');
    return answer(L, resample(ground, arg.options(L, 2, 'options', true).fields as never));
  },

  /** terrace(ground, { step, sharpness? }) -> ground */
  terrace(L: lua_State) {
    const ground = groundAt(L, 1, 'ground');
    return answer(L, terrace(ground, arg.options(L, 2, 'options', true).fields as never));
  },

  /** ridge(ground, { level?, round?, valleys? }?) -> ground */
  ridge(L: lua_State) {
    const ground = groundAt(L, 1, 'ground');
    return answer(L, ridge(ground, arg.options(L, 2).fields));
  },

  /** warp(ground, { amplitude, frequency?, seed?, octaves? }) -> ground */
  warp(L: lua_State) {
    const ground = groundAt(L, 1, 'ground');
    return answer(L, warp(ground, arg.options(L, 2, 'options', true).fields as never));
  },

  /** slope(ground) -> ground of degrees */
  slope: (L: lua_State) => answer(L, slope(groundAt(L, 1, 'ground'))),

  /** mask(ground, { height?, slope?, curvature?, soft? }) -> ground of 0..1 */
  mask(L: lua_State) {
    const ground = groundAt(L, 1, 'ground');
    const { fields } = arg.options(L, 2, 'options', true);
    const bands = {
      height: band(fields.height),
      slope: band(fields.slope),
      curvature: band(fields.curvature),
    };
    return answer(L, mask(ground, given({ ...fields, ...bands }) as never));
  },

  /** erode(ground, { seed?, iterations?, … }?) -> ground, flow, sediment. Waits. */
  erode(L: lua_State) {
    const ground = groundAt(L, 1, 'ground');
    const { fields } = arg.options(L, 2);
    const context = contextOf(L);
    const { progress } = fields;
    const options = { ...fields };
    if (progress instanceof LuaFunction)
      options.progress = (done: number, steps: number) => context.vm.call(progress, int(done), int(steps));
    const stopped = () => context.closed;
    return waitFor(
      L,
      async () => {
        const { erode } = await import('../runtime/terrain/erode.js');
        return erode(context.runtime.gpu, ground, options, { stopped });
      },
      (_, eroded) => {
        for (const result of [eroded.ground, eroded.flow, eroded.sediment]) groundHandle.push(L, result);
        return 3;
      },
    );
  },

  /** to_weights(a, b?, c?, d?) -> tex of r8, rg8 or rgba8 */
  to_weights(L: lua_State) {
    const grounds: Ground[] = [groundAt(L, 1, 'a')];
    for (let i = 2; i <= lua.lua_gettop(L); i++)
      grounds.push(groundAt(L, i, 'abcd'[i - 1] ?? `argument ${i}`));
    textureHandle.push(L, toWeights(grounds));
    return 1;
  },

  /** to_water(ground, flow, { catchment?, depth? }?) -> tex of rgba32f */
  to_water(L: lua_State) {
    const [ground, flow] = [groundAt(L, 1, 'ground'), groundAt(L, 2, 'flow')];
    textureHandle.push(L, toWater(ground, flow, arg.options(L, 3).fields));
    return 1;
  },

  /** to_texture(ground) -> tex */
  to_texture(L: lua_State) {
    textureHandle.push(L, toTexture(groundAt(L, 1, 'ground')));
    return 1;
  },

  /** write(path, { heightfield, size?, origin?, heightRange?, holes?, water?, layers? }) -> path. Waits. */
  write(L: lua_State) {
    const path = arg.string(L, 1, 'path');
    const options = arg.options(L, 2, 'options', true);
    options.only('heightfield', 'size', 'origin', 'heightRange', 'holes', 'water', 'layers');
    const { heightfield, holes, water, layers } = options.fields;
    const size = options.vector2('size', SIZE);
    const origin = options.vector2('origin', PLACE);
    const heightRange = options.range('heightRange');
    const { assets } = contextOf(L).runtime;
    return waitFor(
      L,
      () =>
        writeTerrainData(
          assets,
          path,
          given({ heightfield, holes, water, layers, size, origin, heightRange }) as never,
        ),
      (L, written) => (push(L, written), 1),
    );
  },
};
