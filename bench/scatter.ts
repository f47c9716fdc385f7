// What a scatter costs: placing 100,000 instances against the bare loop of their heightAt calls, following an edit against
// placing all anew, and a frame's culling and draw, by GPU timestamps, against a plain instanced draw of the same triangles.
// `node --import ./scripts/register.mjs bench/scatter.ts`
import { pathToFileURL } from 'node:url';
import { Gpu } from '../runtime/gpu/gpu.js';
import { PassTimer } from '../runtime/gpu/passTimer.js';
import { createNodeHost } from '../runtime/host/node.js';
import { gatherFrame } from '../runtime/renderer/frame.js';
import { DEPTH_FORMAT, SAMPLES, SCENE_FORMAT } from '../runtime/renderer/pass.js';
import { Renderer } from '../runtime/renderer/renderer.js';
import { VERTEX_LAYOUT } from '../runtime/renderer/vertex.js';
import { Instances } from '../runtime/scatter/instances.js';
import { Placement } from '../runtime/scatter/placement.js';
import { Scatter } from '../runtime/scatter/scatter.js';
import { checkRules, type ScatterFields } from '../runtime/scatter/scatterRules.js';
import { FieldTexels } from '../runtime/terrain/fieldTexels.js';
import { Heightfield } from '../runtime/terrain/heightfield.js';
import { Texture } from '../runtime/texture/texture.js';
import { World } from '../runtime/world/world.js';
import plainSource from './plain.wgsl';
import { median, type Row } from './measurement.js';

const SIDE = 1024;
const INSTANCES = 100_000;
/** Placing hashes each cell twice, asks for ground and water and writes a record: times the bare height queries. */
const MOST_TIMES = 40;
/** An edit of 64² texels covers 1/240 of the field: its part of placing all anew, with room for what does not shrink. */
const MOST_SHARE = 1 / 40;
/** Culling, placing and shading instances against drawing the triangles that are seen, placed already and in one colour. */
const MOST_OF_PLAIN = 1.6;

function makeField(): Heightfield {
  const texels = new Float32Array(SIDE * SIDE * 4);
  for (let j = 0, at = 0; j < SIDE; j++)
    for (let i = 0; i < SIDE; i++, at += 4) {
      texels[at] = 30 * Math.sin(i / 61) + 20 * Math.cos(j / 47);
      texels[at + 1] = (30 / 61) * Math.cos(i / 61);
      texels[at + 2] = (-20 / 47) * Math.sin(j / 47);
      texels[at + 3] = 1;
    }
  return Heightfield.fromTexture(new Texture(SIDE, SIDE, 'rgba32f', texels), { size: [SIDE, SIDE] });
}

/** Median ms of each of `works`, in rounds that take turns. */
function timeEach(works: ((round: number) => void)[], rounds: number): number[] {
  const times = works.map(() => [] as number[]);
  for (let round = 0; round < rounds + 3; round++)
    works.forEach((work, k) => {
      const start = performance.now();
      work(round);
      if (round >= 3) times[k].push(performance.now() - start);
    });
  return times.map(median);
}

const none = { bound: '', ok: true };
const ms = (value: number) => `${value.toFixed(value < 1 ? 3 : 2)} ms`;

