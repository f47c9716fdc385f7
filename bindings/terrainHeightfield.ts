// The native half of the Lua module `~terrainSystem.modules.terrainHeightfield`, and the heightfield handle. The work is
// runtime/terrain/heightfield.ts and terrainHeightfield.ts.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import { LOOK_FIELDS, type GroundLook } from '../runtime/renderer/groundLook.js';
import { FieldLayers } from '../runtime/terrain/fieldLayers.js';
import type { LayerOptions } from '../runtime/terrain/layerList.js';
import { FieldTexels } from '../runtime/terrain/fieldTexels.js';
import { FieldWater } from '../runtime/terrain/fieldWater.js';
import { cellHeight, Heightfield } from '../runtime/terrain/heightfield.js';
import { openHeightfield, setOwnWater, setWater } from '../runtime/terrain/terrainHeightfield.js';
import { bufferHandle } from './buffer.js';
import { contextOf, waitFor } from './context.js';
import { textureHandle } from './texture.js';
import { given, PLACE, pushPair, pushSize, REACH, rect, SIZE } from './values.js';
import { arg, defineHandle, push, pushInteger, pushNumbers, type Bindings } from './vm/index.js';

const WHERE = 'terrainHeightfield';

/** `hf.cpu`: the pixels that queries answer from. */
class FieldPixels {
  constructor(readonly hf: Heightfield) {}
}

const pixels = new WeakMap<Heightfield, FieldPixels>();

function pixelsOf(hf: Heightfield): FieldPixels {
  let found = pixels.get(hf);
  if (!found) pixels.set(hf, (found = new FieldPixels(hf)));
  return found;
}

const closed = (hf: Heightfield) => hf.closed && `this heightfield is closed (${hf.describe()})`;

const pixelsHandle = defineHandle('heightfield pixels', {
  kind: FieldPixels,
  module: `${WHERE}.cpu`,
  methods: {
    /** read(col, row) -> height, gradient along x, gradient along z, coverage */
    read({ hf }, L) {
      const texel = hf.read(arg.integer(L, 2, 'col'), arg.integer(L, 3, 'row'));
      for (const number of texel) lua.lua_pushnumber(L, number);
      return 4;
    },
  },
  stale: ({ hf }) => closed(hf),
});

export const heightfieldHandle = defineHandle<Heightfield>('heightfield', {
  kind: Heightfield,
  module: WHERE,
  getters: {
    width: (self, L) => pushInteger(L, self.width),
    height: (self, L) => pushInteger(L, self.height),
    gen: (self, L) => pushInteger(L, self.gen),
    hasWater: (self, L) => lua.lua_pushboolean(L, (self.water?.surface ?? null) !== null),
    size: (self, L) => pushSize(L, self.size.width, self.size.depth),
    origin: (self, L) => pushPair(L, PLACE, self.origin.x, self.origin.z),
    heightRange: (self, L) => pushPair(L, REACH, self.heightRange.low, self.heightRange.high),
    texels: (self, L) => bufferHandle.push(L, FieldTexels.of(self, WHERE).texels),
    cpu: (self, L) => pixelsHandle.push(L, pixelsOf(self)),
  },
  numeric: {
    /** heightAt(x, z) -> metres. Its own finite check, which costs nothing, finds bad numbers and a closed heightfield. */
    heightAt: { names: ['x', 'z'], call: (self, x, z) => self.heightAt(x, z) },
  },
  methods: {
    /** normalAt(x, z) -> nx, ny, nz */
    normalAt(self, L) {
      const [x, y, z] = self.normalInto(arg.number(L, 2, 'x'), arg.number(L, 3, 'z'), scratch);
      lua.lua_pushnumber(L, x);
      lua.lua_pushnumber(L, y);
      lua.lua_pushnumber(L, z);
      return 3;
    },

    /** slopeAt(x, z) -> radians */
    slopeAt(self, L) {
      lua.lua_pushnumber(L, self.slopeAt(arg.number(L, 2, 'x'), arg.number(L, 3, 'z')));
      return 1;
    },

    /** hasGroundAt(x, z) -> true, or false and "hole" or "outside" */
    hasGroundAt(self, L) {
      const state = self.groundState(arg.number(L, 2, 'x'), arg.number(L, 3, 'z'));
      lua.lua_pushboolean(L, state === 'ground');
      if (state === 'ground') return 1;
      push(L, state);
      return 2;
    },

    /** sampleGrid(cols, rows) -> list of heights, row-major */
    sampleGrid(self, L) {
      pushNumbers(L, self.sampleGrid(arg.integer(L, 2, 'cols'), arg.integer(L, 3, 'rows')));
      return 1;
    },

    /** waterAt(x, z) -> surface, flow x, flow z; nil where it is dry */
    waterAt(self, L) {
      const water = self.waterAt(arg.number(L, 2, 'x'), arg.number(L, 3, 'z'));
      if (!water) {
        lua.lua_pushnil(L);
        return 1;
      }
      lua.lua_pushnumber(L, water.surface);
      lua.lua_pushnumber(L, water.flowX);
      lua.lua_pushnumber(L, water.flowZ);
      return 3;
    },

    /** setWater(water?). Waits. */
    setWater(self, L) {
      const water = arg.value(L, 2) as never;
      const { runtime } = contextOf(L);
      return waitFor(L, () => setWater(runtime, self, water));
    },

    /** setOwnWater(water?). Waits. */
    setOwnWater(self, L) {
      const water = arg.value(L, 2) as never;
      const { runtime } = contextOf(L);
      return waitFor(L, () => setOwnWater(runtime, self, water));
    },

    /** resetWater(). Done by the end of the frame. */
    resetWater(self, L) {
      const context = contextOf(L);
      const work = FieldWater.of(self, `${WHERE}.resetWater`).reset(`${WHERE}.resetWater`);
      // Of ground that closes meanwhile nothing is missed.
      context.runtime.track(work).catch((error: unknown) => void (self.closed || context.fail(error)));
      return 0;
    },

    /** heightsAt(points) -> list of heights. points: x, z, x, z, … or a list of pairs. */
    heightsAt(self, L) {
      pushNumbers(L, self.heightsAt(places(L, 2)));
      return 1;
    },

    /** minMax(rect) -> low, high */
    minMax(self, L) {
      const { low, high } = self.minMax(rect(L, 2, 'rect'));
      lua.lua_pushnumber(L, low);
      lua.lua_pushnumber(L, high);
      return 2;
    },

    /** colliderTiles(perTile?) -> list of { minX, minZ, sizeX, sizeZ, xs, zs } */
    colliderTiles(self, L) {
      const tiles = self.colliderTiles(arg.optInteger(L, 2, 'perTile', 64));
      const whole = (texels: number[]) => Uint32Array.from(texels);
      push(
        L,
        tiles.map((tile) => ({ ...tile, xs: whole(tile.xs), zs: whole(tile.zs) })),
      );
      return 1;
    },

    /** texelLattice(xs, zs) -> list of heights, row-major */
    texelLattice(self, L) {
      pushNumbers(L, self.texelLattice(arg.numbers(L, 2, 'xs'), arg.numbers(L, 3, 'zs')));
      return 1;
    },

    /** setHeights(col, row, cols, rows, heights) -> the rect that changed */
    setHeights(self, L) {
      const [col, row, cols, rows] = AREA.map((name, i) => arg.integer(L, i + 2, name));
      push(L, { ...self.setHeights(col, row, cols, rows, arg.value(L, 6) as ArrayLike<number>) });
      return 1;
    },

    /** layersAt(x, z) -> shares by layer name, empty where there are no layers */
    layersAt(self, L) {
      const [x, z] = [arg.number(L, 2, 'x'), arg.number(L, 3, 'z')];
      push(L, layersOf(self).at(x, z));
      return 1;
    },

    /** setLayers(list or nil: none). Waits. */
    setLayers(self, L) {
      const list = arg.absent(L, 2) ? undefined : arg.value(L, 2);
      return waitFor(L, () => layersOf(self).set(list as readonly LayerOptions[] | undefined));
    },

    /** resetLayers(). Waits. */
    resetLayers: (self, L) => waitFor(L, () => layersOf(self).reset()),

    /** setLook({ climate?, snowLine?, sandLine? }?) */
    setLook(self, L) {
      const { fields } = arg.options(L, 2).only(...LOOK_FIELDS);
      self.setLook(given({ ...fields }) as GroundLook);
      return 0;
    },

    /** toTexture() -> tex */
    toTexture(self, L) {
      textureHandle.push(L, self.toTexture());
      return 1;
    },

    /** refresh(). Waits. */
    refresh: (self, L) => waitFor(L, () => self.refresh()),

    close(self) {
      self.close();
      return 0;
    },
  },
  describe: (self) => `heightfield ${self.describe()}`,
  stale: closed,
  whenStale: ['close'],
});

