// What a scatter is told: its fields, checked, with their defaults. Fields that say where instances stand are rules; the
// rest (mesh, material, maxDistance) only say how they are drawn. Called by scatter.ts.
import { checkFields, checkInteger, checkNumber, MoonscapeError, refuse, show } from '../errors.js';

export interface ScatterFields {
  /** Guid of the mesh that stands at each place, its own origin on the ground and its +Y up. */
  mesh: string;
  /** Guid of a material; default the standard one. */
  material?: string;
  /** Places a square metre, at least 0; the rules leave some of them out. */
  density: number;
  /** A whole number in -2^31..2^32-1, default 0. */
  seed?: number;
  /** Degrees from level, within 0..90: [low, high]. */
  slope?: readonly [number, number];
  /** Degrees inside those bounds over which instances thin out toward them, default 0. A bound of 0 or 90 is none. */
  slopeSoft?: number;
  /** Metres of the ground: [low, high]. */
  height?: readonly [number, number];
  /** Metres inside those bounds over which instances thin out toward them, default 0. */
  heightSoft?: number;
  /** Name of a layer of the ground. */
  layer?: string;
  /** The least weight of that layer, 0..1, default 0.5. */
  layerMin?: number;
  /** Factors, above 0: [low, high], default [1, 1]. */
  scale?: readonly [number, number];
  /** Degrees about the instance's own up: [low, high], default [0, 360]. */
  yaw?: readonly [number, number];
  /** How far up turns from the world's (0) to the ground's normal (1), default 0. */
  align?: number;
  /** Metres that instances stand below the ground, default 0. */
  sink?: number;
  /** Metres, at least 0: no two instances are nearer to each other on the map, default 0. At most 8 / sqrt(density). */
  spacing?: number;
  /** Whether they stand under water too, default false. */
  underwater?: boolean;
  /** The part of the ground they stand on, metres. Default: all of it. */
  rect?: { size: readonly [number, number]; origin?: readonly [number, number] };
  /** The most instances, 1..16,000,000, default 1,000,000. */
  max?: number;
  /** Metres past which nothing is drawn, above 0; one by one they shrink away from half of it on. Default: 250 diameters of the mesh at its largest scale. */
  maxDistance?: number;
  /** Asked last at each place that the other rules leave, y being the ground's height; must answer a boolean at once. */
  filter?: (x: number, z: number, y: number) => boolean;
}

/** ScatterFields with every default in place; what has no default is null where it was left out. */
export interface Rules {
  mesh: string;
  material: string | null;
  density: number;
  seed: number;
  slope: readonly [number, number];
  slopeSoft: number;
  height: readonly [number, number];
  heightSoft: number;
  layer: string | null;
  layerMin: number;
  scale: readonly [number, number];
  yaw: readonly [number, number];
  align: number;
  sink: number;
  spacing: number;
  underwater: boolean;
  rect: { minX: number; minZ: number; maxX: number; maxZ: number } | null;
  max: number;
  maxDistance: number | null;
  filter: ScatterFields['filter'] | null;
}

export const SCATTER_FIELDS = [
  ...[
    'mesh',
    'material',
    'density',
    'seed',
    'slope',
    'slopeSoft',
    'height',
    'heightSoft',
    'layer',
    'layerMin',
  ],
  ...['scale', 'yaw', 'align', 'sink', 'spacing', 'underwater', 'rect', 'max', 'maxDistance', 'filter'],
] as const;

/** The fields that only say how instances are drawn: a change of these places nothing anew. */
export const DRAWN_BY: readonly string[] = ['mesh', 'material', 'maxDistance'];

/** What the kernel can count in one dispatch, rounded down. */
const MOST_INSTANCES = 16_000_000;
/** Cells that a spacing may reach over: past it the ground is full long before. */
const MOST_REACH = 8;
/** Up to here a metre's coordinate is told apart from the next. */
const FAR = 1e12;

