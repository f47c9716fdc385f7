// A heightfield's surface as Rapier colliders: tiles of 8 × 8 cells, each a triangle mesh of exactly the cells that have
// ground, standing only where somebody uses them. Used by the simulation and by the self-check.
//
// Why meshes, and small ones. Rapier's own heightfields cost a fiftieth a cell, but the edges along their border keep their
// sideways normals: boxes that slide over the seam of two of them are thrown up at 4.5 m/s, cylinders and hulls worse, and neither
// a contact skin nor overlapping rows cure it. Meshes with fixed internal edges pass seams at 1e-5 m/s, show holes to the
// cell, and take the half cells of the rim as they are. Their price, 60 µs and 16 KiB a tile, is paid only near bodies,
// so that what a body costs does not depend on the size of the field.
import type { Collider, World } from '@dimforge/rapier3d-compat';
import { cellSurface } from '../terrain/cell.js';
import type { Heightfield, Rect, TexelArea } from '../terrain/heightfield.js';
import { TEXEL_WORDS } from '../terrain/texels.js';
import type { Vec3 } from '../world/vector.js';
import type { Rapier } from './rapier.js';

/** Cells a side of a tile. The cells of a field are counted from the strip along its -X, -Z edge: width + 1 by height + 1 of them. */
export const TILE_CELLS = 8;

/** Tiles by columns and rows, ends included; empty where first > last. */
export interface TileRange {
  readonly firstColumn: number;
  readonly lastColumn: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

interface Tile {
  /** Null where the tile is all hole. */
  collider: Collider | null;
  /** What it was built of: x, y, z of each corner of its cells, rows × columns, of the Rapier world. */
  vertices: Float32Array;
  users: number;
}

export interface GroundTilesOptions {
  /** The place of the world, metres, that is the Rapier world's zero; doubles less this one become its singles. Default 0. */
  origin?: Vec3;
}

/** The ground of one heightfield in one Rapier world. `free` it before the world, or let it go with the world. */
export class GroundTiles {
  /** Tiles built since the start, and those of them that were built again because their texels had changed. */
  readonly stats = { built: 0, rebuilt: 0 };
  private readonly tiles = new Map<number, Tile>();
  private readonly columns: number;
  private readonly rows: number;
  private readonly origin: Vec3;

  constructor(
    private readonly rapier: Rapier,
    private readonly world: World,
    readonly hf: Heightfield,
    { origin = { x: 0, y: 0, z: 0 } }: GroundTilesOptions = {},
  ) {
    this.origin = origin;
    this.columns = Math.ceil((hf.width + 1) / TILE_CELLS);
    this.rows = Math.ceil((hf.height + 1) / TILE_CELLS);
  }

  /** Tiles that stand. */
  get count(): number {
    return this.tiles.size;
  }

  /** The tiles whose cells meet a closed rect of world; an empty range where it lies outside the field. */
  tilesIn({ minX, minZ, maxX, maxZ }: Rect): TileRange {
    const { hf } = this;
    if (maxX < hf.minX || minX > hf.maxX || maxZ < hf.minZ || minZ > hf.maxZ) return NO_TILES;
    const column = (x: number) => tileOf((x - hf.minX) / hf.texelX, this.columns);
    const row = (z: number) => tileOf((z - hf.minZ) / hf.texelZ, this.rows);
    return { firstColumn: column(minX), lastColumn: column(maxX), firstRow: row(minZ), lastRow: row(maxZ) };
  }

  /** The tiles that hold one of an area's texels. */
  tilesOf({ col, row, cols, rows }: TexelArea): TileRange {
    // A texel is a corner of the cells to its left and right: cells number `col` and `col + 1` counted from the rim's strip.
    const tile = (cell: number) => Math.floor(cell / TILE_CELLS);
    return {
      firstColumn: tile(col),
      lastColumn: tile(col + cols),
      firstRow: tile(row),
      lastRow: tile(row + rows),
    };
  }

  /** Has tiles stand until as many `release`s; answers how many were built for it. */
  acquire(range: TileRange): number {
    const before = this.stats.built;
    forEachTile(range, (column, row) => {
      const key = row * this.columns + column;
      const tile = this.tiles.get(key);
      if (tile) tile.users++;
      else this.tiles.set(key, { ...this.build(column, row), users: 1 });
    });
    return this.stats.built - before;
  }

  /** Takes an `acquire` back; tiles without a user go. */
  release(range: TileRange): void {
    forEachTile(range, (column, row) => {
      const key = row * this.columns + column;
      const tile = this.tiles.get(key);
      if (!tile || --tile.users > 0) return;
      if (tile.collider) this.world.removeCollider(tile.collider, false);
      this.tiles.delete(key);
    });
  }

  /** Builds the standing tiles of a range again, or all that stand. */
  rebuild(range?: TileRange): void {
    const again = (key: number, tile: Tile) => {
      if (tile.collider) this.world.removeCollider(tile.collider, false);
      Object.assign(tile, this.build(key % this.columns, Math.floor(key / this.columns)));
      this.stats.rebuilt++;
    };
    if (!range) return this.tiles.forEach((tile, key) => again(key, tile));
    forEachTile(range, (column, row) => {
      const key = row * this.columns + column;
      const tile = this.tiles.get(key);
      if (tile) again(key, tile);
    });
  }

