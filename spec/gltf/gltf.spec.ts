import { expect } from 'chai';
import fc from 'fast-check';
import { Matrix4, Vector3, type Mesh } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { box, cylinder, sphere, type Geometry } from '../../runtime/renderer/primitives.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { judgeTangents, unmatchedEdges } from '../support/geometryJudge.js';
import {
  column,
  container,
  CORNERS,
  fileOf,
  GltfWriter,
  load,
  part,
  square,
  SQUARE,
  textFile,
} from '../support/gltf.js';
import { icosphere, mirroredQuads } from '../support/tessellationSources.js';

type Json = Record<string, unknown>;
/** Each triangle's places, by triangle. */
const triangles = (geometry: Geometry) =>
  Array.from(geometry.indices, (row) => part(geometry, row, 'position', 3));

describe('renderer.mesh.load: what it reads', () => {
  for (const component of [5121, 5123, 5125])
    it(`a square with indices of ${{ 5121: 8, 5123: 16, 5125: 32 }[component]} bits, from a GLB, a data uri and a file beside it`, async () => {
      const { writer, primitive } = square({ component });
      const json = writer.json([primitive]);
      const found = [
        await load(container(json, writer.data)),
        await load(textFile(json, writer.data)),
        await load(textFile(json, 'a%20b.bin'), { 'models/a b.bin': writer.data }),
        await load(textFile(json, '../parts/x.bin'), { 'parts/x.bin': writer.data }),
        await load(textFile(json, '../x.bin'), { 'source/x.bin': writer.data }, '/zero/source/m/a.gltf'),
      ];
      for (const geometry of found) expect(geometry).to.deep.equal(found[0]);
      expect(triangles(found[0])).to.deep.equal(CORNERS.map((i) => SQUARE.slice(i * 3, i * 3 + 3)));
      expect(found[0].bounds).to.deep.equal({ min: { x: 0, y: 0, z: 0 }, max: { x: 1, y: 1, z: 0 } });
      expect(column(found[0], 'color', 4)).to.deep.equal(Array(6).fill([1, 1, 1, 1]));
    });

  it('every attribute in every format that a file may have it in, tight or interleaved', async () => {
    const writer = new GltfWriter();
    const half = 1 / 3;
    const attributes = {
      POSITION: writer.accessor(SQUARE, { stride: 20 }),
      NORMAL: writer.accessor(Array(4).fill([0, 0, 127]).flat(), {
        component: 5120,
        normalized: true,
        stride: 4,
      }),
      TANGENT: writer.accessor(Array(4).fill([0, 32767, 0, 0x8001]).flat(), {
        type: 'VEC4',
        component: 5122,
        normalized: true,
      }),
      TEXCOORD_0: writer.accessor([0, 0, 65535, 0, 65535, 65535, 0, 65535], {
        type: 'VEC2',
        component: 5123,
        normalized: true,
      }),
      TEXCOORD_1: writer.accessor([0, 0, 2, 0, 2, 2, 0, 2], { type: 'VEC2' }),
      COLOR_0: writer.accessor(Array(4).fill([255, 0, 85]).flat(), {
        component: 5121,
        normalized: true,
        stride: 4,
      }),
      JOINTS_0: writer.accessor([1, 2, 3, 255, 0, 0, 0, 0, 9, 0, 0, 0, 4, 0, 0, 0], {
        type: 'VEC4',
        component: 5123,
      }),
      WEIGHTS_0: writer.accessor(Array(4).fill([255, 0, 0, 0]).flat(), {
        type: 'VEC4',
        component: 5121,
        normalized: true,
      }),
    };
    const indices = writer.accessor(CORNERS, { type: 'SCALAR', component: 5121 });
    const found = await load(container(writer.json([{ attributes, indices }]), writer.data));
    expect(column(found, 'position', 3).flat()).to.deep.equal(SQUARE);
    expect(column(found, 'normal', 3)).to.deep.equal(Array(4).fill([0, 0, 1]));
    expect(column(found, 'tangent', 4)).to.deep.equal(Array(4).fill([0, 1, 0, -1]));
    expect(column(found, 'uv0', 2).flat()).to.deep.equal([0, 0, 1, 0, 1, 1, 0, 1]);
    expect(column(found, 'uv1', 2).flat()).to.deep.equal([0, 0, 2, 0, 2, 2, 0, 2]);
    expect(column(found, 'color', 4)[2]).to.deep.equal([1, 0, Math.fround(half), 1]);
    expect(column(found, 'weights', 4)).to.deep.equal(Array(4).fill([1, 0, 0, 0]));
    const joints = new Uint8Array(found.vertices.buffer).subarray(VERTEX_OFFSET.joints * 4);
    expect([...joints.subarray(0, 4)]).to.deep.equal([1, 2, 3, 255]);
    expect(joints[VERTEX_WORDS * 8]).to.equal(9);
  });

  it('places of few bits, as KHR_mesh_quantization has them', async () => {
    const writer = new GltfWriter();
    const POSITION = writer.accessor([0, 0, 0, 32767, 0, 0, 0, 32767, 0], {
      component: 5122,
      normalized: true,
    });
    const json = writer.json([{ attributes: { POSITION } }], {
      ...{ extensionsUsed: ['KHR_mesh_quantization'], extensionsRequired: ['KHR_mesh_quantization'] },
      nodes: [{ mesh: 0, scale: [4, 4, 4] }],
    });
    expect(triangles(await load(container(json, writer.data)))).to.deep.equal([
      [0, 0, 0],
      [4, 0, 0],
      [0, 4, 0],
    ]);
  });

  it('sparse accessors: overrides over data, and over nothing but zeros', async () => {
    const { writer, primitive } = square();
    const indices = {
      bufferView: writer.view([2, 3], { type: 'SCALAR', component: 5121 }),
      componentType: 5121,
    };
    const values = { bufferView: writer.view([5, 5, 5, 0, 7, 0]) };
    (writer.accessors[0] as Json).sparse = { count: 2, indices, values };
    const over = await load(container(writer.json([primitive]), writer.data));
    expect([...new Set(triangles(over).map(String))]).to.deep.equal(['0,0,0', '1,0,0', '5,5,5', '0,7,0']);
    delete (writer.accessors[0] as Json).bufferView;
    const alone = await load(container(writer.json([primitive]), writer.data));
    expect([...new Set(triangles(alone).map(String))]).to.deep.equal(['0,0,0', '5,5,5', '0,7,0']);
  });

  it('strips and fans as the triangles of a list, without those that have no corners', async () => {
    const shape = async (corners: number[], mode: number) => {
      const writer = new GltfWriter();
      const POSITION = writer.accessor([...SQUARE, 0, 2, 0, 1, 2, 0]);
      const indices = writer.accessor(corners, { type: 'SCALAR', component: 5121 });
      const found = await load(
        container(writer.json([{ attributes: { POSITION }, indices, mode }]), writer.data),
      );
      return triangles(found).map(String);
    };
    const list = await shape([0, 1, 3, 1, 2, 3, 3, 2, 4, 2, 5, 4], 4);
    expect(await shape([0, 1, 3, 2, 4, 5], 5)).to.deep.equal(list);
    expect(await shape([0, 1, 3, 3, 2, 2], 5)).to.have.length(3);
    expect(await shape([0, 1, 2, 3], 6)).to.deep.equal(await shape([1, 2, 0, 2, 3, 0], 4));
  });

  it('a scene’s nodes, with their parents’ places, as three.js’s own loader has them', async () => {
    const numbers = (count: number, min: number, max: number) =>
      fc.array(fc.double({ min, max, noNaN: true }), { minLength: count, maxLength: count });
    const node = fc.record({
      translation: numbers(3, -10, 10),
      rotation: numbers(4, -1, 1).filter((q) => Math.hypot(...q) > 0.2),
      scale: fc.array(
        fc.oneof(
          fc.double({ min: 0.2, max: 3, noNaN: true }),
          fc.double({ min: -3, max: -0.2, noNaN: true }),
        ),
        { minLength: 3, maxLength: 3 },
      ),
    });
    const shape = mirroredQuads();
    await fc.assert(
      fc.asyncProperty(node, node, node, fc.boolean(), async (a, b, c, asMatrix) => {
        const writer = new GltfWriter();
        const attributes = {
          POSITION: writer.accessor(column(shape, 'position', 3).flat()),
          NORMAL: writer.accessor(column(shape, 'normal', 3).flat()),
          TEXCOORD_0: writer.accessor(column(shape, 'uv0', 2).flat(), { type: 'VEC2' }),
        };
        const indices = writer.accessor([...shape.indices], { type: 'SCALAR', component: 5123 });
        const unitary = ({ rotation, ...rest }: typeof a) => {
          const length = Math.hypot(...rotation);
          return { ...rest, rotation: rotation.map((value) => value / length) };
        };
        const plain = new Matrix4()
          .makeRotationY(1)
          .scale(new Vector3(1, -2, 1))
          .toArray();
        const json = writer.json([{ attributes, indices }], {
          scenes: [{ nodes: [0, 2] }],
          nodes: [
            { ...(asMatrix ? { matrix: plain } : unitary(a)), mesh: 0, children: [1] },
            { ...unitary(b), mesh: 0 },
            unitary(c),
            { mesh: 0 },
          ],
        });
        const file = container(json, writer.data);
        const found = await load(file);
        const [places, facings] = await byThree(file);
        expect(found.indices.length).to.equal(places.length);
        found.indices.forEach((row, i) => {
          const [place, facing] = [part(found, row, 'position', 3), part(found, row, 'normal', 3)];
          // three.js draws a mirrored node with its front face turned, where the triangles here are.
          const other = i % 3 === 0 ? i : facings.turned[i] ? (i % 3 === 1 ? i + 1 : i - 1) : i;
          places[other].forEach((value, axis) => expect(place[axis]).to.be.closeTo(value, 1e-4));
          facings.normals[other].forEach((value, axis) => expect(facing[axis]).to.be.closeTo(value, 1e-4));
        });
        const verdict = judgeTangents(found);
        expect(verdict.wrongHands).to.equal(0);
      }),
      { numRuns: 40 },
    );
  });

  it('the scene that the file names, the first where it names none, and all nodes where it has none', async () => {
    const heights = async (more: Json) => {
      const { writer, primitive } = square();
      const nodes = [1, 2, 4].map((z) => ({ mesh: 0, translation: [0, 0, z] }));
      (nodes[2] as Json).children = [];
      const json = writer.json([primitive], { nodes, ...more });
      const found = await load(container(json, writer.data));
      return [...new Set(triangles(found).map(([, , z]) => z))];
    };
    const scenes = [{ nodes: [1] }, { nodes: [2, 0] }];
    expect(await heights({ scenes, scene: 1 })).to.deep.equal([4, 1]);
    expect(await heights({ scenes, scene: undefined })).to.deep.equal([2]);
    expect(await heights({ scenes: undefined, scene: undefined })).to.deep.equal([1, 2, 4]);
  });

  it('a skinned mesh as it was bound, whatever its node says', async () => {
    const { writer, primitive } = square();
    const json = writer.json([primitive], {
      nodes: [{ mesh: 0, skin: 0, translation: [9, 9, 9] }, {}],
      skins: [{ joints: [1] }],
    });
    expect((await load(container(json, writer.data))).bounds.max.x).to.equal(1);
  });

  it('nothing that it does not need: pictures, animations and materials may be broken', async () => {
    const { writer, primitive } = square();
    const json = writer.json([{ ...primitive, material: 77 }], {
      images: [{ uri: 'gone.png' }],
      materials: 'none',
      animations: [{ channels: [], samplers: [{ input: 99, output: 98 }] }],
      extensionsUsed: ['KHR_materials_unlit', 'VENDOR_thing'],
      cameras: [{}],
    });
    expect((await load(textFile(json, writer.data))).indices.length).to.equal(6);
  });
});

