// What layers cost a frame: hills with four layers (colour, normal, roughness and height each, one weight texture) against the
// same hills, mesh and camera without, in one process and in rounds that take turns; and what making the layers takes.
// `node --import ./scripts/register.mjs bench/layers.ts`
import { pathToFileURL } from 'node:url';
import { Assets } from '../runtime/assets/assets.js';
import { Gpu } from '../runtime/gpu/gpu.js';
import { PassTimer } from '../runtime/gpu/passTimer.js';
import { createNodeHost } from '../runtime/host/node.js';
import { Renderer } from '../runtime/renderer/renderer.js';
import { FieldLayers } from '../runtime/terrain/fieldLayers.js';
import type { LayerOptions } from '../runtime/terrain/layerList.js';
import { noise } from '../runtime/terrain/noise.js';
import { openHeightfield } from '../runtime/terrain/terrainHeightfield.js';
import { TerrainMesh } from '../runtime/terrain/terrainMesh.js';
import { toTexture } from '../runtime/terrain/toTexture.js';
import { Texture } from '../runtime/texture/texture.js';
import { World } from '../runtime/world/world.js';
import { median, type Row } from './measurement.js';

const MAP = 512;
const WEIGHTS = 1024;
const ROUNDS = 12;
const WARM = 2;
/** Some twenty look-ups a pixel, against none of maps at all. */
const MOST = 8;

/** Bytes that no two texels share. */
function speckled(side: number, seed: number): Texture {
  const data = new Uint8Array(side * side * 4);
  let state = seed;
  for (let at = 0; at < data.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[at] = state >>> 24;
  }
  return new Texture(side, side, 'rgba8', data);
}

function fourLayers(): LayerOptions[] {
  // Blobs of each layer some 40 texels wide, with two of them at most places.
  const data = new Uint8Array(WEIGHTS * WEIGHTS * 4);
  for (let j = 0, at = 0; j < WEIGHTS; j++)
    for (let i = 0; i < WEIGHTS; i++)
      for (let channel = 0; channel < 4; channel++, at++)
        data[at] =
          127.5 * Math.max(0, 1 + 1.6 * Math.sin(i / 40 + channel * 1.6) * Math.cos(j / 40 + channel));
  const weights = new Texture(WEIGHTS, WEIGHTS, 'rgba8', data);
  return [1, 2, 3, 4].map((channel) => ({
    name: `layer ${channel}`,
    weights,
    channel,
    material: {
      albedoMap: speckled(MAP, channel),
      normalMap: speckled(MAP, 10 + channel),
      roughnessMap: speckled(MAP, 20 + channel),
      displacementMap: speckled(MAP, 30 + channel),
    },
  }));
}

export async function run(): Promise<Row[]> {
  const host = createNodeHost({ project: '.' });
  const gpu = await Gpu.open(await host.requestAdapter());
  const size = gpu.software ? { width: 480, height: 270 } : { width: 1920, height: 1080 };
  const renderer = new Renderer(gpu);
  const world = new World(renderer);
  const hills = noise({ width: 1024, height: 1024, size: [1000, 1000], amplitude: 60, seed: 5 });
  const hf = await openHeightfield({ gpu, assets: new Assets(host.files), renderer }, toTexture(hills));
  const field = FieldLayers.of(hf)!;
  const camera = { x: 0, y: hf.heightAt(0, 400) + 25, z: 400 };
  const mesh = await TerrainMesh.create({ gpu, renderer }, hf, { camera });
  world.addComponent(world.createEntity('hills'), 'Model', { mesh: mesh.mesh });
  world.mainCamera.position = camera;
  world.mainCamera.lookAt([0, hf.heightAt(0, 0), 0]);

  const layers = fourLayers();
  const timer = gpu.timestamps && !gpu.software ? (gpu.timer = new PassTimer(gpu)) : null;
  /** Milliseconds of a frame: the scene's on the GPU where it can be timed, else until it is done. */
  const frame = async (): Promise<number> => {
    await renderer.ready(world);
    const start = performance.now();
    renderer.render(world, size);
    await gpu.settle();
    const wall = performance.now() - start;
    return timer ? (await timer.read()).reduce((sum, { ns }) => sum + ns, 0) / 1e6 : wall;
  };
  const times: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < WARM + ROUNDS; round++) {
    await field.set([]);
    const plain = await frame();
    const start = performance.now();
    await field.set(layers);
    const making = performance.now() - start;
    const layered = await frame();
    if (round >= WARM) [plain, layered, making].forEach((ms, i) => times[i].push(ms));
  }
  const [plain, layered, making] = times.map(median);
  const { weights } = field;
  const ratio = layered / plain;
  mesh.destroy();
  hf.close();
  renderer.destroy();
  await gpu.destroy();
  host.close();
  return [
    {
      name: `frame of ${size.width}×${size.height} with four layers, against none`,
      value: `${ratio.toFixed(2)}x (${layered.toFixed(2)} ms, ${plain.toFixed(2)} ms)`,
      bound: `at most ${MOST}x`,
      ok: ratio <= MOST,
    },
    {
      name: `making four layers of ${MAP}² maps`,
      value: `${making.toFixed(0)} ms, ${((making * 1e6) / (4 * 2 * MAP * MAP)).toFixed(0)} ns a texel of the arrays`,
      bound: '',
      ok: true,
    },
    {
      name: 'weights, CPU and GPU',
      value: `${weights[0].data.byteLength / WEIGHTS ** 2} bytes a texel a texture each`,
      bound: '4',
      ok: weights[0].data.byteLength === 4 * WEIGHTS ** 2,
    },
  ];
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) console.table(await run());
