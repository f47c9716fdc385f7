// Places where a source had no data: ground like any other, or holes where a scene asks for them.
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { fromTexture } from '../../runtime/terrain/fromTexture.js';
import { toTexture } from '../../runtime/terrain/toTexture.js';
import { Texture } from '../../runtime/texture/texture.js';
import { randomFrom } from '../support/fields.js';
import { freeing } from '../support/gpu.js';
import { drawnTriangles } from '../support/seams.js';
import { makeMesh, openField, PoolReading } from '../support/terrain.js';
import { runScene } from '../support/lua.js';

const DATA = new URL('../../../shared/data/', import.meta.url);
const NODATA = -9999;

/** Heights in ±5 with a fifth of the texels missing; deterministic. */
function patchy(width: number, height: number, seed: number): Texture {
  const random = randomFrom(seed);
  return Texture.create({
    width,
    height,
    format: 'r32f',
    data: () => [random() < 0.2 ? NODATA : 10 * random() - 5],
  });
}

const groundOf = (source: Texture) => toTexture(fromTexture(source, { encoding: 'metres', nodata: NODATA }));

/** Counts of drawn and of cut quads, and the texels over which something is drawn at the finest level. */
async function drawn(texture: Texture, options: { nodata?: 'hole' }) {
  return freeing(async (gpu) => {
    const hf = openField(gpu, texture, options);
    const { mesh } = await makeMesh(gpu, hf, {
      camera: { x: 0, y: 2, z: 0 },
      nodeVerts: 9,
      maxNodes: 400,
      lodFactor: 40,
    });
    const reading = await PoolReading.of(mesh);
    expect(Math.min(...reading.nodes.map(({ size }) => size / 8))).to.be.at.most(0.5);
    let area = 0;
    for (const [a, b, c] of drawnTriangles(reading))
      area += Math.abs((b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0])) / 2;
    // What the rule of holes leaves: every cell of the lattice, the half cells along the rim among them.
    let ground = 0;
    for (let j = -1; j < hf.height; j++) {
      for (let i = -1; i < hf.width; i++) {
        const side = (at: number, last: number) => (at === -1 || at === last ? 0.5 : 1);
        if (hf.cellHasGround(i, j)) ground += side(i, hf.width - 1) * side(j, hf.height - 1);
      }
    }
    mesh.destroy();
    hf.close();
    return { area, ground };
  });
}