/** Checks what a scatter is told. `where` names the caller in errors. */
export function checkRules(where: string, fields: ScatterFields): Rules {
  checkFields(where, fields, SCATTER_FIELDS);
  const number = (name: keyof ScatterFields, fallback: number, range: Parameters<typeof checkNumber>[3]) =>
    checkNumber(where, name, fields[name] ?? fallback, range);
  const pair = (
    name: 'slope' | 'height' | 'scale' | 'yaw',
    fallback: readonly [number, number],
    range = {},
  ) => (fields[name] === undefined ? fallback : checkPair(where, name, fields[name], range));
  if (fields.density === undefined) throw new MoonscapeError(`${where}: density is missing`);
  const density = checkNumber(where, 'density', fields.density, { min: 0 });
  const spacing = number('spacing', 0, { min: 0 });
  if (spacing * Math.sqrt(density) > MOST_REACH)
    throw new MoonscapeError(
      `${where}: spacing must be at most ${MOST_REACH} / sqrt(density), which is ` +
        `${show(MOST_REACH / Math.sqrt(density))} m, got ${show(spacing)}; with a lower density as many find room`,
    );
  const { underwater = false, filter } = fields;
  if (typeof underwater !== 'boolean') refuse(where, 'underwater', 'true or false', underwater);
  if (filter !== undefined && typeof filter !== 'function')
    refuse(where, 'filter', 'a function(x, z, y) that answers true or false', filter);
  return {
    mesh: text(where, 'mesh', fields.mesh, 'the guid of a mesh'),
    material:
      fields.material === undefined
        ? null
        : text(where, 'material', fields.material, 'the guid of a material'),
    density,
    seed: checkInteger(where, 'seed', fields.seed ?? 0, { min: -(2 ** 31), max: 2 ** 32 - 1 }),
    slope: pair('slope', [0, 90], { min: 0, max: 90 }),
    slopeSoft: number('slopeSoft', 0, { min: 0, max: 90 }),
    height: pair('height', [-Infinity, Infinity]),
    heightSoft: number('heightSoft', 0, { min: 0 }),
    layer: fields.layer === undefined ? null : text(where, 'layer', fields.layer, 'the name of a layer'),
    layerMin: number('layerMin', 0.5, { min: 0, max: 1 }),
    scale: pair('scale', [1, 1], { above: 0 }),
    yaw: pair('yaw', [0, 360]),
    align: number('align', 0, { min: 0, max: 1 }),
    sink: number('sink', 0, {}),
    spacing,
    underwater,
    rect: fields.rect === undefined ? null : checkPart(where, fields.rect),
    max: checkInteger(where, 'max', fields.max ?? 1_000_000, { min: 1, max: MOST_INSTANCES }),
    maxDistance:
      fields.maxDistance === undefined
        ? null
        : checkNumber(where, 'maxDistance', fields.maxDistance, { above: 0 }),
    filter: filter ?? null,
  };
}

function text(where: string, name: string, value: unknown, rule: string): string {
  if (typeof value !== 'string' || value === '') refuse(where, name, rule, value);
  return value;
}

function checkPair(
  where: string,
  name: string,
  value: readonly [number, number],
  range: Parameters<typeof checkNumber>[3],
): readonly [number, number] {
  if (!Array.isArray(value) || value.length !== 2) refuse(where, name, '{ low, high }', value);
  const low = checkNumber(where, `${name}.low`, value[0], range);
  const high = checkNumber(where, `${name}.high`, value[1], range);
  if (low > high) refuse(where, name, '{ low, high } with low at most high', value);
  return [low, high];
}

function checkPart(where: string, rect: NonNullable<ScatterFields['rect']>): NonNullable<Rules['rect']> {
  if (typeof rect !== 'object' || rect === null) refuse(where, 'rect', '{ size, origin? }', rect);
  checkFields(`${where}: rect`, rect, ['size', 'origin']);
  const side = (name: string, value: unknown) =>
    checkNumber(where, `rect.size.${name}`, value, { above: 0, max: FAR });
  const middle = (name: string, value: unknown) =>
    checkNumber(where, `rect.origin.${name}`, value, { min: -FAR, max: FAR });
  if (!Array.isArray(rect.size)) refuse(where, 'rect.size', '{ width, depth } in metres', rect.size);
  const { size, origin = [0, 0] } = rect;
  const [width, depth] = [side('width', size[0]), side('depth', size[1])];
  const [x, z] = [middle('x', origin[0]), middle('z', origin[1])];
  return { minX: x - width / 2, minZ: z - depth / 2, maxX: x + width / 2, maxZ: z + depth / 2 };
}
