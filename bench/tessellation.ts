// What tessellation costs on this machine's adapter: bakes at levels 5 and 6 by GPU timestamps, against a plain fill of the same
// bytes and against three.js's TessellateModifier with displacement in JavaScript, from the same source in the same process; and
// what a frame's processor pays for 1,000 tessellated entities that do not change. `npm run bench tessellation`
import { pathToFileURL } from 'node:url';
import { BufferAttribute, BufferGeometry } from 'three';
import { TessellateModifier } from 'three/examples/jsm/modifiers/TessellateModifier.js';
import { openLua } from '../bindings/index.js';
import { Gpu } from '../runtime/gpu/gpu.js';
import { createNodeHost } from '../runtime/host/node.js';
import { sphere, type Geometry } from '../runtime/renderer/primitives.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../runtime/renderer/vertex.js';
import { viewOf } from '../runtime/renderer/view.js';
import { Runtime } from '../runtime/runtime.js';
import {
  microOf,
  NO_PLAN,
  outputBytes,
  type BakeJob,
  type HeightMap,
} from '../runtime/tessellation/bakeJob.js';
import { SourceMesh } from '../runtime/tessellation/sourceMesh.js';
import { TessellateKernels, type Epilogue } from '../runtime/tessellation/tessellateKernels.js';
import { makeFills, timeEach } from './gpuTimes.js';
import { median, type Row } from './measurement.js';

const SCALE = 0.1;
const MAP = 512;
/** Spheres that come near the 64 MiB which a bake may make: 960 and 256 triangles. */
const SOURCES = [
  { level: 5, options: { segments: 32, rings: 16 } },
  { level: 6, options: { segments: 16, rings: 9 } },
];
/** Times a plain fill of the same bytes into a new buffer, as a bake makes its own, on a GPU. */
const MOST_RATIO = 2;
/** Times the micro-triangles a second of JavaScript on one core, on a GPU. */
const LEAST_TIMES = 1000;
/** About as many triangles as JavaScript makes in each of its rounds. */
const SCRIPT_TRIANGLES = 200_000;
const SCRIPT_ROUNDS = 5;
const ENTITIES = 1000;
const FRAMES = 200;
/** Milliseconds of a frame. */
const MOST_FRAME = 0.5;

/** Bumps with edges, 0..1. */
function makeHeights(): HeightMap {
  const data = new Float32Array(MAP * MAP);
  for (let j = 0, at = 0; j < MAP; j++)
    for (let i = 0; i < MAP; i++, at++)
      data[at] = 0.5 + 0.25 * (Math.sin(i / 9) * Math.cos(j / 7) + Math.sign(Math.sin(i / 40 + j / 31)));
  return { data, width: MAP, height: MAP, clamp: false, low: 0, high: 1 };
}

const us = (ns: number) => `${(ns / 1000).toFixed(1)} µs`;
const perSecond = (rate: number) => `${(rate / 1e6).toFixed(rate < 1e8 ? 2 : 0)} million a second`;

const sourceOf = ({ vertices, indices }: Geometry) => SourceMesh.of('sphere', vertices, indices);