/** Placing and following, on the CPU. */
function placing(hf: Heightfield): Row[] {
  const density = INSTANCES / SIDE ** 2;
  const place = (fields: Partial<ScatterFields>) => {
    const rules = checkRules('bench', { mesh: 'none', density, ...fields });
    return new Instances(new Placement('bench', hf, rules), 0);
  };
  const full = { slope: [0, 60], slopeSoft: 5, align: 0.7, scale: [0.5, 2] } as const;
  const standing = place({});
  const { places, count } = standing;
  let sum = 0;
  const followed = place({});
  const area = (round: number) => ({ col: 300 + ((round * 37) % 200), row: 300 + ((round * 53) % 200) });
  let [asked, edits] = [0, 0];
  const [bare, plain, ruled, spaced, following] = timeEach(
    [
      () => {
        for (let k = 0; k < count * 3; k += 3) sum += hf.heightAt(places[k], places[k + 2]);
      },
      () => void place({}),
      () => void place(full),
      () => void place({ ...full, spacing: 2 }),
      (round) => {
        const { col, row } = area(round);
        const [x, z] = [col - SIDE / 2, row - SIDE / 2];
        asked += followed.follow({ minX: x, minZ: z, maxX: x + 64, maxZ: z + 64 }).asked;
        edits++;
      },
    ],
    25,
  );
  if (!Number.isFinite(sum)) throw new Error('bench: heights must be finite');
  const times = plain / bare;
  return [
    { name: `heightAt at ${count} places, the bare loop`, value: ms(bare), ...none },
    {
      name: `placing ${count} instances, density alone`,
      value: `${ms(plain)}, ${times.toFixed(1)} times`,
      bound: `at most ${MOST_TIMES} times`,
      ok: times <= MOST_TIMES,
    },
    {
      name: 'with slope, soft edges, align and scale',
      value: `${ms(ruled)}, ${(ruled / bare).toFixed(1)} times`,
      ...none,
    },
    { name: 'and spacing', value: `${ms(spaced)}, ${(spaced / bare).toFixed(1)} times`, ...none },
    {
      name: `following an edit of 64² texels, ${(asked / edits).toFixed(0)} cells asked, against placing all`,
      value: `${ms(following)}, ${(following / plain).toFixed(4)} of it`,
      bound: `at most ${MOST_SHARE}`,
      ok: following / plain <= MOST_SHARE,
    },
  ];
}

/** Places (x, y, z) and scales of the instances that the last frame drew, as a plain draw wants them. */
async function seenOf(gpu: Gpu, scatter: Scatter): Promise<Float32Array<ArrayBuffer>> {
  const count = await scatter.visible();
  const numbers = new Uint32Array(await gpu.read(scatter.buffers.list.visible, 0, Math.max(count, 1) * 4));
  const { places, records } = scatter.table();
  const data = new Float32Array(count * 4);
  for (let k = 0; k < count; k++) {
    data.set(places.subarray(numbers[k] * 3, numbers[k] * 3 + 3), k * 4);
    data[k * 4 + 3] = records[numbers[k] * 8 + 3];
  }
  return data;
}

/** A pass of one plain instanced draw into targets like the scene's. */
async function makePlain(gpu: Gpu, width: number, height: number) {
  const module = gpu.shader('bench/plain.wgsl', plainSource);
  const pipeline = await gpu.renderPipeline('plain', {
    layout: 'auto',
    vertex: {
      module,
      entryPoint: 'plain_vertex',
      buffers: [
        VERTEX_LAYOUT,
        {
          arrayStride: 16,
          stepMode: 'instance',
          attributes: [{ shaderLocation: 8, offset: 0, format: 'float32x4' }],
        },
      ],
    },
    fragment: { module, entryPoint: 'plain_fragment', targets: [{ format: SCENE_FORMAT }] },
    primitive: { topology: 'triangle-list', cullMode: 'back' },
    depthStencil: { format: DEPTH_FORMAT, depthWriteEnabled: true, depthCompare: 'greater' },
    multisample: { count: SAMPLES },
  });
  const target = (format: GPUTextureFormat, sampleCount: number) =>
    gpu.device.createTexture({
      size: [width, height],
      format,
      sampleCount,
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
    });
  const [scene, depth, resolved] = [
    target(SCENE_FORMAT, SAMPLES),
    target(DEPTH_FORMAT, SAMPLES),
    target(SCENE_FORMAT, 1),
  ];
  const block = gpu.createBuffer('plain', 64, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
  const group = gpu.device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: block } }],
  });
  return (matrix: Float32Array<ArrayBuffer>, vertices: GPUBuffer, indices: GPUBuffer, places: GPUBuffer) => {
    gpu.device.queue.writeBuffer(block, 0, matrix);
    const encoder = gpu.device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      timestampWrites: gpu.timer?.writes('plain'),
      colorAttachments: [
        {
          ...{ view: scene.createView(), resolveTarget: resolved.createView() },
          ...{ loadOp: 'clear', storeOp: 'discard' },
        },
      ],
      depthStencilAttachment: {
        ...{ view: depth.createView(), depthClearValue: 0 },
        ...{ depthLoadOp: 'clear', depthStoreOp: 'discard' },
      },
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.setVertexBuffer(0, vertices);
    pass.setVertexBuffer(1, places);
    pass.setIndexBuffer(indices, 'uint32');
    pass.drawIndexed(indices.size / 4, places.size / 16);
    pass.end();
    gpu.device.queue.submit([encoder.finish()]);
  };
}

