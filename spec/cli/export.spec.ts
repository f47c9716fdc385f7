// `moonscape export`, as a person runs it: the files are read by three.js's own loaders and judged against the ground.
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import type { BufferGeometry, Mesh, Object3D } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { OBJLoader } from 'three/examples/jsm/loaders/OBJLoader.js';
import { formatTerrainData } from '../../runtime/terrain/terrainData.js';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { noise } from '../../runtime/terrain/noise.js';
import { toTexture } from '../../runtime/terrain/toTexture.js';
import { writeTexture } from '../../runtime/texture/ktx.js';
import { Texture } from '../../runtime/texture/texture.js';
import { at, inFolders, moonscape, PATIENCE_MS, put } from '../support/command.js';

const GUID = 'aaaaaaaa-8b86-4d01-b42d-00cf4fc964ff';
const OTHER = 'bbbbbbbb-8b86-4d01-b42d-00cf4fc964ff';
const [WIDTH, HEIGHT] = [60, 41];
const ORIGIN: [number, number] = [5000, -800];
/** A block of texels without ground. */
const isCut = (col: number, row: number) => col >= 20 && col < 27 && row >= 10 && row < 15;

const texture = () => {
  const ground = noise({
    width: WIDTH,
    height: HEIGHT,
    size: [300, 205],
    amplitude: 40,
    octaves: 2,
    seed: 3,
  });
  return toTexture(ground);
};

/** Puts a ground with holes into the folder; answers it as it stands in the world. */
function putGround(): Heightfield {
  const heights = texture();
  const holes = Texture.create({
    ...{ width: WIDTH, height: HEIGHT, format: 'r8' },
    data: (col, row) => [isCut(col, row) ? 0 : 255],
  });
  put('source/heights.texture', writeTexture(heights, GUID));
  put('source/holes.texture', writeTexture(holes, OTHER));
  const data = formatTerrainData({
    ...{ version: 1, guid: 'cccccccc-8b86-4d01-b42d-00cf4fc964ff' },
    ...{ size: [300, 205], origin: ORIGIN, heightRange: [-40, 40] },
    ...{ heightfield: GUID, holes: '/zero/source/holes.texture' },
  });
  put('source/ground.terrainData', data);
  return Heightfield.fromTexture(heights, { size: [300, 205], origin: ORIGIN, holes });
}

/** The one mesh under an object, with its place in the world applied. */
function meshUnder(object: Object3D): BufferGeometry {
  object.updateMatrixWorld(true);
  const found: Mesh[] = [];
  object.traverse((part) => {
    if ('isMesh' in part) found.push(part as Mesh);
  });
  expect(found).to.have.length(1);
  return found[0].geometry.clone().applyMatrix4(found[0].matrixWorld);
}

const readGlb = async (path: string) => {
  const { buffer, byteOffset, byteLength } = readFileSync(at(path));
  const file = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
  return meshUnder((await new GLTFLoader().parseAsync(file, '')).scene);
};
const readObj = (path: string) => meshUnder(new OBJLoader().parse(readFileSync(at(path), 'utf8')));

/** Holds a mesh to the ground: vertices on it, texels within `bound` of it, its area, its normals. Answers its triangles. */
function expectGround(geometry: BufferGeometry, hf: Heightfield, bound: number): number {
  const { position, normal, uv } = geometry.attributes;
  const corners = geometry.index
    ? Array.from(geometry.index.array)
    : Array.from({ length: position.count }, (_, k) => k);
  for (let v = 0; v < position.count; v++) {
    const [x, y, z] = [position.getX(v), position.getY(v), position.getZ(v)];
    expect(y).to.be.closeTo(hf.heightAt(x, z), 1e-2);
    const [nx, ny, nz] = hf.normalAt(x, z);
    expect(normal.getX(v) * nx + normal.getY(v) * ny + normal.getZ(v) * nz).to.be.closeTo(1, 1e-3);
    expect(uv.getX(v)).to.be.closeTo((x - hf.minX) / 300, 1e-4);
  }
  let area = 0;
  const off = new Float64Array(WIDTH * HEIGHT).fill(Infinity);
  for (let k = 0; k < corners.length; k += 3) {
    const [a, b, c] = corners
      .slice(k, k + 3)
      .map((v) => [position.getX(v), position.getY(v), position.getZ(v)]);
    const turn = (p: number[], q: number[], r: number[]) =>
      (q[2] - p[2]) * (r[0] - p[0]) - (q[0] - p[0]) * (r[2] - p[2]);
    const whole = turn(a, b, c);
    expect(whole, 'seen from above').to.be.above(0);
    area += whole / 2;
    for (let row = 0; row < HEIGHT; row++) {
      for (let col = 0; col < WIDTH; col++) {
        const p = [hf.minX + (col + 0.5) * hf.texelX, 0, hf.minZ + (row + 0.5) * hf.texelZ];
        const [u, v] = [turn(p, b, c) / whole, turn(a, p, c) / whole];
        if (u < -1e-3 || v < -1e-3 || u + v > 1 + 1e-3) continue;
        const y = u * a[1] + v * b[1] + (1 - u - v) * c[1];
        off[row * WIDTH + col] = Math.min(off[row * WIDTH + col], Math.abs(y - hf.read(col, row)[0]));
      }
    }
  }
  expect(area).to.be.closeTo(300 * 205 - 7 * 5 * hf.texelX * hf.texelZ, 1);
  for (let row = 0; row < HEIGHT; row++)
    for (let col = 0; col < WIDTH; col++)
      if (!isCut(col, row) && !isCut(col - 1, row) && !isCut(col, row - 1) && !isCut(col - 1, row - 1))
        expect(off[row * WIDTH + col], `texel ${col}, ${row}`).to.be.at.most(bound + 1e-2);
  return corners.length / 3;
}