/** Scripts have only heightfields that open made, and these have their layers attached. */
const layersOf = (hf: Heightfield): FieldLayers => FieldLayers.of(hf)!;

const AREA = ['col', 'row', 'cols', 'rows'];

/** Where normalAt has its result. */
const scratch = new Float64Array(3);

/** Places in a list, as x, z, x, z, …; pairs are laid out so. */
function places(L: lua_State, index: number): Float64Array {
  const isList = lua.lua_type(L, index) === lua.LUA_TTABLE;
  const first = isList ? lua.lua_rawgeti(L, index, 1) : lua.LUA_TNIL;
  if (isList) lua.lua_pop(L, 1);
  if (first !== lua.LUA_TTABLE) return arg.numbers(L, index, 'points');
  const pairs = arg.table(L, index, 'points') as unknown as unknown[];
  return Float64Array.from(pairs.flatMap((pair, i) => arg.asVector2(`points[${i + 1}]`, pair, PLACE)));
}

export const terrainHeightfield: Bindings = {
  /** open(ground, { size?, origin?, heightRange?, holes?, nodata?, water?, layers?, climate?, snowLine?, sandLine? }?) -> hf. Waits. */
  open(L: lua_State) {
    const ground = arg.value(L, 1);
    const options = arg
      .options(L, 2)
      .only('size', 'origin', 'heightRange', 'holes', 'nodata', 'water', 'layers', ...LOOK_FIELDS);
    const { holes, nodata, water, layers, climate, snowLine, sandLine } = options.fields;
    const size = options.vector2('size', SIZE);
    const origin = options.vector2('origin', PLACE);
    const heightRange = options.range('heightRange');
    const context = contextOf(L);
    return waitFor(
      L,
      async () => {
        const look = { climate, snowLine, sandLine };
        const checked = given({ size, origin, heightRange, holes, nodata, water, layers, ...look }) as never;
        const hf = await openHeightfield(context.runtime, ground as never, checked);
        context.addHeightfield(hf);
        return hf;
      },
      (L, hf) => (heightfieldHandle.push(L, hf), 1),
    );
  },

  /** cellHeight(h00, h10, h01, h11, fx, fz) -> metres */
  cellHeight(L: lua_State) {
    const [h00, h10, h01, h11, fx, fz] = CELL.map((name, i) => arg.number(L, i + 1, name));
    lua.lua_pushnumber(L, cellHeight(h00, h10, h01, h11, fx, fz));
    return 1;
  },
};

const CELL = ['h00', 'h10', 'h01', 'h11', 'fx', 'fz'];
