// Scenes and pictures for specs: a renderer with a world on the shared device, pixels by place, and stored pictures.
import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { decode, encode } from 'fast-png';
import pixelmatch from 'pixelmatch';
import { Renderer, type Picture } from '../../runtime/renderer/renderer.js';
import type { MaterialFields } from '../../runtime/renderer/materialStore.js';
import type { Entity, EntityOptions } from '../../runtime/world/entity.js';
import type { VectorLike } from '../../runtime/world/vector.js';
import { World } from '../../runtime/world/world.js';
import { freeing } from './gpu.js';

export type Rgb = readonly [number, number, number];

/** A world with its renderer, and short words for what specs put into it. */
export class Scene {
  readonly world: World;

  constructor(readonly renderer: Renderer) {
    this.world = new World(renderer);
  }

  /** An entity with a Model; `material` as fields or none. */
  model(mesh: string, options: EntityOptions = {}, material?: MaterialFields): Entity {
    const entity = this.world.createEntity('thing', options);
    const guid = material && this.renderer.materials.create(material);
    this.world.addComponent(entity, 'Model', { mesh, material: guid });
    return entity;
  }

  /** Places the on-screen camera. */
  look(from: VectorLike, at: VectorLike, camera: Record<string, unknown> = {}): void {
    this.world.mainCamera.position = from;
    this.world.mainCamera.lookAt(at);
    for (const [name, value] of Object.entries(camera))
      this.world.getComponent(this.world.mainCamera, 'Camera')!.set(name, value);
  }

  /** Renders and reads back. */
  picture(width = 96, height = 64): Promise<Picture> {
    this.renderer.render(this.world, { width, height });
    return this.renderer.readPixels();
  }
}

/** Runs `work` in a scene of its own, with clean error scopes, and asserts that it gives every byte back. */
export function inScene<T>(work: (scene: Scene) => T | Promise<T>): Promise<T> {
  return freeing(async (gpu) => {
    const renderer = new Renderer(gpu);
    try {
      await renderer.ready();
      return await work(new Scene(renderer));
    } finally {
      renderer.destroy();
    }
  });
}

export function pixel({ width, data }: Picture, x: number, y: number): Rgb {
  const at = (Math.floor(y) * width + Math.floor(x)) * 4;
  return [data[at], data[at + 1], data[at + 2]];
}

/** The pixel in the middle. */
export const middle = (picture: Picture): Rgb => pixel(picture, picture.width / 2, picture.height / 2);

/** sRGB luma, 0..255. */
export const luma = ([r, g, b]: Rgb): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** The largest difference of any byte. */
export function largestDifference(a: Picture, b: Picture): number {
  expect([a.width, a.height]).to.deep.equal([b.width, b.height]);
  return a.data.reduce((most, byte, i) => Math.max(most, Math.abs(byte - b.data[i])), 0);
}

/** Pixelmatch's threshold for one pixel: what an eye does not see beside the other. */
const PIXEL_THRESHOLD = 0.06;
/** The part of a picture's pixels that may pass it: edges fall differently on another adapter. */
const PIXELS_ALLOWED = 0.005;

/**
 * Compares with `spec/golden/<name>.png`; a failure leaves the picture as it came under `out/golden/`.
 * MOONSCAPE_GOLDEN=write stores it instead.
 * @param allowed part of the pixels that may be unlike
 */
export function expectGolden(name: string, { width, height, data }: Picture, allowed = PIXELS_ALLOWED): void {
  const file = new URL(`../golden/${name}.png`, import.meta.url);
  const bytes = encode({ width, height, data, channels: 4, depth: 8 });
  if (process.env.MOONSCAPE_GOLDEN === 'write') return writeFileSync(file, bytes);
  const stored = existsSync(file) ? decode(readFileSync(file)) : null;
  const same = stored?.width === width && stored.height === height;
  const options = { threshold: PIXEL_THRESHOLD, includeAA: true };
  const unlike = same
    ? pixelmatch(data, Uint8Array.from(stored.data), null, width, height, options)
    : width * height;
  if (unlike <= width * height * allowed) return;
  mkdirSync(new URL('../../out/golden/', import.meta.url), { recursive: true });
  writeFileSync(new URL(`../../out/golden/${name}.png`, import.meta.url), bytes);
  expect.fail(
    `${unlike} of ${width * height} pixels are unlike spec/golden/${name}.png; see out/golden/${name}.png`,
  );
}