describe('moonscape export', function () {
  this.timeout(PATIENCE_MS * 2);
  inFolders();

  it('writes ground with its holes as a .glb and as a .obj, which other programs read', async () => {
    const hf = putGround();
    const { status, out, err } = await moonscape([
      ...['export', 'source/ground.terrainData', '--max-error', '1.5', '--out', 'made/ground.glb'],
    ]);
    expect({ status, err }).to.deep.equal({ status: 0, err: '' });
    expect(out).to.match(
      /^ground {3}60 × 41 texels, 300 × 205 m, with holes\nmesh {5}[\d,]+ vertices, ([\d,]+) triangles/,
    );
    expect(out).to.match(/every texel within 1\.[0-5]\d* m\nwrote {4}made\/ground\.glb \(0\.\d MiB\)\n$/);
    const triangles = expectGround(await readGlb('made/ground.glb'), hf, 1.5);
    expect(out).to.contain(`${triangles.toLocaleString('en')} triangles`);
    // Of 5,124 that all of its cells would be.
    expect(triangles).to.be.below(3000);
    const quiet = await moonscape([
      ...['export', at('source/ground.terrainData'), '--max-error', '1.5', '--out', 'ground.OBJ', '--quiet'],
    ]);
    expect(quiet).to.deep.equal({ status: 0, out: '', err: '' });
    expect(expectGround(readObj('ground.OBJ'), hf, 1.5)).to.equal(triangles);
  });

  it('writes all triangles at an error of 0, and the same bytes twice', async () => {
    put('flat.texture', writeTexture(texture(), GUID));
    const made = async (out: string) => {
      const { status } = await moonscape(['export', 'flat.texture', '--max-error', '0', '--out', out]);
      expect(status).to.equal(0);
      return readFileSync(at(out));
    };
    const [one, other] = [await made('one.glb'), await made('other.glb')];
    expect(one.equals(other)).to.equal(true);
    expect((await readGlb('one.glb')).index!.count / 3).to.equal(2 * 61 * 42);
  });

  it('ends with 2 where it is asked for what it cannot do', async () => {
    putGround();
    const ground = 'source/ground.terrainData';
    const refused = async (args: string[], message: string) => {
      const { status, out, err } = await moonscape(['export', ...args]);
      expect({ status, out }, args.join(' ')).to.deep.equal({ status: 2, out: '' });
      expect(err).to.contain(message);
    };
    await refused([], 'export needs the path of a ground: moonscape export GROUND');
    await refused([ground, '--max-error', '1'], 'export needs --out FILE, a .glb or a .obj');
    await refused(
      [ground, '--max-error', '1', '--out', 'a.stl'],
      '--out must be a .glb or a .obj, got "a.stl"',
    );
    await refused([ground, '--out', 'a.glb'], 'export needs --max-error METRES');
    for (const wrong of ['-1', 'NaN', 'much', ''])
      await refused(
        [ground, '--max-error', wrong, '--out', 'a.glb'],
        `--max-error must be a number of metres of at least 0, got "${wrong}"`,
      );
    await refused(
      ['none.terrainData', '--max-error', '1', '--out', 'a.glb'],
      'the ground none.terrainData cannot be read',
    );
    await refused(['source', '--max-error', '1', '--out', 'a.glb'], 'it is no file');
    await refused(
      [ground, '--max-error', '1', '--out', 'source'.concat('/a.glb'), '--project', 'none'],
      'does not exist',
    );
    expect(existsSync(at('a.glb'))).to.equal(false);
  });

  it('ends with 1 where the ground is broken, and writes nothing', async () => {
    putGround();
    put('source/ground.terrainData', '{ "version": 1 }');
    put(
      'grey.texture',
      writeTexture(Texture.create({ width: 2, height: 2, format: 'r8', data: [0, 1, 2, 3] }), GUID),
    );
    for (const [ground, message] of [
      ['source/ground.terrainData', /^moonscape export: source\/ground\.terrainData: size must be/],
      ['grey.texture', /^moonscape export: grey\.texture: .*rgba32f/],
    ] as const) {
      const { status, err } = await moonscape(['export', ground, '--max-error', '1', '--out', 'a.glb']);
      expect(status).to.equal(1);
      expect(err).to.match(message);
    }
    expect(existsSync(at('a.glb'))).to.equal(false);
  });
});
