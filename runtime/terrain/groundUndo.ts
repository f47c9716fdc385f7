// What play does to the ground, taken back at stop. Each heightfield that is open when play begins is watched; a square of
// texels is copied before the first edit that touches it, so that the cost follows the edits and not the fields.
import type { GroundLook } from '../renderer/groundLook.js';
import { copyIn, copyOut, grow } from './editTexels.js';
import type { TexelArea } from './gradient.js';
import { FieldLayers } from './fieldLayers.js';
import type { Heightfield } from './heightfield.js';
import type { HoleMask } from './holes.js';
import type { HeightRange } from './texels.js';

/** Texels a side of the squares that are copied. */
const SIDE = 64;

interface Watched {
  hf: Heightfield;
  /** The entity whose ground it was, if any. */
  entity: number | null;
  /** Copies by number of their square, row-major. */
  squares: Map<number, { area: TexelArea; texels: Float32Array }>;
  heightRange: Readonly<HeightRange>;
  /** Its holes, which a refresh may have read anew. */
  mask: HoleMask | null;
  /** Puts its water back. */
  water: (() => Promise<void>) | undefined;
  /** Puts its layers back. */
  layers: (() => void) | undefined;
  look: Readonly<GroundLook>;
  /** All texels as they were, once the field has closed; null while it is open. */
  whole: Float32Array | null;
  forget: (() => void)[];
}

export class GroundUndo {
  private readonly watched: Watched[];

  /** Begins to watch `fields`; `entityOf` says whose ground a field is. End it with restore or drop. */
  constructor(fields: Iterable<Heightfield>, entityOf: (hf: Heightfield) => number | null) {
    this.watched = [...fields].map((hf) => watch(hf, entityOf(hf)));
  }

  /**
   * Puts every field that is still open back, and one that was closed in play into what its entity's ground is now
   * (`groundOf`), where that has as many texels. What follows the edits of a field follows this too. Water and layers are put
   * back over the fields that are open. What a follower throws (a scatter's filter) is handed to `failed`; the rest is put back all
   * the same.
   */
  async restore(
    groundOf: (entity: number) => Heightfield | undefined,
    failed: (error: unknown) => void,
  ): Promise<void> {
    this.drop();
    const attempt = async (work: (() => void | Promise<void>) | undefined) => {
      try {
        await work?.();
      } catch (error) {
        failed(error);
      }
    };
    for (const watched of this.watched) {
      const { hf, mask } = watched;
      const now = groundNow(watched, groundOf);
      await attempt(() => now && putTexelsBack(watched, now));
      await attempt(() => now?.restoreHoles(mask));
      if (hf.closed) continue;
      await attempt(watched.water);
      await attempt(watched.layers);
      hf.look = watched.look;
    }
  }

  /** Stops watching; the fields stay as they are. */
  drop(): void {
    for (const { forget } of this.watched) for (const each of forget.splice(0)) each();
  }
}

function watch(hf: Heightfield, entity: number | null): Watched {
  const { heightRange, mask } = hf;
  const watched: Watched = {
    hf,
    entity,
    squares: new Map(),
    heightRange,
    mask,
    water: hf.water?.remember(),
    layers: FieldLayers.of(hf)?.remember(),
    look: hf.look,
    whole: null,
    forget: [],
  };
  watched.forget.push(
    hf.onEdit({ ready: (_, area) => keep(watched, area), edited: () => undefined }),
    hf.onClosing(() => {
      watched.whole = hf.cpu.slice();
      const rows = { texels: watched.whole, width: hf.width };
      for (const { area, texels } of watched.squares.values()) copyIn(rows, area, texels);
      watched.squares.clear();
    }),
  );
  return watched;
}

/** The field itself, or once it has closed what its entity's ground is now; undefined where that has not as many texels. */
function groundNow(
  { hf, entity }: Watched,
  groundOf: (entity: number) => Heightfield | undefined,
): Heightfield | undefined {
  if (!hf.closed) return hf;
  const now = entity === null ? undefined : groundOf(entity);
  return now?.width === hf.width && now.height === hf.height ? now : undefined;
}

function putTexelsBack({ squares, heightRange, whole }: Watched, now: Heightfield): void {
  if (!whole) {
    if (squares.size > 0) now.restoreTexels([...squares.values()], heightRange);
    return;
  }
  const area = { col: 0, row: 0, cols: now.width, rows: now.height };
  now.restoreTexels([{ area, texels: whole }], heightRange);
}

/** Copies the squares that an edit of `area` is about to change, its neighbours' gradients included. */
function keep({ hf, squares }: Watched, edited: TexelArea): void {
  const { width, height } = hf;
  const columns = Math.ceil(width / SIDE);
  const { col, row, cols, rows } = grow(hf, edited);
  for (let j = Math.floor(row / SIDE); j * SIDE < row + rows; j++) {
    for (let i = Math.floor(col / SIDE); i * SIDE < col + cols; i++) {
      if (squares.has(j * columns + i)) continue;
      const [left, top] = [i * SIDE, j * SIDE];
      const area = {
        ...{ col: left, row: top },
        ...{ cols: Math.min(SIDE, width - left), rows: Math.min(SIDE, height - top) },
      };
      squares.set(j * columns + i, { area, texels: copyOut({ texels: hf.cpu, width }, area) });
    }
  }
}