/** Bakes of one source with each epilogue, against fills. */
async function bakes(gpu: Gpu, heights: HeightMap) {
  const epilogues: Epilogue[] = gpu.software ? ['direct'] : ['direct', 'staged'];
  const name = gpu.info.description || gpu.info.architecture || gpu.info.vendor;
  const rows: Row[] = [];
  let fastest = 0;
  for (const { level, options } of SOURCES) {
    const source = sourceOf(sphere(options));
    const job: BakeJob = { source, level, heights, scale: SCALE, stretch: null, plan: NO_PLAN };
    const micro = source.patchCount * microOf(level);
    const bytes = outputBytes(source.patchCount, level);
    const whole = Math.ceil(bytes / 16) * 16;
    const standing = await makeFills(gpu, whole);
    const fresh = await makeFills(gpu, whole, { fresh: true });
    const made = await Promise.all(
      epilogues.map(async (epilogue) => {
        const kernels = await TessellateKernels.of(gpu, epilogue);
        const [uploaded, map] = [kernels.upload(source), kernels.uploadHeights(heights)];
        const [out] = kernels.bake([{ job, source: uploaded, heights: map }]);
        return { epilogue, kernels, source: uploaded, map, out };
      }),
    );
    const kernels = [
      ...made.map(({ epilogue, kernels, source, map, out }) => ({
        label: `standing ${epilogue}`,
        start: () => void kernels.bake([{ job, source, heights: map, into: out }]),
      })),
      ...made.map(({ epilogue, kernels, source, map }) => ({
        label: epilogue as string,
        start: () => {
          const [{ vertexBuffer, indexBuffer }] = kernels.bake([{ job, source, heights: map }]);
          vertexBuffer.destroy();
          indexBuffer.destroy();
        },
      })),
      ...standing.runs.map((start, i) => ({ label: `standing ${i}`, start })),
      ...fresh.runs.map((start, i) => ({ label: `fresh ${i}`, start })),
    ];
    const times = await timeEach(gpu, kernels, false);
    const ns = (label: string) => median(times.get(label)!);
    const [fill, bare] = ['fresh', 'standing'].map((how) => Math.min(ns(`${how} 0`), ns(`${how} 1`)));
    for (const epilogue of epilogues) {
      const [ratio, again] = [ns(epilogue) / fill, ns(`standing ${epilogue}`) / bare];
      const rate = (micro / ns(epilogue)) * 1e9;
      const judged = epilogue === 'staged';
      fastest = Math.max(fastest, judged || gpu.software ? rate : 0);
      rows.push({
        name: `level ${level}, ${source.patchCount} triangles into ${micro} on ${name}, ${epilogue}`,
        value: `${us(ns(epilogue))}, ${perSecond(rate)}, ${ratio.toFixed(2)} fills of ${(bytes / 1e6).toFixed(1)} MB in new buffers (${us(fill)}); in ones that stand ${us(ns(`standing ${epilogue}`))}, ${again.toFixed(2)} fills (${us(bare)})`,
        bound: judged ? `at most ${MOST_RATIO} fills` : '',
        // New buffers are cleared by the driver first, which is not the kernel.
        ok: !judged || again <= MOST_RATIO,
      });
    }
    standing.free();
    for (const { source, map, out } of made) {
      out.vertexBuffer.destroy();
      out.indexBuffer.destroy();
      source.destroy();
      gpu.free(map);
    }
  }
  return { rows, fastest };
}

/** Micro-triangles a second of three.js: edges halved until they are short enough, heights read between texels, normals anew. */
function byScript(heights: HeightMap): { rate: number; triangles: number } {
  const { vertices, indices } = sphere(SOURCES[1].options);
  const attribute = (offset: number, size: number) => {
    const values = new Float32Array((vertices.length / VERTEX_WORDS) * size);
    for (let i = 0; i < values.length; i++)
      values[i] = vertices[Math.floor(i / size) * VERTEX_WORDS + offset + (i % size)];
    return new BufferAttribute(values, size);
  };
  const source = new BufferGeometry();
  source.setAttribute('position', attribute(VERTEX_OFFSET.position, 3));
  source.setAttribute('normal', attribute(VERTEX_OFFSET.normal, 3));
  source.setAttribute('uv', attribute(VERTEX_OFFSET.uv0, 2));
  source.setIndex(new BufferAttribute(indices, 1));
  // A sphere of radius ½ has an area of π; a triangle with edges up to e has some 0.3 e².
  const modifier = new TessellateModifier(Math.sqrt(Math.PI / (0.3 * SCRIPT_TRIANGLES)), 100);
  const rates: number[] = [];
  let triangles = 0;
  for (let round = 0; round <= SCRIPT_ROUNDS; round++) {
    const start = performance.now();
    const made = modifier.modify(source);
    displace(made, heights);
    made.computeVertexNormals();
    const seconds = (performance.now() - start) / 1000;
    triangles = made.attributes.position.count / 3;
    // The first round is the compiler's.
    if (round > 0) rates.push(triangles / seconds);
  }
  return { rate: median(rates), triangles };
}

