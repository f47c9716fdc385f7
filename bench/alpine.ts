// What a frame of the gallery's largest scene costs: GPU time of each pass, of all of them, and the processor's part while the camera
// glides up the valley, in a script's own frame callback; and on a software adapter a frame of the first scene against a bare draw of
// as many triangles, in turn and in one process.
// `npm run bench alpine`
import { readFileSync } from 'node:fs';
import { openLua, type Lua } from '../bindings/index.js';
import { PassTimer } from '../runtime/gpu/passTimer.js';
import { createNodeHost } from '../runtime/host/node.js';
import { gatherFrame } from '../runtime/renderer/frame.js';
import { DEPTH_FORMAT, PICTURE_FORMAT, SAMPLES, SCENE_FORMAT } from '../runtime/renderer/pass.js';
import { VERTEX_LAYOUT } from '../runtime/renderer/vertex.js';
import { Runtime } from '../runtime/runtime.js';
import bareSource from './bareDraw.wgsl';
import { median, type Row } from './measurement.js';

const MOST_GPU_MS = 1.5;
const MOST_CPU_MS = 0.7;
/** Bare draws that a frame of the first scene may take. */
const MOST_BARE = 3;
/** Texels a side of a shadow map on a GPU. */
const SHADOW_SIDE = 2048;
const DT = 1 / 60;
const none = { bound: '', ok: true };
const ms = (value: number) => `${value.toFixed(3)} ms`;

/** Up the valley, 20 m/s. */
const GLIDE = `
local view = camera.main()
local from = view.position
local way = 0
scene.onUpdate(function(dt)
  way = way + 20 * dt
  view.position = { from.x, from.y, from.z - way }
end)`;

interface Opened {
  runtime: Runtime;
  lua: Lua;
  close(): Promise<void>;
}

async function open(
  scene: string,
  size: { width: number; height: number },
  { software = false, more = '' } = {},
): Promise<Opened> {
  const host = createNodeHost({ project: 'examples' });
  const runtime = await Runtime.create({ host, software, ...size });
  const lua = openLua(runtime);
  await lua.run(readFileSync(`examples/${scene}`, 'utf8') + more, scene);
  await runtime.frame(DT);
  const close = async () => {
    lua.close();
    await runtime.destroy();
  };
  return { runtime, lua, close };
}

/** The alpine frame, pass by pass, and its processor time. */
async function alpine(): Promise<Row[]> {
  const probe = await Runtime.create({ host: createNodeHost({ project: '.' }), width: 8, height: 8 });
  const { software } = probe.gpu;
  await probe.destroy();
  const size = software ? { width: 480, height: 270 } : { width: 1920, height: 1080 };
  const { runtime, close } = await open('alpine.lua', size, { more: GLIDE });
  try {
    const { gpu, renderer, world } = runtime;
    const timer = gpu.timestamps && !software ? (gpu.timer = new PassTimer(gpu)) : null;
    const [warm, rounds] = software ? [1, 6] : [60, 240];
    const passes = new Map<string, number[]>();
    const [frames, updates, renders, processor]: number[][] = [[], [], [], []];
    for (let round = 0; round < warm + rounds; round++) {
      const start = performance.now();
      await runtime.update(DT);
      await renderer.ready(world);
      const middle = performance.now();
      renderer.render(world, size);
      const end = performance.now();
      const timed = timer ? await timer.read() : [];
      // What the GPU still does is over before the processor is timed again.
      await gpu.settle();
      if (round < warm) continue;
      updates.push(middle - start);
      renders.push(end - middle);
      processor.push(end - start);
      const sums = new Map<string, number>();
      for (const { label, ns } of timed) sums.set(label, (sums.get(label) ?? 0) + ns / 1e6);
      for (const [label, time] of sums) passes.set(label, [...(passes.get(label) ?? []), time]);
      frames.push([...sums.values()].reduce((sum, time) => sum + time, 0));
    }
    const least = timer ? await leastFrame(runtime, timer) : null;
    gpu.timer = null;
    timer?.destroy();
    const { triangles, passes: counted } = renderer.stats();
    const name = `alpine.lua at ${size.width}x${size.height}`;
    const rows: Row[] = [...passes].map(([label, times]) => ({
      name: `${name}: ${label}${counted[label] ? `, ${counted[label].triangles} triangles` : ''}`,
      // A pass that not every frame has is given as a mean frame has it.
      value: `${ms(median(times))}${times.length < rounds ? `, in ${times.length} of ${rounds} frames` : ''}`,
      ...none,
    }));
    if (timer)
      rows.push({
        name: `${name}: a frame’s GPU time, ${Math.round(triangles)} triangles`,
        value: ms(median(frames)),
        bound: `at most ${MOST_GPU_MS} ms`,
        ok: median(frames) <= MOST_GPU_MS,
      });
    if (least)
      rows.push({
        name: `${name}: the least such a frame: its targets cleared and resolved, nothing drawn; its triangles in one colour`,
        value: `${ms(least.empty)}; ${ms(least.drawn)}, of which the frame is ${(median(frames) / least.drawn).toFixed(2)}x`,
        ...none,
      });
    rows.push({
      name: `${name}: a frame’s processor time while the camera glides`,
      value: `${ms(median(processor))}: ${ms(median(updates))} update, ${ms(median(renders))} render`,
      // A software adapter draws with the same processor.
      bound: software ? '' : `at most ${MOST_CPU_MS} ms`,
      ok: software || median(processor) <= MOST_CPU_MS,
    });
    return rows;
  } finally {
    await close();
  }
}

