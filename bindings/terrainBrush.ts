// The native half of the Lua module `~terrainSystem.modules.terrainBrush`. The work is runtime/terrain/terrainBrush.ts.
import type { lua_State } from 'fengari';
import type { Heightfield, Rect } from '../runtime/terrain/heightfield.js';
import { flatten, lower, raise, smooth, stamp } from '../runtime/terrain/terrainBrush.js';
import { heightfieldHandle } from './terrainHeightfield.js';
import { textureHandle } from './texture.js';
import { arg, push, type Bindings } from './vm/index.js';

type Stroke = (hf: Heightfield, x: number, z: number, options: never) => Rect | null;

/** stroke(hf, x, z, { radius, strength?, … }) -> the rect that changed, or nil */
const bound =
  (stroke: Stroke, ...extra: string[]) =>
  (L: lua_State): number => {
    const hf = heightfieldHandle.check(L, 1, 'hf');
    const x = arg.number(L, 2, 'x');
    const z = arg.number(L, 3, 'z');
    const options = arg.options(L, 4, 'options', true).only('radius', 'strength', ...extra);
    if (extra.includes('texture')) options.need('texture', options.handle('texture', textureHandle));
    const rect = stroke(hf, x, z, options.fields as never);
    push(L, rect && { ...rect });
    return 1;
  };

export const terrainBrush: Bindings = {
  raise: bound(raise),
  lower: bound(lower),
  smooth: bound(smooth),
  flatten: bound(flatten, 'height'),
  stamp: bound(stamp, 'texture'),
};
