// The least that puts a landscape into a PNG through WebGPU: a 512 × 512 plane, displaced in the vertex shader, one
// light, no antialiasing. What `bench/start.ts` times the command against. Takes the PNG's path.
import { writeFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
const [WIDTH, HEIGHT, SIDE] = [640, 360, 512];
// Dawn aborts the process if this object is collected while its device lives.
globalThis.dawn = create([]);
const adapter = await globalThis.dawn.requestAdapter();
const device = await adapter.requestDevice();

const module = device.createShaderModule({
  code: /* wgsl */ `
    struct Out { @builtin(position) clip: vec4f, @location(0) normal: vec3f }
    fn height(p: vec2f) -> f32 { return 40.0 * sin(p.x * 0.02) * cos(p.y * 0.023) + 4.0 * sin(p.x * 0.17 + p.y * 0.11); }
    @vertex fn vs(@builtin(vertex_index) i: u32) -> Out {
      let p = vec2f(f32(i % ${SIDE}u), f32(i / ${SIDE}u)) - ${SIDE / 2}.0;
      let h = height(p);
      let n = normalize(vec3f(h - height(p + vec2f(1.0, 0.0)), 1.0, h - height(p + vec2f(0.0, 1.0))));
      let eye = vec3f(p.x, h - 120.0, p.y - 330.0);
      let view = vec3f(eye.x, eye.y * 0.93 - eye.z * 0.36, eye.y * 0.36 + eye.z * 0.93);
      return Out(vec4f(view.x * 0.97, view.y * 1.73, 0.1, -view.z), n);
    }
    @fragment fn fs(in: Out) -> @location(0) vec4f {
      return vec4f(vec3f(0.2 + 0.7 * max(dot(normalize(in.normal), normalize(vec3f(0.4, 0.7, 0.3))), 0.0)), 1.0);
    }`,
});
const indices = new Uint32Array((SIDE - 1) ** 2 * 6);
for (let j = 0, at = 0; j < SIDE - 1; j++) {
  for (let i = 0; i < SIDE - 1; i++, at += 6) {
    const v = j * SIDE + i;
    indices.set([v, v + SIDE, v + 1, v + 1, v + SIDE, v + SIDE + 1], at);
  }
}
const indexBuffer = device.createBuffer({
  size: indices.byteLength,
  usage: GPUBufferUsage.INDEX | GPUBufferUsage.COPY_DST,
});
device.queue.writeBuffer(indexBuffer, 0, indices);
const target = (format, usage) =>
  device.createTexture({ size: [WIDTH, HEIGHT], format, usage: GPUTextureUsage.RENDER_ATTACHMENT | usage });
const color = target('rgba8unorm', GPUTextureUsage.COPY_SRC);
const depth = target('depth32float', 0);
const pipeline = await device.createRenderPipelineAsync({
  layout: 'auto',
  vertex: { module },
  fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'greater' },
});
const encoder = device.createCommandEncoder();
const pass = encoder.beginRenderPass({
  colorAttachments: [
    { view: color.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0.6, 0.7, 0.9, 1] },
  ],
  depthStencilAttachment: {
    view: depth.createView(),
    depthLoadOp: 'clear',
    depthStoreOp: 'store',
    depthClearValue: 0,
  },
});
pass.setPipeline(pipeline);
pass.setIndexBuffer(indexBuffer, 'uint32');
pass.drawIndexed(indices.length);
pass.end();
const read = device.createBuffer({
  size: WIDTH * HEIGHT * 4,
  usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
});
encoder.copyTextureToBuffer({ texture: color }, { buffer: read, bytesPerRow: WIDTH * 4 }, [WIDTH, HEIGHT]);
device.queue.submit([encoder.finish()]);
await read.mapAsync(GPUMapMode.READ);
const pixels = new Uint8Array(read.getMappedRange());

const raw = new Uint8Array(HEIGHT * (WIDTH * 4 + 1));
for (let y = 0; y < HEIGHT; y++)
  raw.set(pixels.subarray(y * WIDTH * 4, (y + 1) * WIDTH * 4), y * (WIDTH * 4 + 1) + 1);
const chunk = (type, data) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
};
const header = Buffer.alloc(13);
header.writeUInt32BE(WIDTH, 0);
header.writeUInt32BE(HEIGHT, 4);
header.set([8, 6, 0, 0, 0], 8);
writeFileSync(
  process.argv[2],
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(raw)),
    chunk('IEND', Buffer.alloc(0)),
  ]),
);
device.destroy();
delete globalThis.dawn;