  /** Metres: the ground that the tiles hold at a place; null where none stands. It is that of before an edit until `rebuild`. */
  heldHeight(x: number, z: number): number | null {
    const { hf, origin } = this;
    // Cells counted from the rim's strip.
    const [u, v] = [(x - hf.minX) / hf.texelX + 0.5, (z - hf.minZ) / hf.texelZ + 0.5];
    const [i, j] = [Math.floor(u), Math.floor(v)];
    if (i < 0 || j < 0 || i > hf.width || j > hf.height || !hf.cellHasGround(i - 1, j - 1)) return null;
    const tile = this.tiles.get(Math.floor(j / TILE_CELLS) * this.columns + Math.floor(i / TILE_CELLS));
    if (!tile?.collider) return null;
    const stride = Math.min(TILE_CELLS, hf.width + 1 - (i - (i % TILE_CELLS))) + 1;
    const at = ((j % TILE_CELLS) * stride + (i % TILE_CELLS)) * 3 + 1;
    const { vertices } = tile;
    const below = at + stride * 3;
    return (
      origin.y +
      cellSurface(vertices[at], vertices[at + 3], vertices[below], vertices[below + 3], u - i, v - j)
    );
  }

  /** Takes all tiles off the world. */
  free(): void {
    for (const { collider } of this.tiles.values()) if (collider) this.world.removeCollider(collider, false);
    this.tiles.clear();
  }

  private build(tileColumn: number, tileRow: number): Pick<Tile, 'collider' | 'vertices'> {
    this.stats.built++;
    const { hf, origin } = this;
    const [i0, j0] = [tileColumn * TILE_CELLS - 1, tileRow * TILE_CELLS - 1];
    const [cols, rows] = [Math.min(TILE_CELLS, hf.width - i0), Math.min(TILE_CELLS, hf.height - j0)];
    const indices = this.triangles(i0, j0, cols, rows);
    const vertices = new Float32Array((cols + 1) * (rows + 1) * 3);
    for (let j = j0, at = 0; j <= j0 + rows; j++) {
      const z = stop(j, hf.minZ, hf.maxZ, hf.texelZ, hf.height) - origin.z;
      const row = j < 0 ? 0 : j < hf.height ? j : hf.height - 1;
      for (let i = i0; i <= i0 + cols; i++) {
        const column = i < 0 ? 0 : i < hf.width ? i : hf.width - 1;
        vertices[at++] = stop(i, hf.minX, hf.maxX, hf.texelX, hf.width) - origin.x;
        vertices[at++] = hf.cpu[(row * hf.width + column) * TEXEL_WORDS] - origin.y;
        vertices[at++] = z;
      }
    }
    if (indices.length === 0) return { collider: null, vertices };
    const flags = this.rapier.TriMeshFlags.FIX_INTERNAL_EDGES;
    const shape = this.rapier.ColliderDesc.trimesh(vertices, indices, flags);
    return { collider: this.world.createCollider(shape), vertices };
  }

  /** Two triangles for each cell that has ground, facing up, split from its (0,1) corner to its (1,0) corner. */
  private triangles(i0: number, j0: number, cols: number, rows: number): Uint32Array {
    const { hf } = this;
    const indices = new Uint32Array(cols * rows * 6);
    let count = 0;
    for (let j = 0; j < rows; j++) {
      for (let i = 0; i < cols; i++) {
        if (!hf.cellHasGround(i0 + i, j0 + j)) continue;
        const h00 = j * (cols + 1) + i;
        const h01 = h00 + cols + 1;
        indices[count++] = h00;
        indices[count++] = h01;
        indices[count++] = h00 + 1;
        indices[count++] = h00 + 1;
        indices[count++] = h01;
        indices[count++] = h01 + 1;
      }
    }
    return indices.subarray(0, count);
  }
}

/** The tiles of a heightfield that meet `rect` (default: all of them) in a Rapier world, for good. */
export function buildGroundTiles(
  rapier: Rapier,
  world: World,
  hf: Heightfield,
  { origin, rect = hf }: GroundTilesOptions & { rect?: Rect } = {},
): GroundTiles {
  const tiles = new GroundTiles(rapier, world, hf, { origin });
  tiles.acquire(tiles.tilesIn(rect));
  return tiles;
}

const NO_TILES: TileRange = { firstColumn: 0, lastColumn: -1, firstRow: 0, lastRow: -1 };

/** Calls `visit` for each tile of a range, row by row. */
function forEachTile(range: TileRange, visit: (column: number, row: number) => void): void {
  for (let row = range.firstRow; row <= range.lastRow; row++)
    for (let column = range.firstColumn; column <= range.lastColumn; column++) visit(column, row);
}

/** The tile of a place in texels from the rect's edge, where cell k starts at k - 1/2; the nearest one past the ends. */
const tileOf = (place: number, tiles: number): number =>
  Math.min(Math.max(Math.floor(Math.floor(place + 0.5) / TILE_CELLS), 0), tiles - 1);

/** Metres: where the line between two cells stands along an axis; -1 and `texels` are the rect's edges. */
const stop = (k: number, min: number, max: number, texel: number, texels: number): number =>
  k < 0 ? min : k < texels ? min + (k + 0.5) * texel : max;
