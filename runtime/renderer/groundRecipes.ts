// What the textures of bare ground are made of: for each slice the steps that shaders/ground_relief.wgsl adds up. Data only; the
// square that a slice covers is SQUARE metres wide where it is laid finest, and repeats.

/** Metres that the finest square covers. */
export const SQUARE = 2.6;

/** Fields of ReliefStep in shaders/include/ground_relief.wgsl; what is left out is 0, but `follow`, which is 1. */
export interface ReliefStep {
  kind: 'noise' | 'stones' | 'pebbles' | 'cracks' | 'waves';
  /** Cells across and along the square, whole numbers, and by how many a row is moved over its height. */
  cells: readonly [across: number, along: number, shear?: number];
  fold?: 1 | -1;
  /** Smooth from 0 at the first to 1 at the second. */
  range?: readonly [low: number, high: number];
  height?: number;
  tone?: number;
  hue?: number;
  vary?: number;
  warp?: number;
  follow?: number;
  gate?: 1 | -1;
  keep?: boolean;
  density?: number;
}

export interface ReliefSlice {
  /** Metres of relief where the height goes from -1 to 1. */
  relief: number;
  /** Perceptual, 0..1. */
  roughness: number;
  /** What hue 1 adds to the parts of the colour, as parts of them. */
  tint: readonly [number, number, number];
  /** How dark hollows are, 0..1. */
  hollow: number;
  steps: readonly ReliefStep[];
}

/** Octaves of one noise, each of half the amount of the one before. */
const octaves = (first: ReliefStep, count: number, gain = 0.55): ReliefStep[] =>
  Array.from({ length: count }, (_, i) => {
    const by = 2 ** i;
    const part = gain ** i;
    const [across, along, shear = 0] = first.cells;
    return {
      ...first,
      cells: [across * by, along * by, shear * by],
      height: (first.height ?? 0) * part,
      tone: (first.tone ?? 0) * part,
      hue: (first.hue ?? 0) * part,
      warp: (first.warp ?? 0) / by ** 1.6,
    };
  });