/** Culling and drawing, on the GPU. */
async function drawing(gpu: Gpu, hf: Heightfield): Promise<Row[]> {
  const name = gpu.info.description || gpu.info.architecture || gpu.info.vendor;
  if (!gpu.timestamps)
    return [{ name: `culling and drawing on ${name}`, value: 'no timestamps there', ...none }];
  const [width, height] = gpu.software ? [320, 180] : [1920, 1080];
  const renderer = new Renderer(gpu);
  const world = new World(renderer);
  renderer.background = [0, 0, 0];
  // 40 triangles a tree, as a low one has.
  const mesh = renderer.meshes.cylinder({ radius: 1, topRadius: 0.3, height: 6, segments: 10 });
  const density = (gpu.software ? 3000 : INSTANCES) / SIDE ** 2;
  const scatter = Scatter.create({ gpu, renderer }, hf, {
    mesh,
    density,
    scale: [0.5, 1.5],
    maxDistance: 1e5,
  });
  await renderer.ready(world);
  const plain = await makePlain(gpu, width, height);
  const { vertexBuffer, indexBuffer, indexCount } = renderer.meshes.get(mesh);
  const timer = (gpu.timer = new PassTimer(gpu));
  const rows: Row[] = [];
  const camera = world.mainCamera;
  const [warm, rounds] = gpu.software ? [1, 3] : [20, 60];
  for (const [what, position, target] of [
    ['all of them in view', [0, 700, 900], [0, 0, 0]],
    ['from the ground, among them', [0, hf.heightAt(0, 300) + 3, 300], [60, 20, -300]],
  ] as const) {
    camera.position = position;
    camera.lookAt(target);
    const times: Record<string, number[]> = { scatter_cull: [], scene: [], plain: [], cpu: [] };
    renderer.render(world, { width, height });
    const seen = await seenOf(gpu, scatter);
    const places = gpu.createBufferWith('plain places', seen, GPUBufferUsage.VERTEX);
    const { view } = gatherFrame(world, { width, height }, null);
    const matrix = fromOrigin(view.viewProjection, view.position);
    await timer.read();
    for (let round = 0; round < warm + rounds; round++) {
      const start = performance.now();
      renderer.render(world, { width, height });
      const cpu = performance.now() - start;
      plain(matrix, vertexBuffer.buffer, indexBuffer.buffer, places);
      const passes = await timer.read();
      if (round < warm) continue;
      times.cpu.push(cpu);
      for (const { label, ns } of passes) times[label]?.push(ns / 1e6);
    }
    gpu.free(places);
    const [cull, scene, bare, cpu] = [times.scatter_cull, times.scene, times.plain, times.cpu].map(median);
    const triangles = ((seen.length / 4) * indexCount) / 3;
    const frame = cull + scene;
    rows.push(
      {
        name: `${scatter.count} instances at ${width}x${height} on ${name}, ${what}: ${seen.length / 4} seen, culled in`,
        value: ms(cull),
        ...none,
      },
      { name: `the same ${Math.round(triangles)} triangles plainly, unshaded`, value: ms(bare), ...none },
      {
        name: 'culling and the scene’s pass, shaded',
        value: `${ms(frame)}, ${(frame / bare).toFixed(2)} times; ${ms(cpu)} on the CPU`,
        bound: gpu.software ? '' : `at most ${MOST_OF_PLAIN} times`,
        ok: gpu.software || frame <= MOST_OF_PLAIN * bare,
      },
    );
  }
  gpu.timer = null;
  timer.destroy();
  renderer.destroy();
  return rows;
}

/** A camera-relative projection as one of the world's own places: fine for a bench near the origin. */
function fromOrigin(
  m: Float32Array,
  { x, y, z }: { x: number; y: number; z: number },
): Float32Array<ArrayBuffer> {
  const out = Float32Array.from(m);
  for (let row = 0; row < 4; row++) out[12 + row] -= m[row] * x + m[4 + row] * y + m[8 + row] * z;
  return out;
}

export async function run(): Promise<Row[]> {
  const host = createNodeHost({ project: '.' });
  const gpu = await Gpu.open(await host.requestAdapter());
  const hf = makeField();
  const rows = placing(hf);
  FieldTexels.attach(gpu, hf);
  rows.push(...(await drawing(gpu, hf)));
  hf.close();
  await gpu.destroy();
  host.close();
  return rows;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await run());
