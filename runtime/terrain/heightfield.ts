// A texture standing over a rect of world, read as ground: the CPU side. It opens, edits, refreshes and closes the surface
// that queries answer from (groundSurface.ts); the GPU's copy (fieldTexels.ts) and others follow. Opened by
// terrainHeightfield.ts.
import { checkLook, type GroundLook } from '../renderer/groundLook.js';
import { Texture } from '../texture/texture.js';
import { cellHeight } from './cell.js';
import type { ColliderTile } from './colliderTiles.js';
import { changedRect, checkArea, checkHeights, copyIn, growRange, putHeights } from './editTexels.js';
import { EditFollowers, tellAll, type EditFollower, type FieldEdit } from './editFollowers.js';
import { checkRectOptions, type RectOptions } from './fieldRect.js';
import type { TexelArea } from './gradient.js';
import type { FieldWater, WaterPoint } from './fieldWater.js';
import { checkPlace, GroundSurface, type GroundState } from './groundSurface.js';
import { cutUncovered, readMask, type HoleMask } from './holes.js';
import type { Rect } from './surfaceRange.js';
import {
  checkGroundTexture,
  checkSameSides,
  copyTexels,
  scanTexels,
  TEXEL_WORDS,
  type HeightRange,
} from './texels.js';

export { cellHeight };
export type {
  ColliderTile,
  GroundState,
  EditFollower,
  FieldEdit,
  HeightRange,
  HoleMask,
  Rect,
  RectOptions,
  TexelArea,
};

/** What refresh reads: the texels, and the mask if there is one. */
export interface GroundSource {
  texture: Texture;
  holes?: Texture;
}

/**
 * Who reads its own part of what a refresh brings. It throws where that part must be refused; if all are content, `put` is
 * called once the ground has changed, otherwise `drop`.
 */
export type GroundReader = (
  source: GroundSource,
  where: string,
) => Promise<{ put: () => void; drop: () => void }>;

const OPEN = 'terrainHeightfield.open';

/**
 * An open heightfield. Queries outside the rect answer for its nearest point; arguments that are not finite numbers
 * are refused. A closed one refuses everything but `close`.
 */
export class Heightfield extends GroundSurface {
  /** Declared, or read off the pixels; what is read off them grows with edits, and a refresh reads it anew. */
  heightRange: Readonly<HeightRange>;
  /** Counts the times the texels have been read; 1 once open. */
  gen = 1;
  /** Counts the edits (setHeights) since it was opened. */
  edits = 0;
  /** The water over it, which may be none; null where it was made without (see fieldWater.ts). */
  water: FieldWater | null = null;
  /** What it looks like where it has no layers; see setLook. */
  look: Readonly<GroundLook> = {};

  private readonly declared: HeightRange | null;
  private readonly nodata: 'hole' | undefined;
  private readonly recordedAtOpen: readonly [number, number] | null;
  private readAgain: (() => Promise<GroundSource>) | null;
  private readonly readers = new Set<GroundReader>();
  private readonly refreshListeners = new Set<() => void | Promise<void>>();
  private readonly closingListeners = new Set<() => void>();
  private readonly closeListeners = new Set<() => void>();
  private readonly editFollowers = new EditFollowers();

  /**
   * Stands `texture` (rgba32f) over a rect. `readAgain` is what refresh gets the pixels from; left out, it is the
   * texture and the mask given here. Refuses what it cannot stand, leaving nothing behind; `where` names the caller in errors.
   */
  static fromTexture(
    texture: Texture,
    options: RectOptions = {},
    readAgain?: () => Promise<GroundSource>,
    where = OPEN,
  ): Heightfield {
    return new Heightfield(texture, options, readAgain ?? null, where);
  }

  private constructor(
    texture: Texture,
    options: RectOptions,
    readAgain: (() => Promise<GroundSource>) | null,
    where: string,
  ) {
    checkGroundTexture(where, texture);
    const rect = checkRectOptions(where, options, texture);
    super(where, texture, rect);
    this.declared = rect.declared;
    this.nodata = rect.nodata;
    this.recordedAtOpen = texture.size;
    this.readAgain = readAgain ?? (async () => ({ texture, holes: options.holes }));
    const read = scanTexels(where, texture, this.declared);
    this.heightRange = Object.freeze(this.declared ?? read);
    this.mask = this.readHoles(where, texture, options.holes);
    this.cpu = new Float32Array(this.width * this.height * TEXEL_WORDS);
    copyTexels(this.cpu, texture, texture.size, rect.size);
  }

  /** Draws it with another look from the next frame on, where it has no layers. What is left out goes by the climate, and that is temperate. A refused look changes nothing. */
  setLook(look: GroundLook = {}): void {
    this.alive('setLook');
    this.look = checkLook('terrainHeightfield.setLook', look);
  }

  /** The water at a place, or null where it is dry; see FieldWater.at. */
  waterAt(x: number, z: number): WaterPoint | null {
    this.alive('waterAt');
    checkPlace('waterAt', x, z);
    return this.water ? this.water.at(x, z) : null;
  }

