import { expect } from 'chai';
import fc from 'fast-check';
import type { Gpu } from '../../runtime/gpu/gpu.js';
import { FieldLayers } from '../../runtime/terrain/fieldLayers.js';
import type { Heightfield } from '../../runtime/terrain/heightfield.js';
import { openHeightfield } from '../../runtime/terrain/terrainHeightfield.js';
import { writeTerrainData } from '../../runtime/terrain/writeTerrainData.js';
import type { LayerOptions } from '../../runtime/terrain/layerList.js';
import { Texture } from '../../runtime/texture/texture.js';
import { freeing } from '../support/gpu.js';
import { even, flatTexture, layerEngine, noisy, openLayered } from '../support/layers.js';

/** Roundings of doubles on numbers of about 1. */
const EXACT = 1e-12;

const rejection = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it was fulfilled',
    (error: Error) => error.message,
  );

/** Runs `work` with ground opened with `layers`, and closes it. */
const inField = (
  layers: LayerOptions[] | undefined,
  work: (hf: Heightfield, field: FieldLayers, gpu: Gpu) => unknown,
) =>
  freeing(async (gpu) => {
    const hf = await openLayered(layerEngine(gpu), layers);
    try {
      await work(hf, FieldLayers.of(hf)!, gpu);
    } finally {
      hf.close();
    }
  });

/** A channel at a place, worked out the long way: the four texels around it by the area between. */
function judge(texture: Texture, channel: number, u: number, v: number): number {
  const [x, z] = [u * texture.width - 0.5, v * texture.height - 0.5];
  let sum = 0;
  for (const di of [0, 1])
    for (const dj of [0, 1]) {
      const [i, j] = [Math.floor(x) + di, Math.floor(z) + dj];
      const part = (1 - Math.abs(x - i)) * (1 - Math.abs(z - j));
      const held = (index: number, count: number) => Math.min(Math.max(index, 0), count - 1);
      sum += (part * texture.read(held(i, texture.width), held(j, texture.height))[channel]) / 255;
    }
  return sum;
}

