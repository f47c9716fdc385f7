import { expect } from 'chai';
import { BuiltSlots, type BuiltNode } from '../../runtime/terrain/builtSlots.js';
import { Cut } from '../../runtime/terrain/cut.js';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { freeing } from '../support/gpu.js';
import { fieldTexture, GROUNDS, makeMesh, openField, PoolReading } from '../support/terrain.js';

describe('BuiltSlots', () => {
  const hf = Heightfield.fromTexture(fieldTexture(64, 64, GROUNDS.hilly, [64, 64]));
  const cut = new Cut({ hf, nodeVerts: 9, maxNodes: 64 });
  const node: BuiltNode = { level: 2, ix: 1, iz: 3, coarseMask: 4, base: 1, still: false };

  it('holds a node of one generation, from one view', () => {
    const slots = new BuiltSlots(cut);
    expect(slots.holds(5, node, 1, 7)).to.equal(false);
    slots.put(5, node, 1, 7);
    expect(slots.holds(5, node, 1, 7)).to.equal(true);
    expect(slots.holds(5, node, 2, 7)).to.equal(false);
    expect(slots.holds(4, node, 1, 7)).to.equal(false);
    for (const change of [{ level: 3 }, { ix: 0 }, { iz: 2 }, { coarseMask: 0 }])
      expect(slots.holds(5, { ...node, ...change }, 1, 7)).to.equal(false);
  });

  it('holds a node from another view only if it was still in both', () => {
    const slots = new BuiltSlots(cut);
    slots.put(5, node, 1, 7);
    expect(slots.holds(5, node, 1, 8)).to.equal(false);
    expect(slots.holds(5, { ...node, still: true }, 1, 8)).to.equal(false);
    slots.put(5, { ...node, still: true }, 1, 7);
    expect(slots.holds(5, { ...node, still: true }, 1, 8)).to.equal(true);
    expect(slots.holds(5, node, 1, 8)).to.equal(false);
  });

  it('forgets the nodes that meet a marked rect, grown by a texel, and no others', () => {
    const slots = new BuiltSlots(cut);
    slots.put(5, node, 1, 7); // the square -16..0, 16..32 of 64 m
    const rects: [number, number, number, number, boolean][] = [
      [1, 20, 9, 21, true],
      [1.01, 20, 9, 21, false],
      [-40, -40, -17, 15, true],
      [-40, -40, -17, 14.99, false],
      [-8, 24, -8, 24, true],
    ];
    for (const [minX, minZ, maxX, maxZ, meets] of rects) {
      expect(slots.meets(5, { minX, minZ, maxX, maxZ }, false)).to.equal(meets);
      slots.put(5, node, 1, 7);
      slots.mark({ minX, minZ, maxX, maxZ }, false);
      expect(slots.holds(5, node, 1, 7)).to.equal(!meets);
    }
  });

  it('has a node that was marked while it was away built again when it comes back', () =>
    freeing(async (gpu) => {
      const field = openField(gpu, fieldTexture(64, 64, GROUNDS.hilly, [64, 64]));
      const near = { x: -20, y: 25, z: -20 };
      const { mesh } = await makeMesh(gpu, field, { camera: near, nodeVerts: 9, maxNodes: 128 });
      const before = await PoolReading.of(mesh);
      mesh.updateCut({ x: 25, y: 25, z: 25 });
      mesh.invalidate({ minX: -64, minZ: -64, maxX: 64, maxZ: 64 });
      mesh.updateCut({ x: 25, y: 25, z: 25 });
      const { remeshed, nodes } = mesh.updateCut(near);
      expect(remeshed).to.equal(nodes);
      // The same nodes in whatever slots, to the bit.
      const after = await PoolReading.of(mesh);
      const slotOf = new Map(after.nodes.map((n) => [`${n.level},${n.ix},${n.iz}`, n.slot]));
      for (const { level, ix, iz, slot } of before.nodes)
        expect(after.key(slotOf.get(`${level},${ix},${iz}`)!, 3, 5)).to.equal(before.key(slot, 3, 5));
      mesh.destroy();
      field.close();
    }));
});
