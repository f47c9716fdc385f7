// What a surface takes from those that it meets (BoundaryPlan in bakeJob.ts), put together by boundaries.ts.
import { NO_PLAN, type BoundaryPlan } from './bakeJob.js';

/** An edge that is shared: its points in the mesh's own space, 2^level + 1, along the edge group. */
export interface SharedEdge {
  readonly edge: number;
  readonly level: number;
  readonly places: Float32Array;
}

/**
 * The plan of a surface of `level` whose mesh has `edgeCount` edge groups.
 * @param cornerPlaces of each shared corner group: its place in the mesh's own space
 */
export function boundaryPlan(
  { level, edgeCount }: { level: number; edgeCount: number },
  cornerPlaces: ReadonlyMap<number, Float32Array>,
  edges: readonly SharedEdge[],
): BoundaryPlan {
  if (cornerPlaces.size === 0) return NO_PLAN;
  const coarser = edges.filter((shared) => shared.level < level);
  const edgeLevels = coarser.length === 0 ? null : new Uint8Array(edgeCount).fill(level);
  for (const shared of coarser) edgeLevels![shared.edge] = shared.level;
  const edgePlaces = new Map(edges.map(({ edge, places }) => [edge, places]));
  return { edgeLevels, edgePlaces, cornerPlaces, stitchedEdges: coarser.length };
}

/** Whether two plans ask for the same bake, bit for bit. */
export function samePlan(a: BoundaryPlan, b: BoundaryPlan): boolean {
  if (a === b) return true;
  return (
    a.stitchedEdges === b.stitchedEdges &&
    (a.edgeLevels && b.edgeLevels
      ? sameNumbers(a.edgeLevels, b.edgeLevels)
      : a.edgeLevels === b.edgeLevels) &&
    samePlaces(a.cornerPlaces, b.cornerPlaces) &&
    samePlaces(a.edgePlaces, b.edgePlaces)
  );
}

type Places = ReadonlyMap<number, ArrayLike<number>>;

function samePlaces(a: Places, b: Places): boolean {
  if (a.size !== b.size) return false;
  for (const [key, places] of a) {
    const others = b.get(key);
    if (!others || !sameNumbers(places, others)) return false;
  }
  return true;
}

function sameNumbers(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}