  /**
   * Sets the heights of `cols` × `rows` texels from column `col` and row `row` (each from 0) in this heightfield's own
   * copy. Their coverage becomes 1, and the gradients of these texels and of their neighbours are taken again by the rule
   * of terrain.to_texture; holes stay, those of nodata too. When it returns, the GPU's copy has followed and standing
   * terrain meshes have taken their cut again from their last camera and built the nodes that overlap. `gen` stays.
   * @param heights metres, cols × rows of them, row-major; finite, and within a declared heightRange
   * @returns the rect of world, metres, outside which no height or normal is another than before
   * Refused input changes nothing. What a follower throws (a mesh's `keep`) is thrown on once all have been told.
   */
  setHeights(col: number, row: number, cols: number, rows: number, heights: ArrayLike<number>): Rect {
    this.alive('setHeights');
    const where = 'terrainHeightfield.setHeights';
    const area = checkArea(where, this, { col, row, cols, rows });
    const values = checkHeights(where, area, heights, this.declared);
    this.editFollowers.ready(where, area);
    const { width, height, texelX, texelZ } = this;
    putHeights(where, { texels: this.cpu, width, height, texelX, texelZ }, area, values);
    this.edits++;
    if (!this.declared) this.heightRange = growRange(this.heightRange, values);
    const edit = { area, rect: changedRect(this, area) };
    this.editFollowers.tell(edit, where);
    return edit.rect;
  }

  /**
   * Puts blocks of texels (four words each, row-major) and the height range back as they were at an earlier time of this
   * heightfield, or of one with as many texels over the same ground; followers follow as they do an edit.
   */
  restoreTexels(
    blocks: readonly { area: TexelArea; texels: Float32Array }[],
    heightRange: Readonly<HeightRange>,
  ): void {
    const where = 'terrainHeightfield.restoreTexels';
    this.assertOpen(where);
    for (const { area } of blocks) this.editFollowers.ready(where, area);
    for (const { area, texels } of blocks) copyIn({ texels: this.cpu, width: this.width }, area, texels);
    this.edits++;
    if (!this.declared) this.heightRange = heightRange;
    for (const { area } of blocks) this.editFollowers.tell({ area, rect: changedRect(this, area) }, where);
  }

  /** Puts holes back that this heightfield, or one of as many texels, had before (`mask`). All that follows a refresh follows this. */
  async restoreHoles(mask: HoleMask | null): Promise<void> {
    this.assertOpen('terrainHeightfield.restoreHoles');
    if (this.mask === mask) return;
    this.mask = mask;
    this.gen++;
    await tellAll(this.refreshListeners);
  }

  /** A new rgba32f texture of the texels as they are now, edits included, with the size recorded. It stands on its own. */
  toTexture(): Texture {
    this.alive('toTexture');
    const texture = new Texture(this.width, this.height, 'rgba32f', this.cpu.slice());
    texture.size = [this.size.width, this.size.depth];
    return texture;
  }

  /**
   * Reads the texels (and the mask) again, which drops edits, bumps `gen` and has the GPU copies follow. If they are refused, everything
   * stays as it was.
   */
  async refresh(): Promise<void> {
    this.alive('refresh');
    const where = 'terrainHeightfield.refresh';
    const source = await this.readAgain!();
    this.alive('refresh');
    const { texture, holes } = source;
    checkGroundTexture(where, texture);
    checkSameSides(where, texture, this.width, this.height);
    const read = scanTexels(where, texture, this.declared);
    const mask = this.readHoles(where, texture, holes);
    const parts = await this.readParts(source, where);
    this.editFollowers.ready(where, { col: 0, row: 0, cols: this.width, rows: this.height });
    this.mask = mask;
    if (!this.declared) this.heightRange = Object.freeze(read);
    copyTexels(this.cpu, texture, texture.size ?? this.recordedAtOpen, [this.size.width, this.size.depth]);
    this.gen++;
    for (const { put } of parts) put();
    await tellAll(this.refreshListeners);
  }

  /** Lets go of the pixels and of the GPU's copies; the asset is untouched. A second close does nothing. */
  close(): void {
    if (this.closed) return;
    for (const listener of this.closingListeners) listener();
    this.closingListeners.clear();
    this.closeSurface();
    this.water = null;
    this.readAgain = null;
    const listeners = [...this.closeListeners];
    this.closeListeners.clear();
    this.readers.clear();
    this.refreshListeners.clear();
    this.editFollowers.clear();
    for (const listener of listeners) listener();
  }

  /** Has `reader` read its own part of what each refresh brings. Returns what takes it off again. */
  onRead(reader: GroundReader): () => void {
    this.readers.add(reader);
    return () => void this.readers.delete(reader);
  }

  /** Calls `listener` after each refresh, which waits for it. Returns what takes it off again. */
  onRefresh(listener: () => void | Promise<void>): () => void {
    this.refreshListeners.add(listener);
    return () => void this.refreshListeners.delete(listener);
  }

  /** Calls `listener` once, right before it closes: the texels are still there. Returns what takes it off again. */
  onClosing(listener: () => void): () => void {
    this.closingListeners.add(listener);
    return () => void this.closingListeners.delete(listener);
  }

  /** Calls `listener` once, at close. Returns what takes it off again. */
  onClose(listener: () => void): () => void {
    this.closeListeners.add(listener);
    return () => void this.closeListeners.delete(listener);
  }

  /** Has `follower` follow each edit, in the order in which they came. Returns what takes it off again. */
  onEdit(follower: EditFollower): () => void {
    return this.editFollowers.add(follower);
  }

  /** What each reader has made of a refresh; where one refuses, or the ground was closed meanwhile, the others' is dropped. */
  private async readParts(source: GroundSource, where: string) {
    const parts: { put: () => void; drop: () => void }[] = [];
    try {
      for (const reader of [...this.readers]) parts.push(await reader(source, where));
      this.alive('refresh');
      return parts;
    } catch (error) {
      for (const { drop } of parts) drop();
      throw error;
    }
  }

  private readHoles(where: string, texture: Texture, holes: Texture | undefined): HoleMask | null {
    const mask = holes ? readMask(where, holes, this.width, this.height) : null;
    return this.nodata ? cutUncovered(mask, texture) : mask;
  }
}
