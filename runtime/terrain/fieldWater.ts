// The water over an open heightfield: a surface of its own texels on the same rect, as a heightfield of water, so that what
// is drawn and what waterAt says come from one rule. Texels: the surface's height in metres, the flow along X and Z in
// metres a second, the coverage (0: no water). Attached by terrainHeightfield.open; it goes with its heightfield.
import { checkFields, checkNumber, MoonscapeError, refuse } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import { Texture } from '../texture/texture.js';
import { tellAll } from './editFollowers.js';
import { FieldTexels } from './fieldTexels.js';
import { Heightfield } from './heightfield.js';
import { fillNodata } from './nodata.js';
import type { Rect } from './surfaceRange.js';
import { scanTexels, TEXEL_WORDS } from './texels.js';

/** Water at a place. */
export interface WaterPoint {
  /** Metres of world. */
  readonly surface: number;
  /** Metres a second. */
  readonly flowX: number;
  readonly flowZ: number;
}

/** Still water at one height over the whole rect, metres of world. */
export interface WaterLevel {
  readonly level: number;
}

/** What water is made of. */
export type WaterSource = Texture | WaterLevel;

/** Reads water; null is none. `where` names the caller in errors. */
export type ReadWater = (where: string) => Promise<WaterSource | null>;

/** Words of a texel beside its height. */
const FLOW_X = 1;
const FLOW_Z = 2;
const COVERAGE = 3;

/** Texels along the longer side of a level sheet: as many as its nodes need to be dropped where it is dry. */
const LEVEL_TEXELS = 64;
const NO_WATER: ReadWater = () => Promise.resolve(null);

export class FieldWater {
  /**
   * The surface, or null where there is no water. Texels that are not covered have the height of the nearest covered one,
   * so that the surface goes on under the bank. Its gradients are the flow.
   */
  surface: Heightfield | null = null;
  /** Metres of world: outside it there is no water, however the ground lies. Null where there is none at all. */
  reach: Readonly<Rect> | null = null;
  /** Counts what was asked for: of several the last wins, whichever is read first. */
  private asked = 0;
  /** What was asked for last: `read`, once it is read. */
  private wanted: ReadWater;
  private readonly listeners = new Set<() => void | Promise<void>>();

  private constructor(
    private readonly gpu: Gpu | null,
    private readonly hf: Heightfield,
    /** What the .terrainData says; none where there is no container. */
    private readonly container: ReadWater,
    /** What reset goes back to: what the heightfield was opened with, or what setOwn gave. */
    private own: ReadWater,
    /** What a refresh reads: that, or what setWater gave. */
    private read: ReadWater = own,
  ) {
    this.wanted = read;
  }

  /**
   * Stands water over `hf` and follows it: read again (`read`; default `source` itself) when it is, let go when it closes.
   * `container` reads what the .terrainData says, where there is one. Without a device only queries answer. Refuses what is no
   * water (see readWater), leaving `hf` as it was.
   */
  static attach(
    gpu: Gpu | null,
    hf: Heightfield,
    source: WaterSource | null,
    {
      read = () => Promise.resolve(source),
      container = NO_WATER,
    }: { read?: ReadWater; container?: ReadWater } = {},
    where = 'terrainHeightfield.open',
  ): FieldWater {
    const water = new FieldWater(gpu, hf, container, read);
    water.surface = water.make(source, where);
    water.reach = water.surface && coveredRect(water.surface);
    hf.water = water;
    hf.onRead(async (_, again) => {
      const { read } = water;
      const made = water.make(await read(again), again);
      const drop = () => made?.close();
      // Set anew while the refresh read the old one, it is as fresh as that is.
      return { put: () => (read === water.read ? water.replace(made) : drop()), drop };
    });
    hf.onRefresh(() => water.tell());
    hf.onClose(() => water.replace(null));
    return water;
  }

  /** The water of `hf`; one that was not opened for it has none to set. `where` names the caller in errors. */
  static of(hf: Heightfield, where: string): FieldWater {
    hf.assertOpen(where);
    if (!hf.water)
      throw new MoonscapeError(
        `${where}: this heightfield was made without water; open it with terrainHeightfield.open`,
      );
    return hf.water;
  }

  /**
   * The water at a place, or null where it is dry: outside the rect, where there is no coverage, and where the ground
   * stands as high. A hole changes nothing, for the heights under it stay what they are.
   */
  at(x: number, z: number): WaterPoint | null {
    const { surface, hf } = this;
    if (!surface || hf.groundState(x, z) === 'outside') return null;
    const height = surface.heightAt(x, z);
    if (!(height > hf.heightAt(x, z)) || !(surface.numberAt(x, z, COVERAGE) > 0)) return null;
    return {
      surface: height,
      flowX: surface.numberAt(x, z, FLOW_X),
      flowZ: surface.numberAt(x, z, FLOW_Z),
    };
  }

  /**
   * Has other water, or none. `read` is asked now and at each refresh from now on. Resolves once those who draw it have
   * followed; an error leaves the water as it was, and so does what was asked for later.
   */
  async set(read: ReadWater, where: string): Promise<void> {
    const mine = ++this.asked;
    this.wanted = read;
    try {
      const source = await read(where);
      this.hf.assertOpen(where);
      if (mine !== this.asked) return;
      this.replace(this.make(source, where));
    } catch (error) {
      if (mine === this.asked) this.wanted = this.read;
      throw error;
    }
    this.read = read;
    await this.tell();
  }

