// The scenes of the gallery: which they are, the project that they run in, the places that each is looked at from, and the
// sheet that shows several pictures as one. Used by scripts/gallery.ts and by the spec that runs the scenes.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLua } from '../bindings/index.js';
import { createNodeHost } from '../runtime/host/node.js';
import type { Picture } from '../runtime/renderer/renderer.js';
import { viewOf } from '../runtime/renderer/view.js';
import { Runtime } from '../runtime/runtime.js';
import { castGroundRay } from '../runtime/terrain/groundRay.js';
import { decodeSrgb, encodeSrgb } from '../runtime/texture/srgb.js';
import { vec3, type Vec3 } from '../runtime/world/vector.js';

/** Files examples/NAME.lua, in the sheet's order. */
export const GALLERY = ['alpine', 'dunes', 'canyon', 'island', 'nodes', 'stones'] as const;
export type GalleryScene = (typeof GALLERY)[number];

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url));
/** Heights of the Grand Canyon, which lie beside the project or nowhere. */
const TILE = fileURLToPath(new URL('../../shared/data/grandcanyon_256_terrarium.png', import.meta.url));
export const HAS_TILE = existsSync(TILE);

/**
 * Makes a folder anew for the scenes to run in: a copy of examples/, with the tile that canyon.lua takes where there is one.
 * @param tile false leaves that out, so that the canyon is made of noise
 */
export function galleryProject(folder: string, tile = HAS_TILE): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(EXAMPLES, folder, { recursive: true });
  if (tile) cpSync(TILE, join(folder, 'source/grand-canyon.png'));
  return folder;
}

export interface SceneOptions {
  project: string;
  width: number;
  height: number;
  software?: boolean;
}

/**
 * Runs a scene and its first frame, then `look` while all of it stands. An error of the scene's or of a component's is thrown.
 * Several pictures of one run are several frames: move the camera between them (`pictureFrom`).
 */
export async function withScene<T>(
  name: GalleryScene,
  { project, width, height, software }: SceneOptions,
  look: (runtime: Runtime) => T | Promise<T>,
): Promise<T> {
  const host = createNodeHost({ project });
  const runtime = await Runtime.create({ host, software, width, height });
  const lua = openLua(runtime, {
    failed: (error) => {
      throw error;
    },
  });
  try {
    await lua.run(readFileSync(join(project, `${name}.lua`), 'utf8'), `${name}.lua`);
    await runtime.frame(1 / 60);
    lua.check();
    return await look(runtime);
  } finally {
    lua.close();
    await runtime.destroy();
  }
}

/** A place to look from, and what to look at, metres. */
export interface Place {
  from: Vec3;
  at: Vec3;
}

export const PLACES = ['near', 'far', 'above', 'behind', 'grazing'] as const;

/**
 * Where else a scene bears being looked at from: close to the ground in the middle of its picture, from twice as far, straight
 * down, from the other side, and along the ground. They follow from the camera that the scene placed and from the ground that it looks at.
 */
export function placesAround(runtime: Runtime): Record<(typeof PLACES)[number], Place> {
  const { position, forward } = viewOf(runtime.world.mainCamera, 1, null);
  const fields = [...runtime.fields];
  const hits = fields.map((hf) => castGroundRay(hf, position, forward)?.distance ?? Infinity);
  const distance = Math.min(...hits);
  if (distance === Infinity) throw new Error('the scene looks past its ground');
  const hf = fields[hits.indexOf(distance)];
  const at = along(position, forward, distance);
  const flat = Math.hypot(forward.x, forward.z);
  const way = vec3(forward.x / flat, 0, forward.z / flat);
  /** So far before what is looked at, and so high over the ground there, in parts of the distance. */
  const before = (back: number, up: number) => {
    const { x, z } = along(at, way, -back * distance);
    const stands = hf.groundState(x, z) === 'ground';
    // Never below water's level, nor below what is looked at where there is no ground.
    const y = Math.max(stands ? hf.heightAt(x, z) : at.y, hf.waterAt(x, z)?.surface ?? -Infinity);
    return vec3(x, y + up * distance, z);
  };
  const grazing = before(0.3, 0.012);
  // As far on the other side, or as far as there is ground: from past its end it would be seen from below.
  const shares = [1, 0.75, 0.5, 0.25].map((far) => before(-far, 0.1));
  const other = shares.find(({ x, z }) => hf.groundState(x, z) === 'ground') ?? shares[3];
  return {
    near: { from: before(0.06, 0.03), at },
    far: {
      from: along(
        vec3(position.x, at.y + 2.2 * Math.max(position.y - at.y, 0.2 * distance), position.z),
        way,
        -distance,
      ),
      at,
    },
    above: { from: along(vec3(at.x, at.y + 1.3 * distance, at.z), way, -0.001 * distance), at },
    behind: { from: vec3(other.x, Math.max(position.y, other.y), other.z), at },
    grazing: { from: grazing, at: along(vec3(at.x, grazing.y, at.z), way, distance) },
  };
}

const along = (from: Vec3, way: Vec3, distance: number): Vec3 =>
  vec3(from.x + way.x * distance, from.y + way.y * distance, from.z + way.z * distance);

/** Moves the camera and renders: what a scene shows from there. */
export async function pictureFrom(runtime: Runtime, { from, at }: Place): Promise<Picture> {
  const camera = runtime.world.mainCamera;
  camera.position = from;
  camera.lookAt(at);
  await runtime.frame(1 / 60);
  return runtime.renderer.readPixels();
}

/**
 * Several pictures as one, from left to right and from the top, with nothing between them but what shines through.
 * @param pictures all of one even size; each is halved
 */
export function contactSheet(pictures: readonly Picture[], columns: number, gap = 8): Picture {
  const [width, height] = [pictures[0].width / 2, pictures[0].height / 2];
  const rows = Math.ceil(pictures.length / columns);
  const sheet: Picture = {
    width: columns * (width + gap) - gap,
    height: rows * (height + gap) - gap,
    data: new Uint8Array(0),
  };
  sheet.data = new Uint8Array(sheet.width * sheet.height * 4);
  pictures.forEach((picture, i) => {
    const left = (i % columns) * (width + gap);
    const top = Math.floor(i / columns) * (height + gap);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        for (let channel = 0; channel < 4; channel++)
          sheet.data[((top + y) * sheet.width + left + x) * 4 + channel] = meanOfFour(picture, x, y, channel);
  });
  return sheet;
}

/** A channel's mean light over two by two pixels. */
function meanOfFour({ width, data }: Picture, x: number, y: number, channel: number): number {
  const first = (2 * y * width + 2 * x) * 4 + channel;
  const four = [first, first + 4, first + width * 4, first + width * 4 + 4];
  return encodeSrgb(four.reduce((sum, at) => sum + decodeSrgb(data[at]), 0) / 4);
}