describe('nodata', () => {
  it('is ground like any other unless it is asked to be a hole, asked and drawn alike', async function () {
    this.timeout(60_000);
    const texture = groundOf(patchy(14, 11, 5));
    const whole = await drawn(texture, {});
    expect(whole.ground).to.equal(14 * 11);
    expect(whole.area).to.be.closeTo(14 * 11, 1e-6);
    const cut = await drawn(texture, { nodata: 'hole' });
    expect(cut.ground).to.be.within(14 * 11 * 0.6, 14 * 11 * 0.95);
    expect(cut.area).to.be.closeTo(cut.ground, 1e-6);
  });

  it('says hole inside the rect, outside past it, and keeps its heights', () => {
    const source = patchy(9, 7, 8);
    const hf = Heightfield.fromTexture(groundOf(source), { nodata: 'hole' });
    const solid = Heightfield.fromTexture(groundOf(source));
    for (let j = 0; j < 7; j++) {
      for (let i = 0; i < 9; i++) {
        const [x, z] = [hf.minX + i + 0.75, hf.minZ + j + 0.75];
        const missing = source.read(i, j)[0] === NODATA;
        expect(hf.groundState(x, z)).to.equal(missing ? 'hole' : 'ground');
        expect(solid.groundState(x, z)).to.equal('ground');
        expect(hf.heightAt(x, z)).to.equal(solid.heightAt(x, z)).and.to.be.within(-5, 5);
      }
    }
    for (const [x, z] of [
      [hf.maxX + 1e-3, 0],
      [0, hf.minZ - 1e-3],
    ])
      for (const field of [hf, solid]) expect(field.groundState(x, z)).to.equal('outside');
  });

  it('cuts on top of a mask, follows a refresh, and outlives an edit, which gives data but not ground', async () => {
    const source = patchy(6, 6, 2);
    const texture = groundOf(source);
    const missing = Array.from({ length: 36 }, (_, k) => source.read(k % 6, Math.floor(k / 6))[0] === NODATA);
    expect(missing).to.include(true).and.to.include(false);
    const holes = Texture.create({
      width: 6,
      height: 6,
      format: 'r8',
      data: (i, j) => (i === 3 && j === 3 ? 0 : 1),
    });
    const hf = Heightfield.fromTexture(texture, { holes, nodata: 'hole' });
    const cut = () => Array.from({ length: 36 }, (_, k) => !hf.cellHasGround(k % 6, Math.floor(k / 6)));
    const expected = missing.map((is, k) => is || k === 3 * 6 + 3);
    expect(cut()).to.deep.equal(expected);
    hf.setHeights(0, 0, 6, 6, new Array(36).fill(1));
    expect(hf.read(0, 0)[3]).to.equal(1);
    expect(cut()).to.deep.equal(expected);
    const { data } = texture;
    texture.update({ data: Array.from(data, (value, at) => (at % 4 === 3 ? 1 : value)) });
    await hf.refresh();
    expect(cut()).to.deep.equal(missing.map((_, k) => k === 3 * 6 + 3));
  });

  it('is told apart by a script, which reads hole and outside', async () => {
    const { lines } = await runScene(`
      local terrainHeightfield = require("~terrainSystem.modules.terrainHeightfield")
      local tex = texture.create { width = 3, height = 3, format = "r32f", data = { 1, 2, 3, 4, -9999, 6, 7, 8, 9 } }
      local ground = terrain.to_texture(terrain.from_texture(tex, { nodata = -9999 }))
      local cut = terrainHeightfield.open(ground, { nodata = "hole" })
      local solid = terrainHeightfield.open(ground)
      print(cut:hasGroundAt(0.4, 0.4), solid:hasGroundAt(0.4, 0.4), cut:hasGroundAt(-0.4, -0.4))
      print(cut:hasGroundAt(0.4, 0.4))
      print(cut:hasGroundAt(1.6, 0))
      print(cut:heightAt(0.4, 0.4) == solid:heightAt(0.4, 0.4))`);
    expect(lines).to.deep.equal(['false\ttrue\ttrue', 'false\thole', 'false\toutside', 'true']);
  });

  it('of a real grid cuts as many texels as truth.json counts, and no more', function () {
    const file = new URL('hugo_76x55_nodata.asc', DATA);
    if (!existsSync(file)) {
      console.log(`      skipped: there is no ${file.pathname}`);
      return this.skip();
    }
    const { files } = JSON.parse(readFileSync(new URL('truth.json', DATA), 'utf8')) as {
      files: {
        path: string;
        width: number;
        height: number;
        stats: { min: number; max: number };
        nodata_count?: number;
      }[];
    };
    const truth = files.find(({ path }) => path === 'hugo_76x55_nodata.asc')!;
    const numbers = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => /^[\s\d.-]+$/.test(line))
      .flatMap((line) => line.trim().split(/\s+/).filter(Boolean).map(Number));
    const { width, height } = truth;
    expect(numbers).to.have.length(width * height);
    const missing = numbers.filter((number) => number === NODATA).length;
    expect(missing).to.equal(2028);
    const texture = groundOf(Texture.create({ width, height, format: 'r32f', data: numbers }));
    const hf = Heightfield.fromTexture(texture, { nodata: 'hole' });
    let cut = 0;
    for (let k = 0; k < width * height; k++) {
      const hole = !hf.cellHasGround(k % width, Math.floor(k / width));
      expect(hole).to.equal(numbers[k] === NODATA);
      if (hole) cut++;
    }
    expect(cut).to.equal(missing);
    // Ground where there was data, and what fills the rest never leaves its range.
    expect(hf.heightRange.low).to.be.closeTo(truth.stats.min, 1e-3);
    expect(hf.heightRange.high).to.be.closeTo(truth.stats.max, 1e-3);
    expect(Heightfield.fromTexture(texture).mask).to.equal(null);
  });
});