/**
 * GPU milliseconds of a frame's targets alone, four shadow maps, a scene of four samples and a picture, cleared and resolved; and of
 * the ground drawn into each as a frame does, in one colour: what no shading could save.
 */
async function leastFrame(runtime: Runtime, timer: PassTimer): Promise<{ empty: number; drawn: number }> {
  const { gpu, renderer, terrains, size } = runtime;
  const { device } = gpu;
  const { vertexBuffer, indexBuffer, indexCount } = renderer.meshes.get([...terrains][0].mesh);
  const module = gpu.shader('bench/bareDraw.wgsl', bareSource);
  const stages = (samples: number, format: GPUTextureFormat | null, depth: boolean) => ({
    layout: 'auto' as const,
    vertex: { module, entryPoint: 'bare_vertex', buffers: [VERTEX_LAYOUT] },
    ...(format ? { fragment: { module, entryPoint: 'bare_fragment', targets: [{ format }] } } : {}),
    ...(depth
      ? {
          depthStencil: {
            ...{ format: DEPTH_FORMAT, depthWriteEnabled: true },
            depthCompare: 'greater' as const,
          },
        }
      : {}),
    multisample: { count: samples },
  });
  const scene = await gpu.renderPipeline('least scene', stages(SAMPLES, SCENE_FORMAT, true));
  const shadow = await gpu.renderPipeline('least shadow', stages(1, null, true));
  const made: GPUTexture[] = [];
  const view = (format: GPUTextureFormat, width: number, height: number, sampleCount = 1) => {
    const usage = GPUTextureUsage.RENDER_ATTACHMENT;
    const texture = device.createTexture({ size: [width, height], format, sampleCount, usage });
    made.push(texture);
    return texture.createView();
  };
  const { width, height } = size;
  const [color, depth] = [SCENE_FORMAT, DEPTH_FORMAT].map((format) => view(format, width, height, SAMPLES));
  const [resolved, picture] = [view(SCENE_FORMAT, width, height), view(PICTURE_FORMAT, width, height)];
  const map = view(DEPTH_FORMAT, SHADOW_SIDE, SHADOW_SIDE);
  const { view: seen } = gatherFrame(runtime.world, size, null);
  const matrix = Float32Array.from(seen.viewProjection);
  const { x, y, z } = seen.position;
  for (let row = 0; row < 4; row++)
    matrix[12 + row] -= matrix[row] * x + matrix[4 + row] * y + matrix[8 + row] * z;
  const block = gpu.createBufferWith('least', matrix, GPUBufferUsage.UNIFORM);
  const time = async (draws: boolean) => {
    const encoder = device.createCommandEncoder();
    const pass = (
      descriptor: Omit<GPURenderPassDescriptor, 'timestampWrites'>,
      pipeline: GPURenderPipeline | null,
    ) => {
      const begun = encoder.beginRenderPass({ ...descriptor, timestampWrites: timer.writes('least') });
      if (draws && pipeline) {
        begun.setPipeline(pipeline);
        const entries = [{ binding: 0, resource: { buffer: block } }];
        begun.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
        begun.setVertexBuffer(0, vertexBuffer.buffer);
        begun.setIndexBuffer(indexBuffer.buffer, 'uint32');
        begun.drawIndexed(indexCount);
      }
      begun.end();
    };
    const depthOf = (target: GPUTextureView, kept: GPUStoreOp) => ({
      ...{ view: target, depthClearValue: 0, depthLoadOp: 'clear' as const, depthStoreOp: kept },
    });
    for (let cascade = 0; cascade < 4; cascade++)
      pass({ colorAttachments: [], depthStencilAttachment: depthOf(map, 'store') }, shadow);
    const clear = { loadOp: 'clear' as const, clearValue: [0, 0, 0, 0] };
    pass(
      {
        colorAttachments: [{ view: color, resolveTarget: resolved, storeOp: 'discard', ...clear }],
        depthStencilAttachment: depthOf(depth, 'discard'),
      },
      scene,
    );
    pass({ colorAttachments: [{ view: picture, storeOp: 'store', ...clear }] }, null);
    device.queue.submit([encoder.finish()]);
    return (await timer.read()).reduce((sum, { ns }) => sum + ns / 1e6, 0);
  };
  const times = { empty: [] as number[], drawn: [] as number[] };
  for (let round = 0; round < 40; round++) {
    times.empty.push(await time(false));
    times.drawn.push(await time(true));
  }
  gpu.free(block);
  for (const texture of made) texture.destroy();
  return { empty: median(times.empty), drawn: median(times.drawn) };
}

