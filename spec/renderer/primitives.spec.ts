import { expect } from 'chai';
import { box, cylinder, plane, sphere, type Geometry } from '../../runtime/renderer/primitives.js';
import { judgeTangents, unmatchedEdges } from '../support/geometryJudge.js';
import { icosphere, mirroredQuads, seamedCylinder } from '../support/tessellationSources.js';

/** Degrees: float32 tangents of flat shapes. */
const FLAT = 0.05;

describe('tangents against the derivatives of the uvs', () => {
  // On a round shape a corner's tangent is the surface's, and a triangle's derivative that of its middle: apart by at most half a
  // segment around, and by what the triangle leans.
  const shapes: [string, Geometry, number][] = [
    ['plane', plane({ width: 3, depth: 2, columns: 4, rows: 3 }), FLAT],
    ['box', box({ size: [1, 2, 3] }), FLAT],
    ['sphere', sphere({ segments: 64, rings: 32 }), 180 / 64 + 1],
    ['sphere of few triangles', sphere({ segments: 8, rings: 6 }), 180 / 8 + 1],
    ['cylinder', cylinder({ segments: 24 }), 180 / 24 + 0.1],
    ['cylinder, wider at the top', cylinder({ topRadius: 1, segments: 24 }), 180 / 24 + 0.1],
    ['cone', cylinder({ topRadius: 0, segments: 24 }), 180 / 24 + 0.1],
    ['two mirrored quads', mirroredQuads(), FLAT],
    ['cylinder with a seam', seamedCylinder(24), 180 / 24 + 0.1],
    // Five triangles meet at its poles, a fifth of a turn each.
    ['icosphere', icosphere(3), 36.1],
  ];
  for (const [name, shape, degrees] of shapes)
    it(`${name}: along the way u grows, w the side on which v falls, within ${degrees.toFixed(2)}°`, () => {
      const found = judgeTangents(shape);
      expect(found.judged).to.equal(found.corners);
      expect(found.worstDegrees).to.be.at.most(degrees);
      expect(found.wrongHands).to.equal(0);
      expect(found.worstLength).to.be.below(1e-6);
      expect(found.worstSlant).to.be.below(1e-6);
    });
});

describe('meshes for displacement', () => {
  it('have twins of the same bits: they are closed but for the quads’ outer rim', () => {
    expect(icosphere(0).indices.length / 3).to.equal(20);
    for (const steps of [0, 1, 3]) expect(unmatchedEdges(icosphere(steps))).to.equal(0);
    for (const segments of [3, 8, 24]) expect(unmatchedEdges(seamedCylinder(segments))).to.equal(0);
    expect(unmatchedEdges(mirroredQuads())).to.equal(6);
    expect(unmatchedEdges(box())).to.equal(0);
  });

  it('have seams: vertices that share a place and not a uv', () => {
    for (const shape of [icosphere(1), seamedCylinder()])
      expect(shape.vertices.length / 23).to.be.above(new Set(placesOf(shape)).size);
    const quads = mirroredQuads();
    expect(quads.vertices.length / 23 - new Set(placesOf(quads)).size).to.equal(2);
  });
});

function placesOf({ vertices }: Geometry): string[] {
  return Array.from({ length: vertices.length / 23 }, (_, i) =>
    Array.from(vertices.subarray(i * 23, i * 23 + 3), (part) => part + 0).join(),
  );
}