/** The slices in the order of their numbers. */
export const SLICES = {
  /** Blades that lie in all directions, over dark ground, in clumps. */
  grass: {
    relief: 0.11,
    roughness: 0.9,
    tint: [0.5, 0.06, -0.3],
    hollow: 0.5,
    steps: [
      { kind: 'noise', cells: [3, 3], warp: 0.012, height: 0.16, tone: 0.1, hue: 0.3 },
      { kind: 'noise', cells: [7, 7], warp: 0.004, height: 0.2, tone: 0.12, hue: 0.2 },
      { kind: 'noise', cells: [17, 19], fold: -1, height: 0.2, tone: 0.14, hue: 0.16, follow: 1.5 },
      { kind: 'noise', cells: [28, 8, 9], fold: 1, height: 0.16, tone: 0.12, hue: 0.1 },
      { kind: 'noise', cells: [9, 28, -7], fold: 1, height: 0.14, tone: 0.1, hue: -0.1 },
      { kind: 'noise', cells: [64, 9, 24], fold: 1, height: 0.24, tone: 0.16, hue: 0.16 },
      { kind: 'noise', cells: [72, 10, -38], fold: 1, height: 0.22, tone: 0.15, hue: -0.14 },
      { kind: 'noise', cells: [11, 80, 3], fold: 1, height: 0.2, tone: 0.13, hue: 0.1 },
      { kind: 'noise', cells: [120, 26, 70], fold: 1, height: 0.12, tone: 0.12 },
      { kind: 'noise', cells: [34, 130, -30], fold: 1, height: 0.12, tone: 0.12 },
    ],
  },
  /** Crumbs and a few pebbles. */
  soil: {
    relief: 0.13,
    roughness: 0.95,
    tint: [0.18, 0.02, -0.14],
    hollow: 0.6,
    steps: [
      ...octaves({ kind: 'noise', cells: [4, 4], warp: 0.01, height: 0.3, tone: 0.12, hue: 0.3 }, 2),
      { kind: 'stones', cells: [26, 26], height: 0.14, tone: 0.1, hue: 0.1, vary: 0.8 },
      ...octaves({ kind: 'noise', cells: [22, 22], fold: -1, height: 0.2, tone: 0.12 }, 3, 0.6),
      { kind: 'pebbles', cells: [15, 15], density: 0.2, height: 0.4, tone: 0.3, hue: -0.4, vary: 0.5 },
    ],
  },
  /** Broken faces with ledges and cracks; lichen on what stands out. */
  rock: {
    relief: 0.34,
    roughness: 0.82,
    tint: [0.16, 0.0, -0.16],
    hollow: 0.75,
    steps: [
      ...octaves({ kind: 'noise', cells: [2, 3], warp: 0.06, height: 0.3, tone: 0.09, hue: 0.35 }, 2),
      { kind: 'stones', cells: [3, 5], height: 0.16, tone: 0.06, hue: 0.15, vary: 0.9, follow: 1.6 },
      ...octaves({ kind: 'noise', cells: [4, 6], fold: 1, height: 0.24, tone: 0.1, follow: 1.2 }, 5, 0.6),
      { kind: 'cracks', cells: [4, 3, 1], height: -0.12, tone: -0.1, follow: 2 },
      { kind: 'noise', cells: [4, 22, 1], height: 0.06, tone: 0.04, follow: 1.6 },
      { kind: 'noise', cells: [9, 9], range: [0.25, 0.5], keep: true },
      { kind: 'noise', cells: [40, 40], range: [-0.1, 0.3], tone: 0.18, hue: -0.5, gate: 1 },
      { kind: 'noise', cells: [58, 58], height: 0.04, tone: 0.08 },
    ],
  },
  /** Stones of all sizes, grey and brown. */
  scree: {
    relief: 0.3,
    roughness: 0.9,
    tint: [0.14, 0.02, -0.12],
    hollow: 0.85,
    steps: [
      ...octaves({ kind: 'noise', cells: [3, 3], warp: 0.014, height: 0.16, tone: 0.05, hue: 0.2 }, 2),
      { kind: 'stones', cells: [34, 34], height: 0.16, tone: 0.14, hue: 0.35, vary: 0.9, follow: 0.3 },
      { kind: 'stones', cells: [15, 15], height: 0.24, tone: 0.12, hue: 0.35, vary: 0.9, follow: 0.5 },
      {
        kind: 'pebbles',
        cells: [7, 7],
        density: 0.42,
        height: 0.5,
        tone: 0.16,
        hue: 0.3,
        vary: 0.6,
        follow: 1,
      },
      ...octaves({ kind: 'noise', cells: [28, 28], height: 0.06, tone: 0.07 }, 3, 0.7),
    ],
  },
  /** Ripples that join and end, and grains. */
  sand: {
    relief: 0.05,
    roughness: 0.92,
    tint: [0.1, 0.0, -0.1],
    hollow: 0.25,
    steps: [
      { kind: 'noise', cells: [2, 3], warp: 0.014, height: 0.14, tone: 0.03, hue: 0.3 },
      { kind: 'noise', cells: [6, 5], warp: 0.0022, height: 0.06, tone: 0.02 },
      { kind: 'noise', cells: [3, 2], range: [-0.5, 0.5], keep: true },
      { kind: 'waves', cells: [13, 1, 3], height: 0.5, tone: 0.05, gate: 1 },
      { kind: 'waves', cells: [17, 1, 5], height: 0.26, tone: 0.03, gate: -1 },
      ...octaves({ kind: 'noise', cells: [50, 50], height: 0.06, tone: 0.07, hue: 0.2 }, 3, 0.85),
    ],
  },
  /** Drifts, a crust that the wind has cut, and grains. */
  snow: {
    relief: 0.12,
    roughness: 0.75,
    tint: [-0.03, 0.0, 0.03],
    hollow: 0.2,
    steps: [
      ...octaves({ kind: 'noise', cells: [2, 3], warp: 0.02, height: 0.4, tone: 0.02, hue: 0.2 }, 2),
      { kind: 'noise', cells: [5, 11, 2], fold: 1, range: [0.1, 0.8], height: 0.2, tone: 0.03, follow: 1.5 },
      { kind: 'noise', cells: [12, 20, 4], fold: -1, height: 0.07, tone: 0.015 },
      ...octaves({ kind: 'noise', cells: [48, 48], height: 0.02, tone: 0.03 }, 2, 0.9),
    ],
  },
  /** Tufts and bare spots: what plants and soil are from some way off. */
  clumps: {
    relief: 0.2,
    roughness: 0.92,
    tint: [0.34, 0.06, -0.2],
    hollow: 0.5,
    steps: [
      ...octaves({ kind: 'noise', cells: [3, 3], warp: 0.02, height: 0.3, tone: 0.13, hue: 0.4 }, 3, 0.6),
      { kind: 'noise', cells: [13, 13], fold: -1, height: 0.16, tone: 0.1, hue: 0.2, follow: 1 },
      { kind: 'stones', cells: [30, 30], height: 0.22, tone: 0.12, hue: 0.3, vary: 0.7, follow: 1 },
      ...octaves({ kind: 'noise', cells: [36, 36], height: 0.12, tone: 0.12 }, 2, 0.8),
    ],
  },
} as const satisfies Record<string, ReliefSlice>;

export type SliceName = keyof typeof SLICES;

/** The number of a slice in the arrays. */
export const sliceOf = (name: SliceName): number => Object.keys(SLICES).indexOf(name);
