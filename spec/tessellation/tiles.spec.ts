import { expect } from 'chai';
import { VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import type { Runtime } from '../../runtime/runtime.js';
import type { Entity } from '../../runtime/world/entity.js';
import { runFixture, runScene } from '../support/lua.js';
import { inWorld } from '../support/boundaries.js';

const drawnOf = ({ renderer }: Runtime, entity: Entity) =>
  renderer.meshes.get(entity.components.get('MeshInstance')!.get('mesh') as string);

/** The different places in the world at which the drawn vertices of an entity stand. */
async function placesOf(runtime: Runtime, name: string): Promise<number[][]> {
  const entity = runtime.world.find(name)!;
  const { vertexBuffer, indexBuffer, indexCount } = drawnOf(runtime, entity);
  const words = await vertexBuffer.read({ type: 'f32' });
  const indices = await indexBuffer.read({ count: indexCount, type: 'u32' });
  const places = new Map<string, number[]>();
  for (const index of indices) {
    const place = inWorld(entity.worldMatrix, words, index * VERTEX_WORDS);
    places.set(place.join(), [...place]);
  }
  return [...places.values()];
}

/** Three tiles in a row and one at the corner of the last two; tile 5 is elsewhere. */
const ROW = `
  mesh = renderer.mesh.plane { width = 2, depth = 2 }
  function rough(seed)
    return renderer.material.create { displacementMap = texture.create { width = 5, height = 5, format = "r8",
      data = function(col, row) return (col * 37 + row * 91 + seed * 53) % 256 end } }
  end
  tiles, tess = {}, {}
  function tile(k, x, z, level)
    tiles[k] = entity.create("tile" .. k, { position = { x, 0, z } })
    tiles[k].component.add("Model", { mesh = mesh, material = rough(k) })
    tess[k] = tiles[k].component.add("Tessellation", { level = level, displacementScale = 0.3 })
  end
  tile(1, 0, 0, 4)
  tile(2, 2, 0, 2)
  tile(3, 4, 0, 3)
  tile(4, 6, 2, 1)
  tile(5, 40, 0, 2)
`;

describe('tessellated tiles', () => {
  it('meet as it is documented: the finer’s edge is on the coarser’s lattice', async () => {
    const { lines } = await runFixture('tiles.lua', {
      frames: 3,
      look: async ({ runtime }) => {
        const [west, east] = await Promise.all(
          ['tile_west', 'tile_east'].map((name) => placesOf(runtime, name)),
        );
        const keys = new Set(east.map((place) => place.join()));
        const shared = west.filter((place) => keys.has(place.join()));
        // 2^2 + 1 points, bit-equal in the world, displaced by as much as the map says.
        expect(shared).to.have.length(5);
        expect(shared.map(([x]) => x)).to.deep.equal([0, 0, 0, 0, 0]);
        expect(new Set(shared.map(([, y]) => y)).size).to.be.greaterThan(2);
        // West has none but these at x = 0.
        expect(west.filter(([x]) => x === 0)).to.have.length(5);
      },
    });
    expect(lines).to.deep.equal(['\t0\t0', 'ok\t1\t0', 'ok\t1\t0']);
  });

  it('bake again when one that they meet changes its level, moves away, goes or comes: these and no others', async () => {
    await runScene(ROW, {
      frames: 1,
      look: async ({ runtime, lua }) => {
        const meshes = () =>
          new Map(
            runtime.world
              .query('Tessellation')
              .map((entity) => [entity.name, drawnOf(runtime, entity)] as const),
          );
        const rebaked = async (source: string) => {
          const before = meshes();
          const { bakes } = runtime.tessellation.stats();
          await lua.run(source, 'change.lua');
          await runtime.frame(0);
          const changed = [...meshes()]
            .filter(([name, mesh]) => before.get(name) !== mesh)
            .map(([name]) => name);
          // Once each.
          expect(runtime.tessellation.stats().bakes - bakes).to.equal(changed.length);
          await runtime.frame(0);
          return changed.map((name) => Number(name.slice(4))).sort();
        };
        const stitched = () =>
          ['tile1', 'tile2', 'tile3', 'tile4', 'tile5'].map((name) =>
            runtime.world.find(name)?.components.get('Tessellation')!.get('stitchedEdges'),
          );
        expect(stitched()).to.deep.equal([1, 0, 1, 0, 0]);
        expect(await rebaked('')).to.deep.equal([]);
        // Tile 2 owned both edges: they go to its neighbours, at levels 4 and 3.
        expect(await rebaked('tess[2].level = 5')).to.deep.equal([1, 2, 3]);
        expect(stitched()).to.deep.equal([0, 2, 0, 0, 0]);
        // Tile 4 meets tile 3 at a corner, and owns it.
        expect(await rebaked('tess[4].displacementScale = 0.2')).to.deep.equal([3, 4]);
        expect(await rebaked('tiles[4].position = { 6, 5, 2 }')).to.deep.equal([3, 4]);
        expect(await rebaked('tiles[4].position = { 7, 5, 2 }')).to.deep.equal([]);
        expect(await rebaked('tiles[4].position = { 6, 0, 2 }')).to.deep.equal([3, 4]);
        expect(await rebaked('tiles[2].position = { 2, 3, 0 }')).to.deep.equal([1, 2, 3]);
        expect(stitched()).to.deep.equal([0, 0, 0, 0, 0]);
        expect(await rebaked('tiles[2].position = { 2, 0, 0 }')).to.deep.equal([1, 2, 3]);
        expect(await rebaked('tess[1].stitch = false')).to.deep.equal([1]);
        expect(await rebaked('tess[1].stitch = true')).to.deep.equal([1]);
        expect(await rebaked('tiles[1]:destroy()')).to.deep.equal([2]);
        expect(stitched()).to.deep.equal([undefined, 1, 0, 0, 0]);
        expect(await rebaked('tile(1, 0, 0, 4)')).to.deep.equal([1, 2]);
        expect(await rebaked('tiles[3].component.remove("Tessellation")')).to.deep.equal([2, 4]);
        expect(await rebaked('tiles[5].position = { 60, 0, 0 }')).to.deep.equal([]);
      },
    });
  });

  it('move as one under a parent without a bake', async () => {
    await runScene(
      `${ROW}
      raft = entity.create("raft")
      for _, one in ipairs(tiles) do one.parent = raft end`,
      {
        frames: 1,
        look: async ({ runtime, lua }) => {
          const { bakes } = runtime.tessellation.stats();
          for (let frame = 0; frame < 5; frame++) {
            await lua.run(`raft.position = { ${frame * 0.7}, ${frame}, 0 }`, 'move.lua');
            await runtime.frame(0);
          }
          expect(runtime.tessellation.stats().bakes).to.equal(bakes);
        },
      },
    );
  });
});
