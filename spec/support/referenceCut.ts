// A second cut, written for plainness: objects, maps and looks at everything. It judges runtime/terrain/cut.ts.
import type { Cut } from '../../runtime/terrain/cut.js';
import type { Heightfield } from '../../runtime/terrain/heightfield.js';

export interface Place {
  level: number;
  ix: number;
  iz: number;
}
export interface Camera {
  x: number;
  y: number;
  z: number;
}

export const keyOf = ({ level, ix, iz }: Place) => `${level}:${ix}:${iz}`;

/** An entry of a cut. */
export const placeOf = (cut: Cut, entry: number): Place => ({
  level: cut.level[entry],
  ix: cut.ix[entry],
  iz: cut.iz[entry],
});

/** A node's square inside the cut's rect, metres from the cut's corner; null where it is wholly past. */
export function squareOf(cut: Cut, { level, ix, iz }: Place) {
  const size = cut.root.size / 2 ** level;
  const width = cut.rect.maxX - cut.rect.minX;
  const depth = cut.rect.maxZ - cut.rect.minZ;
  const slack = 1e-9 * Math.max(width, depth);
  if (ix * size >= width - slack || iz * size >= depth - slack) return null;
  const [x0, z0] = [ix * size, iz * size];
  return { size, x0, z0, x1: Math.min(x0 + size, width), z1: Math.min(z0 + size, depth) };
}

/** The heights of a node's texels grown by one on each side; a node past the field takes the next that meets it. */
function heightsOf(hf: Heightfield, cut: Cut, place: Place): [number, number] {
  let { ix, iz } = place;
  const size = cut.root.size / 2 ** place.level;
  const near = 1e-6;
  while (cut.cornerX + (ix + 1) * size <= hf.minX + near * hf.texelX) ix++;
  while (cut.cornerX + ix * size >= hf.maxX - near * hf.texelX) ix--;
  while (cut.cornerZ + (iz + 1) * size <= hf.minZ + near * hf.texelZ) iz++;
  while (cut.cornerZ + iz * size >= hf.maxZ - near * hf.texelZ) iz--;
  const square = squareOf(cut, { level: place.level, ix, iz })!;
  const range = (from: number, to: number, corner: number, min: number, texel: number, texels: number) => {
    const nearest = (value: number) =>
      Math.abs(value - Math.round(value)) < 1e-6 ? Math.round(value) : value;
    const first = Math.floor(nearest((from + corner - min) / texel)) - 1;
    const last = Math.ceil(nearest((to + corner - min) / texel));
    return [Math.min(Math.max(first, 0), texels - 1), Math.min(Math.max(last, 0), texels - 1)];
  };
  const [i0, i1] = range(square.x0, square.x1, cut.cornerX, hf.minX, hf.texelX, hf.width);
  const [j0, j1] = range(square.z0, square.z1, cut.cornerZ, hf.minZ, hf.texelZ, hf.height);
  let [low, high] = [Infinity, -Infinity];
  for (let j = j0; j <= j1; j++) {
    for (let i = i0; i <= i1; i++) {
      low = Math.min(low, hf.cpu[(j * hf.width + i) * 4]);
      high = Math.max(high, hf.cpu[(j * hf.width + i) * 4]);
    }
  }
  return [low, high];
}

/** The camera's distance to a node's box over its size. */
export function ratioOf(hf: Heightfield, cut: Cut, place: Place, camera: Camera): number {
  const square = squareOf(cut, place)!;
  const [low, high] = heightsOf(hf, cut, place);
  const away = (at: number, from: number, to: number) => Math.max(from - at, 0, at - to);
  const dx = away(camera.x - cut.cornerX, square.x0, square.x1);
  const dy = away(camera.y, low, high);
  const dz = away(camera.z - cut.cornerZ, square.z0, square.z1);
  return Math.sqrt(dx * dx + dy * dy + dz * dz) / square.size;
}

export const SIDES = [
  { bit: 1, dx: -1, dz: 0 },
  { bit: 2, dx: 1, dz: 0 },
  { bit: 4, dx: 0, dz: -1 },
  { bit: 8, dx: 0, dz: 1 },
];

/** The node of a set that holds a place's square or is it, if any. */
export function holding<T>(nodes: Map<string, T>, { level, ix, iz }: Place): T | undefined {
  for (let up = 0; up <= level; up++) {
    const found = nodes.get(keyOf({ level: level - up, ix: ix >> up, iz: iz >> up }));
    if (found) return found;
  }
  return undefined;
}

/** The cut by the rules alone: its drawn nodes and its factor. Exact ties of ratios are the caller's to avoid. */
export function referenceCut(
  hf: Heightfield,
  cut: Cut,
  camera: Camera,
  keep: (place: Place) => boolean = () => true,
): { nodes: Map<string, Place>; lodFactor: number } {
  const ratios = new Map<string, number>();
  const ratio = (place: Place) => {
    const key = keyOf(place);
    if (!ratios.has(key)) ratios.set(key, ratioOf(hf, cut, place, camera));
    return ratios.get(key)!;
  };
  let leaves = new Map<string, Place>();
  for (let iz = 0; iz < cut.root.rows; iz++) {
    for (let ix = 0; ix < cut.root.columns; ix++)
      leaves.set(keyOf({ level: 0, ix, iz }), { level: 0, ix, iz });
  }
  const splitIn = (nodes: Map<string, Place>, place: Place) => {
    for (const { dx, dz } of SIDES) {
      const across = { level: place.level, ix: place.ix + dx, iz: place.iz + dz };
      const neighbour = across.ix < 0 || across.iz < 0 ? undefined : holding(nodes, across);
      if (neighbour && neighbour.level < place.level) splitIn(nodes, neighbour);
    }
    nodes.delete(keyOf(place));
    for (let q = 0; q < 4; q++) {
      const child = { level: place.level + 1, ix: 2 * place.ix + (q & 1), iz: 2 * place.iz + (q >> 1) };
      if (squareOf(cut, child)) nodes.set(keyOf(child), child);
    }
  };
  const drawn = (nodes: Map<string, Place>) => new Map([...nodes].filter(([, place]) => keep(place)));
  for (;;) {
    let wanted: Place | null = null;
    for (const place of leaves.values()) {
      if (place.level === cut.maxLevel || ratio(place) >= cut.askedLodFactor) continue;
      if (!wanted || ratio(place) < ratio(wanted)) wanted = place;
    }
    if (!wanted) return { nodes: drawn(leaves), lodFactor: cut.askedLodFactor };
    const after = new Map(leaves);
    splitIn(after, wanted);
    if (drawn(after).size > cut.maxNodes) return { nodes: drawn(leaves), lodFactor: ratio(wanted) };
    leaves = after;
  }
}