function displace(geometry: BufferGeometry, { data, width, height }: HeightMap): void {
  const { position, normal, uv } = geometry.attributes;
  const [places, facings, uvs] = [position, normal, uv].map(({ array }) => array);
  const inside = (texel: number, side: number) => ((texel % side) + side) % side;
  for (let i = 0; i < position.count; i++) {
    const [x, y] = [uvs[i * 2] * width - 0.5, uvs[i * 2 + 1] * height - 0.5];
    const [col, row] = [Math.floor(x), Math.floor(y)];
    const [fx, fy] = [x - col, y - row];
    const [west, east] = [inside(col, width), inside(col + 1, width)];
    const [north, south] = [inside(row, height) * width, inside(row + 1, height) * width];
    const upper = data[north + west] * (1 - fx) + data[north + east] * fx;
    const lower = data[south + west] * (1 - fx) + data[south + east] * fx;
    const by = (upper * (1 - fy) + lower * fy) * SCALE;
    for (let axis = i * 3; axis < i * 3 + 3; axis++) places[axis] += facings[axis] * by;
  }
}

/** Milliseconds that a frame's processor spends on entities that do not change: tiles that meet along their edges. */
async function standing(mode: 'static' | 'adaptive'): Promise<number> {
  const runtime = await Runtime.create({ host: createNodeHost({ project: '.' }), width: 64, height: 36 });
  const lua = openLua(runtime);
  try {
    await lua.run(
      `local heights = texture.create { width = 16, height = 16, format = "r8", data = function(c, r) return (c * 37 + r * 91) % 256 end }
       local stone = renderer.material.create { displacementMap = heights }
       local tile = renderer.mesh.plane()
       for i = 0, ${ENTITIES - 1} do
         local e = entity.create("tile", { position = { i % 40 - 20, 0, math.floor(i / 40) - 12 } })
         e.component.add("Model", { mesh = tile, material = stone })
         e.component.add("Tessellation", { level = i % 4, mode = "${mode}" })
       end
       camera.main().position = { 0, 30, 30 }
       camera.main():lookAt({ 0, 0, 0 })`,
      'tiles.lua',
    );
    for (let frame = 0; frame < 3; frame++) await runtime.frame(1);
    const bakes = runtime.tessellation.stats().bakes;
    const { tessellation: system, world, size } = runtime;
    const sight = {
      view: () => viewOf(world.mainCamera, size.width / size.height, null),
      height: size.height,
      time: runtime.time,
    };
    const times: number[] = [];
    for (let frame = 0; frame < FRAMES * 2; frame++) {
      const start = performance.now();
      system.update(sight);
      if (frame >= FRAMES) times.push(performance.now() - start);
    }
    if (system.stats().bakes !== bakes) throw new Error('bench/tessellation: a surface was baked again');
    return median(times);
  } finally {
    lua.close();
    await runtime.destroy();
  }
}

export async function run(): Promise<Row[]> {
  const host = createNodeHost({ project: '.' });
  const gpu = await Gpu.open(await host.requestAdapter());
  const heights = makeHeights();
  const { rows, fastest } = await bakes(gpu, heights);
  const { software } = gpu;
  await gpu.destroy();
  host.close();
  const script = byScript(heights);
  const times = fastest / script.rate;
  rows.push({
    name: `TessellateModifier of three.js with displacement in JavaScript, into ${script.triangles}`,
    value: `${perSecond(script.rate)}, a ${times.toFixed(software ? 1 : 0)}th of the fastest bake above`,
    bound: software ? '' : `at most a ${LEAST_TIMES}th`,
    ok: software || times >= LEAST_TIMES,
  });
  for (const mode of ['static', 'adaptive'] as const) {
    const ms = await standing(mode);
    rows.push({
      name: `a frame's processor time for ${ENTITIES} tessellated tiles that do not change, ${mode}`,
      value: `${ms.toFixed(3)} ms`,
      bound: `at most ${MOST_FRAME} ms`,
      ok: ms <= MOST_FRAME,
    });
  }
  return rows;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await run());