  /**
   * Has other water of its own, which reset goes back to; null: what the container says. It is asked for now, and stands unless
   * what set gave stands over it. An error changes nothing.
   */
  async setOwn(read: ReadWater | null, where: string): Promise<void> {
    const own = read ?? this.container;
    if (this.wanted === this.own) {
      await this.set(own, where);
      if (this.read !== own) return;
    } else this.make(await own(where), where)?.close();
    this.own = own;
  }

  /** As set, back to its own water: what the heightfield was opened with, or what setOwn gave. */
  reset(where: string): Promise<void> {
    return this.set(this.own, where);
  }

  /** Remembers the water as it is. What is returned puts it back where there is other water by then, while `hf` is open. */
  remember(): () => Promise<void> {
    const { surface, read, own } = this;
    // Texels outlive their heightfield's close, which only lets go of them.
    const texture = surface && new Texture(surface.width, surface.height, 'rgba32f', surface.cpu);
    return async () => {
      this.asked++;
      this.wanted = this.read = read;
      this.own = own;
      if (this.surface === surface || this.hf.closed) return;
      this.replace(texture && this.stand(texture, 'scene.stop'));
      await this.tell();
    };
  }

  /** Calls `listener` whenever there is other water, or none. Returns what takes it off again. */
  onChange(listener: () => void | Promise<void>): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private make(source: WaterSource | null, where: string): Heightfield | null {
    if (!source) return null;
    const { hf } = this;
    const texture = source instanceof Texture ? readWater(where, source, hf) : sheet(source.level, hf);
    return texture && this.stand(texture, where);
  }

  /** A heightfield of a water's texels, which go on past their coverage already. */
  private stand(texture: Texture, where: string): Heightfield {
    const { hf, gpu } = this;
    const size = [hf.size.width, hf.size.depth] as const;
    const surface = Heightfield.fromTexture(texture, { size, origin: [hf.origin.x, hf.origin.z] });
    try {
      if (gpu) FieldTexels.attach(gpu, surface, `${where}: water`);
      return surface;
    } catch (error) {
      surface.close();
      throw error;
    }
  }

  private replace(surface: Heightfield | null): void {
    this.surface?.close();
    this.surface = surface;
    this.reach = surface && coveredRect(surface);
  }

  private tell(): Promise<void> {
    return tellAll(this.listeners);
  }
}

/** Checks `{ level }` as scripts and programs give it. */
export function checkLevel(where: string, value: object): WaterLevel {
  checkFields(`${where}: water`, value, ['level']);
  return { level: checkNumber(where, 'water.level', (value as WaterLevel).level) };
}

/** Refuses a texture that cannot be water: another format than rgba32f, or a number that is not finite. */
export function checkWaterTexture(where: string, texture: Texture): void {
  if (texture.format !== 'rgba32f')
    refuse(
      where,
      "the water texture's format",
      'rgba32f (surface, flow x, flow z, coverage)',
      texture.format,
    );
  scanTexels(`${where}: water`, texture, null);
}

/** A copy of a water texture whose surface goes on past its coverage; null where nothing is covered. */
function readWater(where: string, texture: Texture, hf: Heightfield): Texture | null {
  checkWaterTexture(where, texture);
  const { width, height } = texture;
  const data = Float32Array.from(texture.data);
  const heights = new Float32Array(width * height);
  const coverage = new Uint8Array(width * height);
  for (let texel = 0; texel < heights.length; texel++) {
    heights[texel] = data[texel * TEXEL_WORDS];
    coverage[texel] = data[texel * TEXEL_WORDS + COVERAGE] > 0 ? 1 : 0;
  }
  if (!coverage.includes(1)) return null;
  fillNodata(where, heights, coverage, width, hf.size.width / width, hf.size.depth / height);
  for (let texel = 0; texel < heights.length; texel++) {
    data[texel * TEXEL_WORDS] = heights[texel];
    // A coverage under 0 is none: as a number it would reach into its neighbours.
    if (coverage[texel] === 0) data[texel * TEXEL_WORDS + COVERAGE] = 0;
  }
  return new Texture(width, height, 'rgba32f', data);
}

/** A level sheet over the rect of `hf`, its texels about square and no finer than the ground's. */
function sheet(level: number, { size, width, height }: Heightfield): Texture {
  const longer = Math.max(size.width, size.depth);
  const along = (side: number, most: number) =>
    Math.min(most, Math.max(1, Math.round((LEVEL_TEXELS * side) / longer)));
  const columns = along(size.width, width);
  const rows = along(size.depth, height);
  const data = new Float32Array(columns * rows * TEXEL_WORDS);
  for (let at = 0; at < data.length; at += TEXEL_WORDS) {
    data[at] = level;
    data[at + COVERAGE] = 1;
  }
  return new Texture(columns, rows, 'rgba32f', data);
}

/** The covered texels and those around them, which coverage reaches into: whole texels, metres of world. */
function coveredRect({ width, height, cpu, minX, minZ, maxX, maxZ, texelX, texelZ }: Heightfield): Rect {
  let [west, east, north, south] = [width, -1, height, -1];
  for (let row = 0, at = COVERAGE; row < height; row++) {
    for (let col = 0; col < width; col++, at += TEXEL_WORDS) {
      if (!(cpu[at] > 0)) continue;
      if (col < west) west = col;
      if (col > east) east = col;
      if (row < north) north = row;
      if (row > south) south = row;
    }
  }
  return {
    minX: west <= 1 ? minX : minX + (west - 1) * texelX,
    minZ: north <= 1 ? minZ : minZ + (north - 1) * texelZ,
    maxX: east >= width - 2 ? maxX : minX + (east + 2) * texelX,
    maxZ: south >= height - 2 ? maxZ : minZ + (south + 2) * texelZ,
  };
}
