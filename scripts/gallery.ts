// `npm run gallery [-- --size WxH] [--only alpine,dunes] [--around] [--software]`: renders the gallery's scenes to out/gallery/NAME.png and, all of them
// together and halved, to the contact sheet docs/gallery.png that the README shows. `--around` adds out/gallery/NAME-around.png: the
// same scene from near, far, above and along the ground. Nothing is written unless every scene ran.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { deflateSync } from 'node:zlib';
import { encodePicture } from '../runtime/texture/encodePicture.js';
import type { Picture } from '../runtime/renderer/renderer.js';
import {
  contactSheet,
  GALLERY,
  galleryProject,
  pictureFrom,
  placesAround,
  PLACES,
  withScene,
  type GalleryScene,
} from './galleryScenes.js';

const root = new URL('../', import.meta.url);
const place = (path: string) => fileURLToPath(new URL(path, root));
const { size, only, around, software } = parseArgs({
  options: {
    size: { type: 'string', default: '1280x720' },
    only: { type: 'string' },
    around: { type: 'boolean', default: false },
    software: { type: 'boolean', default: false },
  },
}).values;

const sides = /^(\d+)x(\d+)$/.exec(size)?.slice(1).map(Number);
if (!sides || sides.some((side) => side < 2 || side % 2 !== 0))
  throw new Error(`gallery: --size must be two even numbers as 1280x720, got ${size}`);
const [width, height] = sides;
const names = only === undefined ? GALLERY : (only.split(',') as GalleryScene[]);
for (const name of names)
  if (!GALLERY.includes(name))
    throw new Error(`gallery: --only must name some of ${GALLERY.join(', ')}, got ${name}`);

const project = galleryProject(place('out/gallery/project'));
const pictures: Picture[] = [];
const files = new Map<string, Picture>();
for (const name of names) {
  const start = performance.now();
  await withScene(name, { project, width, height, software }, async (runtime) => {
    const own = await runtime.renderer.readPixels();
    pictures.push(own);
    files.set(`out/gallery/${name}.png`, own);
    if (!around) return;
    const places = placesAround(runtime);
    const others: Picture[] = [];
    for (const which of PLACES) others.push(await pictureFrom(runtime, places[which]));
    files.set(`out/gallery/${name}-around.png`, contactSheet([own, ...others], 2));
  });
  console.log(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
// Parts of the gallery are no sheet for the README.
if (names.length === GALLERY.length) files.set('docs/gallery.png', contactSheet(pictures, 2));
for (const [path, picture] of files) {
  mkdirSync(dirname(place(path)), { recursive: true });
  writeFileSync(
    place(path),
    encodePicture(picture, (bytes) => deflateSync(bytes, { level: 9 })),
  );
  console.log(`wrote ${path}`);
}