describe('layers of ground', () => {
  describe('layersAt', () => {
    const place = fc.double({ min: -40, max: 40, noNaN: true });

    it('is each weight over the sum of all, bilinear over the rect, from textures of any size', async () => {
      const [a, b] = [noisy(5, 3, 'rgba8', 7), noisy(2, 9, 'r8', 3)];
      const layers = [
        { name: 'sand', weights: a, channel: 1 },
        { name: 'rock', weights: b },
        { name: 'snow', weights: a, channel: 4 },
      ];
      await inField(layers, (_hf, field) => {
        fc.assert(
          fc.property(place, place, (x, z) => {
            const at = (edge: number) => Math.min(Math.max((edge + 32) / 64, 0), 1);
            const raw = [judge(a, 0, at(x), at(z)), judge(b, 0, at(x), at(z)), judge(a, 3, at(x), at(z))];
            const sum = raw[0] + raw[1] + raw[2];
            const shares = field.at(x, z);
            expect(Object.keys(shares)).to.deep.equal(['sand', 'rock', 'snow']);
            Object.values(shares).forEach((share, i) => expect(share).to.be.closeTo(raw[i] / sum, EXACT));
          }),
        );
      });
    });

    it('is a texel’s own number at its centre', async () => {
      const weights = noisy(8, 8, 'rg8', 5);
      const layers = [1, 2].map((channel) => ({ name: `${channel}`, weights, channel }));
      await inField(layers, (_hf, field) => {
        const [first, second] = weights.read(2, 6);
        const shares = field.at(-32 + 2.5 * 8, -32 + 6.5 * 8);
        expect(shares['1']).to.be.closeTo(first / (first + second), EXACT);
      });
    });

    it('is all the first layer’s where nothing has weight', () =>
      inField(
        [
          { name: 'base', weights: even('rg8', 0, 0) },
          { name: 'other', weights: even('r8', 0) },
        ],
        (_hf, field) => expect(field.at(3, 3)).to.deep.equal({ base: 1, other: 0 }),
      ));

    it('gives a first layer without weights what the others leave of 1', async () => {
      const read = async (...over: number[]) => {
        let shares: Record<string, number> = {};
        const others = over.map((value, i) => ({ name: `over${i}`, weights: even('r8', value) }));
        await inField([{ name: 'base' }, ...others], (_hf, field) => (shares = field.at(0, 0)));
        return Object.values(shares);
      };
      expect(await read()).to.deep.equal([1]);
      expect(await read(0)).to.deep.equal([1, 0]);
      expect((await read(51))[0]).to.be.closeTo(0.8, EXACT);
      const full = await read(255, 85);
      [0, 0.75, 0.25].forEach((share, i) => expect(full[i]).to.be.closeTo(share, EXACT));
    });

    it('is empty without layers, and refused for what is no place and once closed', async () => {
      let closed: FieldLayers | undefined;
      await inField(undefined, (_hf, field) => {
        closed = field;
        expect(field.at(0, 0)).to.deep.equal({});
        expect(() => field.at(NaN, 0)).to.throw('terrainHeightfield.layersAt: x must be a finite number');
      });
      expect(() => closed!.at(0, 0)).to.throw('terrainHeightfield.layersAt: this heightfield is closed');
    });
  });

  describe('open', () => {
    const refusals: [string, unknown, string][] = [
      ['no list', 'rock', 'layers must be a list of layers, got "rock"'],
      ['no layer', ['rock'], 'layers[1] must be a layer { name, weights, channel, material }, got "rock"'],
      ['no name', [{}], 'layers[1].name must be a name, got nothing'],
      [
        'an unknown field',
        [{ name: 'a', weight: 1 }],
        'layers[1]: there is no field "weight" (did you mean "weights"?)',
      ],
      [
        'two of one name',
        [{ name: 'a' }, { name: 'a', weights: even('r8', 1) }],
        'layers[2].name must be its own, got "a", as layers[1] has',
      ],
      [
        'no weights',
        [{ name: 'a' }, { name: 'b' }],
        'layers[2].weights must be a texture, a path or a guid (only the first layer may have none), got nothing',
      ],
      [
        'a wrong channel',
        [{ name: 'a', weights: even('r8', 1), channel: 5 }],
        'layers[1].channel must be an integer in 1..4, got 5',
      ],
      [
        'a channel that is not there',
        [{ name: 'a', weights: even('rg8', 1, 1), channel: 3 }],
        'layers[1].channel must be in 1..2, as the 1×1 rg8 texture has no more channels, got 3',
      ],
      [
        'a wrong format',
        [{ name: 'a', weights: even('r16', 1) }],
        'layers[1].weights must be r8, rg8 or rgba8, got the 1×1 r16 texture',
      ],
      [
        'a missing file',
        [{ name: 'a', weights: 'no.texture' }],
        'layers[1].weights: there is no file "no.texture"',
      ],
      [
        'a wrong material',
        [{ name: 'a', material: 7 }],
        'layers[1].material must be the fields of a material or the guid of one, got 7',
      ],
      [
        'a function for one',
        [{ name: 'a', material: new (class LuaFunction {})() }],
        'layers[1].material must be the fields of a material or the guid of one, got a LuaFunction',
      ],
      [
        'no such material',
        [{ name: 'a', material: 'x' }],
        'layers[1].material must be the fields of a material or the guid of one that exists, got "x"',
      ],
      [
        'a wrong field of one',
        [{ name: 'a', material: { rough: 1 } }],
        'layers[1].material: there is no field "rough"',
      ],
      [
        'a number out of range',
        [{ name: 'a', material: { tile: 0 } }],
        'layers[1].material: tile must be a finite number above 0, at most 1000000, got 0',
      ],
      [
        'a float map',
        [{ name: 'a', material: { albedoMap: even('r32f', 1) } }],
        'layers[1].material: albedoMap must be of 8 or 16 bits a channel',
      ],
      [
        'a normal map of two channels',
        [{ name: 'a', material: { normalMap: even('rg8', 1, 1) } }],
        'normalMap must have x, y and z in the first three channels',
      ],
      [
        'a map for models',
        [{ name: 'a', material: { metallicMap: even('r8', 1) } }],
        'layers[1].material must be without metallicMap, which only models have',
      ],
      [
        'a seventeenth',
        Array.from({ length: 17 }, (_, i) => ({ name: `${i}` })),
        'layers must be a list of at most 16 layers, got 17',
      ],
      [
        'a fifth texture',
        Array.from({ length: 5 }, (_, i) => ({ name: `${i}`, weights: even('r8', i) })),
        'layers must be of at most 4 weight textures in all, got 5',
      ],
    ];
    for (const [what, layers, message] of refusals)
      it(`refuses ${what}, leaving nothing open`, () =>
        freeing(async (gpu) => {
          expect(await rejection(openLayered(layerEngine(gpu), layers as LayerOptions[]))).to.include(
            message,
          );
        }));

    it('refuses one channel for two layers, which is a channel forgotten', () =>
      freeing(async (gpu) => {
        const weights = even('rgba8', 1, 2, 3, 4);
        const layers = [
          { name: 'a', weights },
          { name: 'b', weights },
        ];
        expect(await rejection(openLayered(layerEngine(gpu), layers))).to.include(
          'layers[2].channel must be another than that of layers[1], whose weights are the same texture, got 1',
        );
      }));

    it('takes sixteen layers from four textures', async () => {
      const textures = [1, 2, 3, 4].map((seed) => noisy(4, 4, 'rgba8', seed));
      const layers = textures.flatMap((weights, t) =>
        [1, 2, 3, 4].map((channel) => ({ name: `${t}.${channel}`, weights, channel })),
      );
      await inField(layers, (_hf, field) => {
        const sum = Object.values(field.at(5, 5)).reduce((a, b) => a + b);
        expect(sum).to.be.closeTo(1, EXACT);
        expect(field.weights.length).to.equal(4);
      });
    });

    it('holds 4 bytes a texel a texture, on the GPU too', () =>
      freeing(async (gpu) => {
        const engine = layerEngine(gpu);
        const hf = await openLayered(engine, [{ name: 'a' }, { name: 'b', weights: even('r8', 1) }]);
        const before = gpu.bytes;
        const field = FieldLayers.of(hf)!;
        await field.set([{ name: 'a' }, { name: 'b', weights: noisy(64, 32, 'r8') }]);
        expect(gpu.bytes - before).to.equal(4 * (64 * 32 - 1));
        expect(field.weights[0].data.byteLength).to.equal(4 * 64 * 32);
        hf.close();
      }));
  });

  describe('setLayers', () => {
    it('changes nothing when it is refused, and takes layers off with an empty list', () =>
      inField([{ name: 'a' }], async (_hf, field, gpu) => {
        const { resources } = field;
        const before = gpu.bytes;
        expect(await rejection(field.set([{ name: 'b', weights: 'no.texture' }]))).to.include(
          'terrainHeightfield.setLayers: layers[1].weights',
        );
        expect([field.resources, gpu.bytes, field.names]).to.deep.equal([resources, before, ['a']]);
        await field.set([]);
        expect([field.resources, field.at(0, 0)]).to.deep.equal([null, {}]);
        expect(gpu.bytes).to.be.below(before);
      }));

    it('has the last call hold, in whatever order their files come', () =>
      freeing(async (gpu) => {
        const engine = layerEngine(gpu);
        for (const name of ['slow', 'fast'])
          await engine.assets.saveTexture(even('r8', 9), `${name}.texture`);
        const read = engine.files.read.bind(engine.files);
        let release = () => {};
        const held = new Promise<void>((resolve) => (release = resolve));
        engine.files.read = async (path) => {
          if (path === 'slow.texture') await held;
          return read(path);
        };
        const hf = await openLayered(engine, undefined);
        const field = FieldLayers.of(hf)!;
        const slow = field.set([{ name: 'slow', weights: 'slow.texture' }]);
        await field.set([{ name: 'fast', weights: 'fast.texture' }]);
        release();
        await slow;
        expect(field.names).to.deep.equal(['fast']);
        const late = field.set([{ name: 'a', weights: 'slow.texture' }]);
        hf.close();
        expect(await rejection(late)).to.include('this heightfield is closed');
      }));

    it('keeps maps that are the same on the GPU, and makes those anew that have changed', () =>
      freeing(async (gpu) => {
        const [map, weights] = [noisy(32, 32, 'rgba8'), even('r8', 9)];
        const list = () => [{ name: 'a' }, { name: 'b', weights, material: { albedoMap: map, tile: 2 } }];
        const hf = await openLayered(layerEngine(gpu), list());
        const field = FieldLayers.of(hf)!;
        const { resources } = field;
        const before = gpu.bytes;
        weights.update({ data: [200] });
        await hf.refresh();
        expect(field.resources).to.not.equal(resources);
        expect(field.resources!.maps).to.equal(resources!.maps);
        await field.set([
          ...list().slice(0, 1),
          { name: 'c', weights, material: { albedoMap: map, tile: 9 } },
        ]);
        expect(field.resources!.maps).to.equal(resources!.maps);
        map.update({ width: 1, height: 1, data: [1, 2, 3, 4] });
        await hf.refresh();
        expect(field.resources!.maps).to.not.equal(resources!.maps);
        expect(gpu.bytes).to.equal(before);
        hf.close();
      }));

    it('is taken back by what remember answered, what is still being loaded included', () =>
      freeing(async (gpu) => {
        const engine = layerEngine(gpu);
        await engine.assets.saveTexture(even('r8', 9), 'late.texture');
        const weights = even('rg8', 255, 0);
        const list = [1, 2].map((channel) => ({ name: `${channel}`, weights, channel }));
        const hf = await openLayered(engine, list);
        const field = FieldLayers.of(hf)!;
        const bytes = gpu.bytes;
        const back = field.remember();
        weights.update({ data: [0, 255] });
        await hf.refresh();
        await field.set([{ name: 'other' }]);
        const late = field.set([{ name: 'late', weights: 'late.texture' }]);
        back();
        await late;
        expect(field.at(0, 0)).to.deep.equal({ 1: 1, 2: 0 });
        expect(gpu.bytes).to.equal(bytes);
        await hf.refresh();
        expect(field.at(0, 0)).to.deep.equal({ 1: 0, 2: 1 });
        hf.close();
        back();
      }));

    it('takes a material by guid', () =>
      freeing(async (gpu) => {
        const engine = layerEngine(gpu);
        const guid = engine.renderer.materials.create({
          albedo: [1, 0, 0],
          albedoMap: even('rgba8', 1, 2, 3, 4),
          tile: 2,
        });
        const hf = await openLayered(engine, [{ name: 'a', material: guid }]);
        const [constants] = FieldLayers.of(hf)!.resources!.constants;
        expect([constants.albedo, constants.perMetre, constants.colorSlice]).to.deep.equal([
          [1, 0, 0],
          0.5,
          0,
        ]);
        hf.close();
      }));
  });

  describe('refresh', () => {
    it('reads the weights again, and leaves everything as it was if they are refused', () =>
      freeing(async (gpu) => {
        const weights = even('rg8', 255, 0);
        const layers = [1, 2].map((channel) => ({ name: `${channel}`, weights, channel }));
        const hf = await openLayered(layerEngine(gpu), layers);
        const field = FieldLayers.of(hf)!;
        weights.update({ data: [0, 255] });
        expect(field.at(0, 0)).to.deep.equal({ 1: 1, 2: 0 });
        await hf.refresh();
        expect(field.at(0, 0)).to.deep.equal({ 1: 0, 2: 1 });
        const { resources } = field;
        const { gen } = hf;
        weights.destroy();
        expect(await rejection(hf.refresh())).to.equal(
          'terrainHeightfield.refresh: the texture given as layers[1].weights is destroyed',
        );
        expect([hf.gen, field.resources, field.at(0, 0)]).to.deep.equal([gen, resources, { 1: 0, 2: 1 }]);
        hf.close();
      }));
  });

  describe('in a .terrainData', () => {
    /** A container with two layers, and what they name. */
    async function written(gpu: Gpu) {
      const engine = layerEngine(gpu);
      const ground = flatTexture();
      const weights = noisy(4, 4, 'rg8', 2);
      const map = noisy(8, 8, 'rgba8', 3);
      await engine.assets.saveTexture(ground, 'ground.texture');
      await engine.assets.saveTexture(weights, 'weights.texture');
      await engine.assets.saveTexture(map, 'map.texture');
      const layers: LayerOptions[] = [
        { name: 'sand', material: { albedoMap: map, tile: 3, roughness: 0.9 } },
        {
          name: 'rock',
          weights,
          channel: 2,
          material: { albedo: [0.2, 0.2, 0.2], normalMap: 'map.texture' },
        },
      ];
      await writeTerrainData(engine.assets, 'g.terrainData', { heightfield: 'ground.texture', layers });
      return { engine, weights, layers };
    }

    it('come back as they went, textures by path, and guids do as well', () =>
      freeing(async (gpu) => {
        const { engine, weights } = await written(gpu);
        const json = JSON.parse(new TextDecoder().decode(engine.files.stored.get('g.terrainData')));
        expect(json.layers).to.deep.equal([
          { name: 'sand', material: { albedoMap: 'map.texture', tile: 3, roughness: 0.9 } },
          {
            name: 'rock',
            weights: 'weights.texture',
            channel: 2,
            material: { albedo: [0.2, 0.2, 0.2], normalMap: 'map.texture' },
          },
        ]);
        json.layers[1].weights = weights.guid;
        engine.files.stored.set('g.terrainData', new TextEncoder().encode(JSON.stringify(json)));
        const hf = await openHeightfield(engine, 'g.terrainData');
        const field = FieldLayers.of(hf)!;
        expect(field.at(-1, 7).rock).to.be.closeTo(judge(weights, 1, 31 / 64, 39 / 64), EXACT);
        hf.close();
      }));

    it('are outranked by layers given, and by setLayers from then on', () =>
      freeing(async (gpu) => {
        const { engine } = await written(gpu);
        const none = await openHeightfield(engine, 'g.terrainData', { layers: [] });
        expect(FieldLayers.of(none)!.names).to.deep.equal([]);
        await none.refresh();
        expect(FieldLayers.of(none)!.names).to.deep.equal([]);
        none.close();
        const hf = await openHeightfield(engine, 'g.terrainData');
        await FieldLayers.of(hf)!.set([{ name: 'mine' }]);
        await hf.refresh();
        expect(FieldLayers.of(hf)!.names).to.deep.equal(['mine']);
        hf.close();
      }));

    it('are read anew by a refresh', () =>
      freeing(async (gpu) => {
        const { engine } = await written(gpu);
        const hf = await openHeightfield(engine, 'g.terrainData');
        await writeTerrainData(engine.assets, 'g.terrainData', {
          heightfield: 'ground.texture',
          layers: [{ name: 'ice' }],
        });
        await hf.refresh();
        expect(FieldLayers.of(hf)!.names).to.deep.equal(['ice']);
        hf.close();
      }));

    it('name what is wrong: the file, the layer, the part', () =>
      freeing(async (gpu) => {
        const { engine } = await written(gpu);
        const text = new TextDecoder().decode(engine.files.stored.get('g.terrainData'));
        const open = (change: (json: { layers: Record<string, unknown>[] }) => void) => {
          const json = JSON.parse(text);
          change(json);
          engine.files.stored.set('g.terrainData', new TextEncoder().encode(JSON.stringify(json)));
          return rejection(openHeightfield(engine, 'g.terrainData'));
        };
        expect(await open((json) => (json.layers[1].wieghts = 1))).to.include(
          'g.terrainData: layers[2]: there is no field "wieghts"',
        );
        expect(await open((json) => (json.layers[1].material = 'guid'))).to.include(
          'layers[2].material must be the fields of a material, got "guid"',
        );
        expect(await open((json) => (json.layers[1].weights = { path: 'x' }))).to.include(
          'layers[2].weights must be the path or guid of a texture',
        );
        expect(await open((json) => (json.layers[0].material = { albedoMap: 3 }))).to.include(
          'layers[1].material.albedoMap must be the path or guid of a texture, got 3',
        );
        const half = engine.files.stored.get('weights.texture')!;
        engine.files.stored.set('weights.texture', half.slice(0, half.length >> 1));
        const message = await open(() => {});
        expect(message).to.include('layers[2].weights').and.to.include('weights.texture');
      }));

    it('are refused by terrain.write where a file is missing, and nothing is written', () =>
      freeing(async (gpu) => {
        const { engine } = await written(gpu);
        const write = (layers: LayerOptions[]) =>
          rejection(
            writeTerrainData(engine.assets, 'n.terrainData', { heightfield: 'ground.texture', layers }),
          );
        expect(await write([{ name: 'a', weights: even('r8', 1) }])).to.include(
          'terrain.write: layers[1].weights must be a texture with a file, got the 1×1 r8 texture; write it with texture.write first',
        );
        expect(await write([{ name: 'a', material: { albedoMap: even('r8', 1) } }])).to.include(
          'layers[1].material.albedoMap must be a texture with a file',
        );
        expect(await write([{ name: 'a', material: 'guid' }])).to.include(
          'layers[1].material must be written out',
        );
        expect(await write([{ name: 'a', weights: 'gone.texture' }])).to.include(
          'there is no file "gone.texture"',
        );
        expect(engine.files.stored.has('n.terrainData')).to.equal(false);
      }));
  });
});
