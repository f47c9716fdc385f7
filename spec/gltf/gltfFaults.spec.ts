import { expect } from 'chai';
import fc from 'fast-check';
import { Assets } from '../../runtime/assets/assets.js';
import { loadGltf } from '../../runtime/gltf/gltfMesh.js';
import { MeshStore } from '../../runtime/renderer/meshStore.js';
import { VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { container, fileOf, load, square, textFile } from '../support/gltf.js';
import { freeing } from '../support/gpu.js';
import { Files } from '../support/layers.js';
import { icosphere } from '../support/tessellationSources.js';

type Json = Record<string, unknown>;
/** A file's JSON for a fault to be put into. */
interface Loose extends Record<string, any> {} // eslint-disable-line

async function failure(file: Uint8Array, others: Record<string, Uint8Array> = {}): Promise<string> {
  try {
    await load(file, others);
  } catch (error) {
    expect(error).to.have.property('name', 'MoonscapeError');
    return (error as Error).message;
  }
  throw new Error('it was loaded');
}

describe('renderer.mesh.load: what it refuses, by file and part', () => {
  const whole = () => {
    const { writer, primitive } = square();
    return { writer, primitive, json: writer.json([primitive]) as Json };
  };
  /** A file with one thing changed. */
  const changed = (change: (json: Loose) => void) => {
    const { writer, json } = whole();
    const copy = structuredClone(json);
    change(copy as never);
    return container(copy, writer.data);
  };
  const cases: [what: string, file: Uint8Array, message: string][] = [
    ['an empty file', new Uint8Array(0), 'must be a glTF 2.0 file (.gltf or .glb), but it is empty'],
    ['a picture', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), 'but this is a PNG'],
    ['other text', new TextEncoder().encode('v 1 2 3\nf 1 2 3'), 'and it starts like neither'],
    ['JSON that is cut', new TextEncoder().encode('{ "asset": { "ver'), 'must hold its description in JSON'],
    [
      'a container of version 1',
      container(whole().json, whole().writer.data, 1),
      'the version of its container must be 2, got 1',
    ],
    ['glTF 1.0', changed((json) => (json.asset.version = '1.0')), 'asset.version must be "2.0", got "1.0"'],
    ['no asset', changed((json) => delete json.asset), 'asset must be a JSON object, got nothing'],
    [
      'Draco',
      changed((json) => (json.extensionsRequired = ['KHR_draco_mesh_compression'])),
      'needs the glTF extension "KHR_draco_mesh_compression"',
    ],
    [
      'meshopt',
      changed((json) => (json.extensionsRequired = ['EXT_meshopt_compression'])),
      'needs the glTF extension "EXT_meshopt_compression"',
    ],
    [
      'Draco as the only data',
      changed((json) => {
        json.extensionsUsed = ['KHR_draco_mesh_compression'];
        delete json.accessors[0].bufferView;
      }),
      'accessors[0] has its data in KHR_draco_mesh_compression alone',
    ],
    [
      'a buffer without data',
      container(whole().json, null),
      'buffers[0] has no data: it names no uri, and the file has no binary chunk',
    ],
    [
      'a buffer that is too short',
      changed((json) => (json.buffers[0].byteLength = 4000)),
      'buffers[0] must have 4000 bytes, and there are 60',
    ],
    [
      'a view past its buffer',
      changed((json) => (json.bufferViews[1].byteLength = 400)),
      'bufferViews[1] runs to byte 448 of buffers[0], which has 60',
    ],
    [
      'an accessor past its view',
      changed((json) => (json.accessors[0].count = 5)),
      'accessors[0] runs to byte 60 of bufferViews[0], which has 48',
    ],
    [
      'an offset past its view',
      changed((json) => (json.accessors[1].byteOffset = 2)),
      'accessors[1] runs to byte 14 of bufferViews[1], which has 12',
    ],
    [
      'a view that is not there',
      changed((json) => (json.accessors[0].bufferView = 7)),
      'accessors[0].bufferView must be an integer in 0..1, got 7',
    ],
    [
      'a buffer that is not there',
      changed((json) => (json.bufferViews[0].buffer = 1)),
      'bufferViews[0].buffer must be an integer in 0..0, got 1',
    ],
    [
      'an accessor that is not there',
      changed((json) => (json.meshes[0].primitives[0].indices = 2)),
      'meshes[0].primitives[0].indices must be an integer in 0..1, got 2',
    ],
    [
      'a mesh that is not there',
      changed((json) => (json.nodes[0].mesh = 1)),
      'nodes[0].mesh must be an integer in 0..0, got 1',
    ],
    [
      'a node that is not there',
      changed((json) => (json.scenes[0].nodes = [3])),
      'scenes[0].nodes[0] must be an integer in 0..0, got 3',
    ],
    [
      'a node in itself',
      changed((json) => (json.nodes[0].children = [0])),
      'nodes[0] has two parents, or stands among its own children',
    ],
    [
      'a matrix of 9',
      changed((json) => (json.nodes[0].matrix = Array(9).fill(1))),
      'nodes[0].matrix must be a list of 16 finite numbers',
    ],
    [
      'no places',
      changed((json) => (json.meshes[0].primitives[0].attributes = { NORMAL: 0 })),
      'meshes[0].primitives[0].attributes.POSITION must be given, got nothing',
    ],
    [
      'places of two numbers',
      changed((json) => (json.accessors[0].type = 'VEC2')),
      'accessors[0].type must be VEC3, got "VEC2"',
    ],
    [
      'an unknown component',
      changed((json) => (json.accessors[0].componentType = 5124)),
      'accessors[0].componentType must be one of 5120, 5121, 5122, 5123, 5125, 5126, got 5124',
    ],
    [
      'indices with a sign',
      changed((json) => (json.accessors[1].componentType = 5122)),
      'indices must be of whole numbers without sign',
    ],
    [
      'fewer normals',
      changed(
        (json) =>
          (json.meshes[0].primitives[0].attributes.NORMAL =
            json.accessors.push({ ...json.accessors[0], count: 3 }) - 1),
      ),
      'attributes.NORMAL must be of as many elements as POSITION has (4), got 3',
    ],
    [
      'lines',
      changed((json) => (json.meshes[0].primitives[0].mode = 1)),
      'meshes[0].primitives[0] is of lines; a mesh is made of triangles alone',
    ],
    [
      'points',
      changed((json) => (json.meshes[0].primitives[0].mode = 0)),
      'meshes[0].primitives[0] is of points',
    ],
    [
      'five corners',
      changed((json) => (json.accessors[1].count = 5)),
      'meshes[0].primitives[0].indices must be of a multiple of 3 elements, got 5',
    ],
    [
      'no triangles',
      changed((json) => (json.nodes = [{}])),
      'must have triangles in its scene, and there are none',
    ],
    [
      'no scene worth it',
      changed((json) => (json.scenes = [{}])),
      'must have triangles in its scene, and there are none',
    ],
    ['a list that is none', changed((json) => (json.nodes = { mesh: 0 })), 'nodes must be a list'],
    [
      'too many elements',
      changed((json) => (json.accessors[0] = { ...json.accessors[0], bufferView: undefined, count: 4e9 })),
      'accessors[0].count must be an integer in 1..33554432, got 4000000000',
    ],
  ];
  for (const [what, file, message] of cases)
    it(what, async () => {
      const said = await failure(file);
      expect(said).to.match(/^renderer\.mesh\.load: models\/a\.gltf/);
      expect(said).to.include(message);
    });

  it('indices past the vertices, numbers that are none, joints past a byte, and overrides of what is not there', async () => {
    const { writer, primitive, json } = whole();
    const bytes = writer.data;
    new DataView(bytes.buffer).setUint16(48 + 4, 4, true);
    expect(await failure(container(json, bytes))).to.include(
      'meshes[0].primitives[0].indices: element 2 names vertex 4, and there are 4 vertices',
    );
    for (const [value, said] of [
      [NaN, 'NaN'],
      [Infinity, 'Infinity'],
    ] as const) {
      const bad = writer.data;
      new DataView(bad.buffer).setFloat32(20, value, true);
      expect(await failure(container(json, bad))).to.include(
        `attributes.POSITION must be finite, and element 1 holds ${said}`,
      );
    }
    const far = writer.json([primitive], {
      nodes: [{ mesh: 0, scale: [1e38, 1e38, 1e38], translation: [3.4e38, 0, 0] }],
    });
    expect(await failure(container(far, writer.data))).to.include('stands past what float32 holds');
    const joined = square();
    Object.assign(joined.primitive.attributes as Json, {
      JOINTS_0: joined.writer.accessor(Array(16).fill(256), { type: 'VEC4', component: 5123 }),
      WEIGHTS_0: joined.writer.accessor(Array(16).fill(0.25), { type: 'VEC4' }),
    });
    expect(await failure(container(joined.writer.json([joined.primitive]), joined.writer.data))).to.include(
      'JOINTS_0 must be of numbers in 0..255, which is what a vertex holds, got 256',
    );
    const over = square();
    (over.writer.accessors[0] as Json).sparse = {
      count: 1,
      indices: {
        bufferView: over.writer.view([4], { type: 'SCALAR', component: 5123 }),
        componentType: 5123,
      },
      values: { bufferView: over.writer.view([1, 1, 1]) },
    };
    expect(await failure(container(over.writer.json([over.primitive]), over.writer.data))).to.include(
      'accessors[0].sparse overrides element 4, and there are 4',
    );
  });

  it('a GLB cut at any byte', async () => {
    const { writer, json } = whole();
    const file = container(json, writer.data);
    for (let bytes = 0; bytes < file.length; bytes += bytes < 40 ? 1 : 17)
      expect(await failure(file.subarray(0, bytes)), `${bytes} bytes`).to.match(
        /is cut|it is empty|starts like neither/,
      );
    await load(file);
  });

  it('buffers outside the project, and those that are not there', async () => {
    const { writer, json } = whole();
    const said = (uri: string) => failure(textFile(json, uri), { 'secret.bin': writer.data });
    expect(await said('../../secret.bin')).to.include("buffers[0]: path must be inside the project's folder");
    expect(await said('%2e%2e/%2e%2e/secret.bin')).to.include('must be inside');
    expect(await said('/secret.bin')).to.include(
      "buffers[0].uri must be a data uri, or a file relative to the model's own folder",
    );
    expect(await said('https://example.com/a.bin')).to.include('relative to the model');
    expect(await said('file:///etc/passwd')).to.include('relative to the model');
    expect(await said('%')).to.include('whole percent escapes');
    expect(await said('b.bin')).to.include('buffers[0]: there is no file "models/b.bin"');
    expect(await said('data:application/octet-stream,abc')).to.include('a data uri in base64');
    expect(await said('data:;base64,@@@@')).to.include('a data uri in base64, and its text is none');
    const files = new Files();
    const missing = loadGltf(new Assets(files), 'renderer.mesh.load', 'gone.glb');
    expect(await missing.catch((error: Error) => error.message)).to.include(
      'renderer.mesh.load: there is no file "gone.glb"',
    );
  });

  it('with an error of its own for every file that was damaged anywhere, or reads it', async () => {
    const file = fileOf(icosphere(0), { tangents: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        async (edits) => {
          const bad = file.slice();
          for (const [at, byte] of edits) bad[at] = byte;
          try {
            const { vertices, indices } = await load(bad);
            expect(Math.max(...indices)).to.be.below(vertices.length / VERTEX_WORDS);
          } catch (error) {
            expect(error).to.have.property('name', 'MoonscapeError');
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('MeshStore.load', () => {
  it('stands in buffers of its own, which go with it, and leaves nothing of a file that fails', () =>
    freeing(async (gpu) => {
      const meshes = new MeshStore(gpu);
      const files = new Files();
      const { writer, primitive } = square();
      files.stored.set('a.glb', container(writer.json([primitive]), writer.data));
      files.stored.set('bad.glb', container(writer.json([{ ...primitive, mode: 1 }]), writer.data));
      const assets = new Assets(files);
      const before = gpu.bytes;
      const guid = await meshes.load('a.glb', assets);
      expect(meshes.get(guid)).to.include({ indexCount: 6 });
      expect(gpu.bytes - before).to.equal(6 * 92 + 6 * 4);
      expect(meshes.recipeOf(guid)).to.deep.equal({ shape: 'load', options: { path: 'a.glb' } });
      expect(await meshes.load('bad.glb', assets).catch((error: Error) => error.message)).to.include(
        'is of lines',
      );
      expect(meshes.count).to.equal(1);
      meshes.destroy(guid);
      await meshes.restore(
        'scene.load: s.scene',
        guid,
        { shape: 'load', options: { path: 'a.glb' } },
        assets,
      );
      expect(meshes.boundsOf(guid)!.max.x).to.equal(1);
      const wrong = (recipe: object) =>
        meshes
          .restore('scene.load: s.scene', 'x', recipe as never, assets)
          .catch((error: Error) => error.message);
      expect(await wrong({ shape: 'load', options: {} })).to.equal(
        'scene.load: s.scene: the mesh x must be a load with the path of a file, got nothing',
      );
      expect(await wrong({ shape: 'torus', options: {} })).to.include(
        'a shape of plane, box, sphere, cylinder, load',
      );
      meshes.destroyAll();
    }));
});
