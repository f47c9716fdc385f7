// `.terrainData`: the JSON that says where a landscape stands and which textures it is made of.
import { checkFields, checkNumber, MoonscapeError, refuse, show } from '../errors.js';
import { checkLayerList, type TerrainDataLayer } from './layerList.js';

export const TERRAIN_DATA_VERSION = 1;

/** What a `.terrainData` states. Assets are named by path or by guid. */
export interface TerrainData {
  version: 1;
  guid: string;
  /** Metres, width along X and depth along Z. */
  size: [number, number];
  /** The rect's centre, x and z, in metres. */
  origin: [number, number];
  /** Metres: the vertical reach that the geometry declares, low and high. */
  heightRange: [number, number];
  /** The rgba32f texture. */
  heightfield: string;
  /** The mask: 0 is cut out. */
  holes?: string;
  /** The rgba32f texture: surface in metres, flow x, flow z in metres a second, coverage. */
  water?: string;
  /** What the ground is drawn with. */
  layers?: TerrainDataLayer[];
}

/** Parses the bytes of a `.terrainData`. Broken JSON, a missing or wrong part and a later version are each named. */
export function parseTerrainData(bytes: Uint8Array, path: string, where = 'terrain.read'): TerrainData {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    const said = bytes.length === 0 ? 'it is empty' : (cause as Error).message;
    throw new MoonscapeError(`${where}: ${path} must be a .terrainData in JSON, but ${said}`, { cause });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new MoonscapeError(`${where}: ${path} must hold a JSON object, got ${show(json)}`);
  return checkTerrainData(json, `${where}: ${path}`);
}

/** The bytes of a `.terrainData`: JSON for people, two spaces deep, one line break at its end. */
export function formatTerrainData(data: TerrainData, where = 'terrain.write'): Uint8Array {
  const checked = checkTerrainData(data, where);
  return new TextEncoder().encode(`${JSON.stringify(checked, null, 2)}\n`);
}

const PARTS = ['version', 'guid', 'size', 'origin', 'heightRange', 'heightfield', 'holes', 'water', 'layers'];

/** The parts of `json`, in their order in a file, checked; a part of another name is refused. */
function checkTerrainData(json: object, where: string): TerrainData {
  const parts = json as Record<string, unknown>;
  const { version, guid, size, origin, heightRange, heightfield, holes, water, layers, ...rest } = parts;
  // The version comes first: of a later one the other parts may be named otherwise.
  if (version === undefined) refuse(where, 'version', `${TERRAIN_DATA_VERSION}`, version);
  if (version !== TERRAIN_DATA_VERSION) {
    const later = typeof version === 'number' && version > TERRAIN_DATA_VERSION;
    refuse(
      where,
      'version',
      `${TERRAIN_DATA_VERSION}${later ? ', the latest that this Moonscape reads' : ''}`,
      version,
    );
  }
  checkFields(where, json, PARTS);
  const pair = (name: string, value: unknown): [unknown, unknown] =>
    Array.isArray(value) && value.length === 2
      ? [value[0], value[1]]
      : refuse(where, name, 'a list of two numbers of metres', value);
  const [sizeX, sizeZ] = pair('size', size);
  const [x, z] = pair('origin', origin);
  const [low, high] = pair('heightRange', heightRange);
  const least = checkNumber(where, 'heightRange low', low);
  return {
    version: TERRAIN_DATA_VERSION,
    guid: checkName(where, 'guid', guid),
    size: [
      checkNumber(where, 'size width', sizeX, { above: 0 }),
      checkNumber(where, 'size depth', sizeZ, { above: 0 }),
    ],
    origin: [checkNumber(where, 'origin x', x), checkNumber(where, 'origin z', z)],
    heightRange: [least, checkNumber(where, 'heightRange high', high, { min: least })],
    heightfield: checkName(where, 'heightfield', heightfield),
    ...(holes === undefined ? {} : { holes: checkName(where, 'holes', holes) }),
    ...(water === undefined ? {} : { water: checkName(where, 'water', water) }),
    ...(layers === undefined ? {} : { layers: checkLayerList(where, layers, true) as TerrainDataLayer[] }),
    ...rest,
  };
}

function checkName(where: string, name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '')
    refuse(where, name, name === 'guid' ? 'a guid' : 'the path or guid of a texture', value);
  return value;
}