describe('renderer.mesh.load: normals and tangents that a file has not', () => {
  it('are flat normals, a vertex for each corner', async () => {
    const found = await load(fileOf(icosphere(1), { normals: false }));
    expect(found.vertices.length / VERTEX_WORDS).to.equal(found.indices.length);
    for (let i = 0; i < found.indices.length; i += 3) {
      const [a, b, c] = [0, 1, 2].map(
        (k) => new Vector3(...part(found, found.indices[i + k], 'position', 3)),
      );
      const normal = b.clone().sub(a).cross(c.clone().sub(a)).normalize();
      for (let k = 0; k < 3; k++)
        normal
          .toArray()
          .forEach((value, axis) =>
            expect(part(found, found.indices[i + k], 'normal', 3)[axis]).to.be.closeTo(value, 1e-6),
          );
    }
    expect(unmatchedEdges(found)).to.equal(0);
    expect(judgeTangents(found).worstDegrees).to.be.below(0.1);
  });

  for (const [name, shape, degrees] of [
    ['a box', box(), 0.05],
    ['mirrored quads', mirroredQuads(), 0.05],
    ['a cylinder', cylinder({ segments: 24 }), 8.5],
    // The triangles at the poles lean by half a segment.
    ['a sphere', sphere({ segments: 24, rings: 24 }), 9],
  ] as const)
    it(`are tangents along the uvs, hand and all: ${name}`, async () => {
      const found = await load(fileOf(shape));
      const verdict = judgeTangents(found);
      expect(verdict.judged).to.equal(verdict.corners);
      expect(verdict.worstDegrees).to.be.at.most(degrees);
      expect(verdict.wrongHands).to.equal(0);
      expect(Math.max(verdict.worstLength, verdict.worstSlant)).to.be.below(1e-6);
      expect(unmatchedEdges(found)).to.equal(unmatchedEdges(shape));
    });

  it('are the same tangent where a vertex is doubled, and double a vertex that two mirrored sides share', async () => {
    const writer = new GltfWriter();
    // Two squares beside each other over one row of vertices; u falls and rises again.
    const POSITION = writer.accessor([-1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 1, 0, 0, 1, 0, 1, 1, 0]);
    const NORMAL = writer.accessor(Array(6).fill([0, 0, 1]).flat());
    const TEXCOORD_0 = writer.accessor([1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0], { type: 'VEC2' });
    const indices = writer.accessor([0, 1, 3, 1, 4, 3, 1, 2, 4, 2, 5, 4], {
      type: 'SCALAR',
      component: 5121,
    });
    const json = writer.json([{ attributes: { POSITION, NORMAL, TEXCOORD_0 }, indices }]);
    const found = await load(container(json, writer.data));
    expect(found.vertices.length / VERTEX_WORDS).to.equal(8);
    expect(judgeTangents(found))
      .to.include({ wrongHands: 0, judged: 12 })
      .and.have.property('worstDegrees')
      .below(0.1);
    // Every triangle with vertices of its own comes out with the tangents of the one that shares them.
    const shared = sphere({ segments: 12, rings: 8 });
    const loose: Geometry = {
      ...shared,
      vertices: Float32Array.from(
        [...shared.indices].flatMap((row) => [
          ...shared.vertices.subarray(row * VERTEX_WORDS, (row + 1) * VERTEX_WORDS),
        ]),
      ),
      indices: shared.indices.map((_, i) => i),
    };
    const [one, other] = [await load(fileOf(shared)), await load(fileOf(loose))];
    one.indices.forEach((row, i) => {
      const [a, b] = [part(one, row, 'tangent', 4), part(other, other.indices[i], 'tangent', 4)];
      a.forEach((value, axis) => expect(b[axis]).to.be.closeTo(value, 1e-6));
    });
  });

  it('are unit and across the normal even where there are no uvs, no area or no normal’s length', async () => {
    const writer = new GltfWriter();
    const POSITION = writer.accessor([...SQUARE, 3, 3, 3, 3, 3, 3, 3, 3, 3]);
    const NORMAL = writer.accessor(Array(21).fill(0));
    const indices = writer.accessor([...CORNERS, 4, 5, 6], { type: 'SCALAR', component: 5121 });
    const found = await load(
      container(writer.json([{ attributes: { POSITION, NORMAL }, indices }]), writer.data),
    );
    expect(found.indices.length).to.equal(9);
    expect(column(found, 'normal', 3)).to.deep.equal([
      ...Array(4).fill([0, 0, 1]),
      ...Array(3).fill([0, 1, 0]),
    ]);
    for (const [row, [x, y, z, hand]] of column(found, 'tangent', 4).entries()) {
      const normal = part(found, row, 'normal', 3);
      expect(Math.hypot(x, y, z)).to.be.closeTo(1, 1e-6);
      expect(x * normal[0] + y * normal[1] + z * normal[2]).to.equal(0);
      expect(hand).to.equal(1);
    }
  });

  it('are not made where the file has them', async () => {
    const shape = box();
    const found = await load(fileOf(shape, { tangents: true }));
    expect(column(found, 'tangent', 4)).to.deep.equal(
      column(shape, 'tangent', 4).map((row) => row.map((value) => value + 0)),
    );
  });
});

/** The triangles of a GLB by three.js's loader: places, normals, and whether their node mirrors. */
async function byThree(file: Uint8Array) {
  // It asks for what a page has.
  Object.assign(globalThis, { self: globalThis });
  const { scene } = await new GLTFLoader().parseAsync(file.slice().buffer as ArrayBuffer, '');
  scene.updateMatrixWorld(true);
  const places: number[][] = [];
  const facings = { normals: [] as number[][], turned: [] as boolean[] };
  scene.traverse((object) => {
    const { geometry, matrixWorld } = object as Mesh;
    if (!geometry) return;
    const { position, normal } = geometry.attributes;
    for (const row of geometry.index!.array) {
      places.push(new Vector3().fromBufferAttribute(position, row).applyMatrix4(matrixWorld).toArray());
      const across = new Matrix4().copy(matrixWorld).invert().transpose();
      facings.normals.push(
        new Vector3().fromBufferAttribute(normal, row).transformDirection(across).toArray(),
      );
      facings.turned.push(matrixWorld.determinant() < 0);
    }
  });
  return [places, facings] as const;
}
