// Which parts of a heightfield can have water to be seen: what the water's cut asks before it draws a node. The rect is
// tiled by blocks; each keeps its lowest ground and its highest water, and a table of sums answers any rect in one look.
//
// It errs one way only. Both surfaces at a place lie between the heights of the four texels around it, so over a block they
// lie within those of its texels grown by one; a block is dry only if even its highest water is no higher than its lowest
// ground, or if none of those texels is covered.
import type { Heightfield, TexelArea } from './heightfield.js';
import { TEXEL_WORDS } from './texels.js';

/** The most blocks along a side. */
const MOST_BLOCKS = 256;
/** Parts of a texel, and of a height, that rounding may move a place or a surface by. */
const SLACK = 1e-6;
const COVERAGE = 3;

export class WetBlocks {
  readonly columns: number;
  readonly rows: number;
  private readonly lowest: Float32Array;
  private readonly highest: Float32Array;
  /** Wet blocks above and to the left of a corner, (columns + 1) × (rows + 1); made when it is first asked after a change. */
  private readonly sums: Uint32Array;
  private summed = false;

  constructor(
    private readonly ground: Heightfield,
    private readonly surface: Heightfield,
  ) {
    this.columns = Math.min(MOST_BLOCKS, Math.max(ground.width, surface.width));
    this.rows = Math.min(MOST_BLOCKS, Math.max(ground.height, surface.height));
    this.lowest = new Float32Array(this.columns * this.rows);
    this.highest = new Float32Array(this.columns * this.rows);
    this.sums = new Uint32Array((this.columns + 1) * (this.rows + 1));
    this.readWater();
    this.readGround(0, 0, this.columns - 1, this.rows - 1);
  }

  /** Whether there may be water in sight over a closed rect of world, metres. False means that every place in it is dry. */
  mayBeWet(minX: number, minZ: number, maxX: number, maxZ: number): boolean {
    if (!this.summed) this.sum();
    const { ground, columns, rows, sums } = this;
    const [west, east] = within(
      (minX - ground.minX) / ground.size.width,
      (maxX - ground.minX) / ground.size.width,
      columns,
    );
    const [north, south] = within(
      (minZ - ground.minZ) / ground.size.depth,
      (maxZ - ground.minZ) / ground.size.depth,
      rows,
    );
    const at = (column: number, row: number) => sums[row * (columns + 1) + column];
    return at(east + 1, south + 1) - at(west, south + 1) - at(east + 1, north) + at(west, north) > 0;
  }

  /** After an edit of the ground: reads the blocks again that take any of its texels in. */
  edited({ col, row, cols, rows }: TexelArea): void {
    const { ground } = this;
    const [west, east] = within((col - 1) / ground.width, (col + cols + 1) / ground.width, this.columns);
    const [north, south] = within((row - 1) / ground.height, (row + rows + 1) / ground.height, this.rows);
    this.readGround(west, north, east, south);
  }

  private readGround(west: number, north: number, east: number, south: number): void {
    const { cpu, width, height } = this.ground;
    for (let row = north; row <= south; row++) {
      const [fromZ, toZ] = texelsOf(row, this.rows, height);
      for (let column = west; column <= east; column++) {
        const [fromX, toX] = texelsOf(column, this.columns, width);
        let low = Infinity;
        for (let j = fromZ; j <= toZ; j++) {
          const end = (j * width + toX) * TEXEL_WORDS;
          for (let at = (j * width + fromX) * TEXEL_WORDS; at <= end; at += TEXEL_WORDS)
            if (cpu[at] < low) low = cpu[at];
        }
        this.lowest[row * this.columns + column] = low;
      }
    }
    this.summed = false;
  }

  private readWater(): void {
    const { cpu, width, height } = this.surface;
    for (let row = 0; row < this.rows; row++) {
      const [fromZ, toZ] = texelsOf(row, this.rows, height);
      for (let column = 0; column < this.columns; column++) {
        const [fromX, toX] = texelsOf(column, this.columns, width);
        let high = -Infinity;
        let covered = false;
        for (let j = fromZ; j <= toZ; j++) {
          const end = (j * width + toX) * TEXEL_WORDS;
          for (let at = (j * width + fromX) * TEXEL_WORDS; at <= end; at += TEXEL_WORDS) {
            if (cpu[at] > high) high = cpu[at];
            if (cpu[at + COVERAGE] > 0) covered = true;
          }
        }
        this.highest[row * this.columns + column] = covered ? high : -Infinity;
      }
    }
  }

  private sum(): void {
    const { columns, rows, sums, lowest, highest } = this;
    const stride = columns + 1;
    for (let row = 0; row < rows; row++) {
      let along = 0;
      for (let column = 0; column < columns; column++) {
        const low = lowest[row * columns + column];
        if (highest[row * columns + column] > low - SLACK * (1 + Math.abs(low))) along++;
        sums[(row + 1) * stride + column + 1] = sums[row * stride + column + 1] + along;
      }
    }
    this.summed = true;
  }
}

/** The blocks that a stretch of the rect, in parts of its side, meets; one past the rect takes the outermost. */
function within(from: number, to: number, blocks: number): [number, number] {
  const block = (part: number) => Math.min(Math.max(Math.floor(part), 0), blocks - 1);
  return [block(from * blocks - SLACK), block(to * blocks + SLACK)];
}

/** The texels whose heights the surface over a block is made of. */
function texelsOf(block: number, blocks: number, texels: number): [number, number] {
  const from = Math.floor((block * texels) / blocks - 0.5 - SLACK);
  const to = Math.floor(((block + 1) * texels) / blocks - 0.5 + SLACK) + 1;
  return [Math.max(from, 0), Math.min(to, texels - 1)];
}