/** Draws a mesh with one light into targets as the frame's own; `times` draws more than once for as many triangles. */
async function bareDraw({ runtime }: Opened, guid: string, times: number): Promise<() => void> {
  const { gpu, renderer, world, size } = runtime;
  const { device } = gpu;
  const module = gpu.shader('bench/bareDraw.wgsl', bareSource);
  const pipeline = await gpu.renderPipeline('bare', {
    layout: 'auto',
    vertex: { module, entryPoint: 'bare_vertex', buffers: [VERTEX_LAYOUT] },
    fragment: { module, entryPoint: 'bare_fragment', targets: [{ format: PICTURE_FORMAT }] },
    depthStencil: { format: DEPTH_FORMAT, depthWriteEnabled: true, depthCompare: 'greater' },
    multisample: { count: SAMPLES },
  });
  const target = (format: GPUTextureFormat, sampleCount: number) =>
    device
      .createTexture({
        size: [size.width, size.height],
        format,
        sampleCount,
        usage: GPUTextureUsage.RENDER_ATTACHMENT,
      })
      .createView();
  const [color, depth, resolved] = [
    target(PICTURE_FORMAT, SAMPLES),
    target(DEPTH_FORMAT, SAMPLES),
    target(PICTURE_FORMAT, 1),
  ];
  const { view } = gatherFrame(world, size, null);
  const matrix = Float32Array.from(view.viewProjection);
  const { x, y, z } = view.position;
  for (let row = 0; row < 4; row++)
    matrix[12 + row] -= matrix[row] * x + matrix[4 + row] * y + matrix[8 + row] * z;
  const block = gpu.createBufferWith('bare', matrix, GPUBufferUsage.UNIFORM);
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: block } }],
  });
  return () => {
    const { vertexBuffer, indexBuffer, indexCount } = renderer.meshes.get(guid);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: color, resolveTarget: resolved, loadOp: 'clear', storeOp: 'discard' }],
      depthStencilAttachment: {
        ...{ view: depth, depthClearValue: 0, depthLoadOp: 'clear', depthStoreOp: 'discard' },
      },
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.setVertexBuffer(0, vertexBuffer.buffer);
    pass.setIndexBuffer(indexBuffer.buffer, 'uint32');
    pass.drawIndexed(indexCount, times);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
}

/** A frame of the first scene on the software adapter. */
async function firstGround(): Promise<Row[]> {
  const opened = await open('first-ground.lua', { width: 640, height: 360 }, { software: true }).catch(
    () => null,
  );
  if (!opened)
    return [
      { name: 'a frame of first-ground.lua on a software adapter', value: 'there is none here', ...none },
    ];
  const { runtime, close } = opened;
  try {
    const { gpu, renderer, world, size, terrains } = runtime;
    if (!gpu.software)
      return [
        { name: 'a frame of first-ground.lua on a software adapter', value: 'there is none here', ...none },
      ];
    const [ground] = terrains;
    const { indexCount } = renderer.meshes.get(ground.mesh);
    const still = () => renderer.render(world, size);
    // Along the view's own way, so that it sees the same and every map of shadows has to be drawn anew.
    const camera = world.mainCamera;
    const { x, y, z } = camera.position;
    let steps = 0;
    const frame = () => {
      camera.position = { x: x + 0.5 * (++steps % 40), y, z };
      still();
    };
    frame();
    const { triangles } = renderer.stats();
    const times = Math.max(1, Math.round((triangles * 3) / indexCount));
    const kinds = {
      frame,
      still,
      once: await bareDraw(opened, ground.mesh, 1),
      bare: await bareDraw(opened, ground.mesh, times),
    };
    const taken: Record<keyof typeof kinds, number[]> = { frame: [], still: [], once: [], bare: [] };
    for (let round = 0; round < 24; round++)
      for (const [kind, draw] of Object.entries(kinds) as [keyof typeof kinds, () => void][]) {
        const start = performance.now();
        draw();
        await gpu.wait(gpu.device.queue.onSubmittedWorkDone());
        if (round >= 2) taken[kind].push(performance.now() - start);
      }
    const [whole, kept, once, bare] = [taken.frame, taken.still, taken.once, taken.bare].map(median);
    return [
      {
        name: `a frame of first-ground.lua at ${size.width}x${size.height} on the software adapter, ${Math.round(triangles)} triangles with those of its shadow maps, against a bare draw of as many`,
        value: `${(whole / bare).toFixed(2)}x (${whole.toFixed(1)} ms, ${bare.toFixed(1)} ms); a still one, whose maps are kept, ${(kept / bare).toFixed(2)}x, and ${(kept / once).toFixed(2)}x a draw of the ${indexCount / 3} that are seen`,
        bound: `at most ${MOST_BARE}x`,
        ok: whole <= MOST_BARE * bare,
      },
    ];
  } finally {
    await close();
  }
}

export async function run(): Promise<Row[]> {
  return [...(await alpine()), ...(await firstGround())];
}
