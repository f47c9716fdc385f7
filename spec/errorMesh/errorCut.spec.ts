// What is drawn from a camera: judged by the formulas of the article written out again, by projections of wgpu-matrix, and against meshes
// that were made anew.
import { expect } from 'chai';
import fc from 'fast-check';
import { mat4d, vec4d } from 'wgpu-matrix';
import { ErrorCut, Mark } from '../../runtime/errorMesh/errorCut.js';
import { ErrorRun } from '../../runtime/errorMesh/errorRun.js';
import { ErrorTree } from '../../runtime/errorMesh/errorTree.js';
import { ErrorView, Seen, type ErrorCamera } from '../../runtime/errorMesh/errorView.js';
import { StopLattice } from '../../runtime/errorMesh/stopLattice.js';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { noise } from '../../runtime/terrain/noise.js';
import { toTexture } from '../../runtime/terrain/toTexture.js';
import { Texture } from '../../runtime/texture/texture.js';
import { endsGround, groundArea, judge } from '../support/errorMesh.js';
import { randomFrom } from '../support/fields.js';

const WHERE = 'terrainErrorMesh.update';
const SHADOWS = { hidden: 4 };

/** Hills of `width` × `height` texels, a metre each, with holes in `share` of blocks of 3 × 3 texels. */
function hills(width: number, height: number, share = 0, seed = 1): ErrorTree {
  const texture = toTexture(noise({ width, height, amplitude: 20, frequency: 3, seed }));
  const holes =
    share > 0
      ? Texture.create({
          ...{ width, height, format: 'r8' },
          data: (col, row) => [
            randomFrom(Math.floor(col / 3) * 7919 + Math.floor(row / 3))() < share ? 0 : 255,
          ],
        })
      : undefined;
  return new ErrorTree(new StopLattice(Heightfield.fromTexture(texture, { holes })));
}

const camera = (over: Partial<ErrorCamera> = {}): ErrorCamera => ({
  position: { x: 0, y: 60, z: 90 },
  forward: { x: 0, y: -0.4, z: -1 },
  up: { x: 0, y: 1, z: 0 },
  ...{ fovY: 60, aspect: 16 / 9, near: 0.1 },
  ...over,
});

function viewOf(over: Partial<ErrorCamera> = {}): ErrorView {
  const view = new ErrorView();
  view.setCamera(WHERE, camera(over), 720);
  return view;
}

/** Cameras anywhere over, in, beside and under the field, looking anywhere. */
const cameras = fc.record({ seed: fc.nat(2 ** 31), near: fc.constantFrom(0.1, 5) }).map(({ seed, near }) => {
  const random = randomFrom(seed);
  const spread = (reach: number) => reach * (2 * random() - 1);
  return camera({
    position: { x: spread(90), y: spread(50) + 10, z: spread(90) },
    forward: { x: spread(1), y: spread(1), z: spread(1) },
    up: { x: spread(1), y: spread(1), z: spread(1) },
    ...{ fovY: 20 + 80 * random(), aspect: 0.5 + 2 * random(), near },
  });
});

interface Leaf {
  id: number;
  level: number;
  ix: number;
  iz: number;
  mark: Mark;
}

/** Nodes that the cut came to and did not split. */
function leaves(cut: ErrorCut): Leaf[] {
  const { nodes } = cut.tree;
  const found: Leaf[] = [];
  const go = (level: number, ix: number, iz: number): void => {
    const id = nodes.id(level, ix, iz);
    const mark = (cut.flags[id] - cut.base) as Mark;
    if (mark !== Mark.Split && mark !== Mark.SplitHidden) return void found.push({ id, level, ix, iz, mark });
    if (level === 1) return;
    for (let z = 2 * iz; z < Math.min(2 * iz + 2, nodes.rows[level - 1]); z++)
      for (let x = 2 * ix; x < Math.min(2 * ix + 2, nodes.columns[level - 1]); x++) go(level - 1, x, z);
  };
  go(nodes.top, 0, 0);
  return found;
}

function boxOf(tree: ErrorTree, { id, level, ix, iz }: Leaf) {
  const { lattice, nodes } = tree;
  const [x, z] = [ix << level, iz << level];
  return {
    min: [lattice.worldX[x], tree.lows[id], lattice.worldZ[z]],
    max: [
      lattice.worldX[Math.min(x + 2 ** level, nodes.cellsX)],
      tree.highs[id],
      lattice.worldZ[Math.min(z + 2 ** level, nodes.cellsZ)],
    ],
  };
}

const all = ({ seen, hidden }: ErrorRun) => [
  ...seen.indices.subarray(0, seen.count),
  ...hidden.indices.subarray(0, hidden.count),
];

describe('errorMesh cut', () => {
  it('measures an error as the article does: by the intercept theorem, along the picture’s up axis', () => {
    fc.assert(
      fc.property(cameras, fc.double({ min: 0.01, max: 50, noNaN: true }), (eye, error) => {
        const view = new ErrorView();
        view.setCamera(WHERE, eye, 720);
        // Looked at by a matrix of its own: row 1 is the up axis.
        const target = ['x', 'y', 'z'].map((k) => eye.position[k as 'x'] + eye.forward[k as 'x']);
        const m = mat4d.lookAt([eye.position.x, eye.position.y, eye.position.z], target, [
          eye.up.x,
          eye.up.y,
          eye.up.z,
        ]);
        for (const distance of [0, 0.05, 3, 400]) {
          const onNear = (error * Math.abs(m[5]) * eye.near) / Math.max(distance, eye.near);
          const nearHeight = 2 * eye.near * Math.tan((eye.fovY * Math.PI) / 360);
          expect(view.percentOf(error, distance)).to.be.closeTo(
            (100 * onNear) / nearHeight,
            1e-6 * (1 + onNear / nearHeight),
          );
        }
      }),
    );
  });

  it('says outside only of boxes that the picture shows nothing of, and inside only of those it shows whole', () => {
    const met = { [Seen.Outside]: 0, [Seen.Crossing]: 0, [Seen.Inside]: 0 };
    const tree = hills(40, 30);
    const { lattice } = tree;
    fc.assert(
      fc.property(cameras, (eye) => {
        const view = new ErrorView();
        view.setCamera(WHERE, eye, 720);
        const { position: p, forward: f, up } = eye;
        const look = mat4d.lookAt([p.x, p.y, p.z], [p.x + f.x, p.y + f.y, p.z + f.z], [up.x, up.y, up.z]);
        const clip = mat4d.multiply(
          mat4d.perspective((eye.fovY * Math.PI) / 180, eye.aspect, eye.near, 1e6),
          look,
        );
        const shown = (stop: number) => {
          const at = vec4d.create(
            lattice.worldX[stop % lattice.cols],
            lattice.heights[stop],
            lattice.worldZ[Math.floor(stop / lattice.cols)],
            1,
          );
          const [x, y, z, w] = vec4d.transformMat4(at, clip);
          const slack = 1e-6 * (1 + Math.abs(w));
          return {
            surely: w > 0 && Math.abs(x) < w - slack && Math.abs(y) < w - slack && z > slack,
            maybe: w > 0 && Math.abs(x) < w + slack && Math.abs(y) < w + slack && z > -slack,
          };
        };
        const cut = new ErrorCut(tree);
        cut.select(view, 2);
        for (const leaf of leaves(cut)) {
          const { min, max } = boxOf(tree, leaf);
          view.box.set([...min, ...max]);
          const seen = view.sees();
          met[seen]++;
          const side = 2 ** leaf.level;
          for (let j = leaf.iz * side; j <= Math.min((leaf.iz + 1) * side, tree.nodes.cellsZ); j++) {
            for (let i = leaf.ix * side; i <= Math.min((leaf.ix + 1) * side, tree.nodes.cellsX); i++) {
              const { surely, maybe } = shown(j * lattice.cols + i);
              if (leaf.mark === Mark.Hidden) expect(surely, 'culled and seen').to.equal(false);
              if (seen === Seen.Inside) expect(maybe, 'inside and not seen').to.equal(true);
            }
          }
        }
      }),
      { numRuns: 80 },
    );
    expect(Math.min(...Object.values(met)), JSON.stringify(met)).to.be.above(50);
  });

  it('draws nodes whose error looks smaller than the threshold, and splits no other', () => {
    const tree = hills(50, 61);
    fc.assert(
      fc.property(cameras, fc.double({ min: 0.2, max: 8, noNaN: true }), (eye, threshold) => {
        const view = new ErrorView();
        view.setCamera(WHERE, eye, 720);
        const cut = new ErrorCut(tree);
        cut.select(view, threshold);
        const { x, y, z } = eye.position;
        const percentOf = (leaf: Leaf) => {
          const { min, max } = boxOf(tree, leaf);
          const away = [x, y, z].map((p, k) => Math.max(min[k] - p, 0, p - max[k]));
          return view.percentOf(tree.errors[leaf.id], Math.hypot(...away));
        };
        let most = 0;
        for (const leaf of leaves(cut)) {
          if (leaf.mark !== Mark.Drawn) continue;
          expect(percentOf(leaf)).to.be.below(threshold);
          most = Math.max(most, percentOf(leaf));
          if (leaf.level === tree.nodes.top) continue;
          const [ix, iz] = [leaf.ix >> 1, leaf.iz >> 1];
          const parent = {
            ...leaf,
            id: tree.nodes.id(leaf.level + 1, ix, iz),
            level: leaf.level + 1,
            ix,
            iz,
          };
          expect(percentOf(parent)).to.be.at.least(threshold);
        }
        expect(cut.maxErrorPercent).to.be.closeTo(most, 1e-9);
      }),
      { numRuns: 60 },
    );
  });

  it('is one sheet without a crack, whatever is outside the view and however coarse that is', () => {
    for (const tree of [hills(70, 41), hills(65, 64, 0.1), hills(1, 90), hills(64, 1, 0.2)]) {
      const area = groundArea(tree.lattice);
      fc.assert(
        fc.property(cameras, fc.constantFrom(0, 0.1, 1, 5), (eye, threshold) => {
          const view = new ErrorView();
          view.setCamera(WHERE, eye, 720);
          const cut = new ErrorCut(tree);
          cut.select(view, threshold, { hidden: 4 });
          const run = new ErrorRun(cut);
          run.build();
          const judged = judge(tree.lattice, all(run));
          expect([judged.turned, judged.bad, judged.area]).to.deep.equal([0, 0, area]);
          for (const edge of judged.open) expect(endsGround(tree.lattice, edge)).to.equal(true);
          // What is in the view alone is closed too, but for where the rest begins.
          const seen = judge(tree.lattice, run.seen.indices.subarray(0, run.seen.count));
          expect([seen.turned, seen.bad]).to.deep.equal([0, 0]);
        }),
        { numRuns: 15 },
      );
    }
  });

  it('builds after any moves what it would build anew, and only the squares that changed', () => {
    const tree = hills(200, 130, 0.02);
    const cut = new ErrorCut(tree);
    const run = new ErrorRun(cut);
    const view = new ErrorView();
    const random = randomFrom(5);
    let rebuilt = 0;
    let units = 0;
    for (let step = 0; step < 120; step++) {
      // Small moves, now and then a leap, no move at all, another threshold or no shadows.
      const far = step % 17 === 0 ? 80 * random() : 0.4 * step;
      view.setCamera(WHERE, camera({ position: { x: far - 30, y: 40, z: 60 - far } }), 720);
      const threshold = step % 29 === 0 ? 0.3 : 1;
      const hidden = step % 41 === 0 ? 0 : 4;
      cut.select(view, threshold, { hidden });
      if (cut.changed) run.build();
      const fresh = new ErrorCut(tree);
      fresh.select(view, threshold, { hidden });
      const anew = new ErrorRun(fresh);
      anew.build();
      for (const part of ['seen', 'hidden'] as const) {
        const [is, should] = [run[part], anew[part]];
        expect(is.indices.slice(0, is.count), `step ${step}, ${part}`).to.deep.equal(
          should.indices.slice(0, should.count),
        );
      }
      if (step % 17 > 1 && step % 29 > 1 && step % 41 > 1 && cut.changed) {
        rebuilt += run.rebuilt;
        units += run.units;
      }
    }
    expect(units).to.be.above(1000);
    expect(rebuilt / units, 'part of the squares built again').to.be.below(0.35);
  });

  it('has nothing to build where the camera stands', () => {
    const cut = new ErrorCut(hills(64, 64));
    const view = viewOf();
    cut.select(view, 1);
    expect(cut.changed).to.equal(true);
    cut.select(view, 1);
    expect(cut.changed).to.equal(false);
  });

  it('needs no more triangles as the threshold rises', () => {
    const tree = hills(130, 99, 0.05);
    fc.assert(
      fc.property(cameras, (eye) => {
        const view = new ErrorView();
        view.setCamera(WHERE, eye, 720);
        let before = Infinity;
        for (const threshold of [0, 0.1, 0.3, 1, 2, 3, 5, 8, 20]) {
          const cut = new ErrorCut(tree);
          cut.select(view, threshold, { cull: false });
          const run = new ErrorRun(cut);
          run.build();
          expect(run.seen.count).to.be.at.most(before);
          before = run.seen.count;
        }
      }),
      { numRuns: 20 },
    );
  });

  it('draws the coarsest mesh straight down, where no error shows, and every cell at a threshold of 0', () => {
    const tree = hills(64, 33);
    const down = viewOf({
      position: { x: 0, y: 500, z: 0 },
      forward: { x: 0, y: -1, z: 0 },
      up: { x: 0, y: 0, z: -1 },
    });
    expect(down.upright).to.equal(0);
    const cut = new ErrorCut(tree);
    const run = new ErrorRun(cut);
    cut.select(down, 0.01);
    run.build();
    expect([cut.drawn, cut.split, cut.maxErrorPercent]).to.deep.equal([1, 0, 0]);
    expect(run.seen.count / 3).to.equal(4);
    cut.select(down, 0);
    run.build();
    expect(run.seen.count / 3).to.equal(2 * 65 * 34);
  });

  it('stands in, under and beside the ground', () => {
    const tree = hills(64, 64);
    for (const position of [
      { x: 0, y: tree.lattice.heights[33 * 66 + 33], z: 0 },
      { x: 0, y: -200, z: 0 },
      { x: 4000, y: 3, z: 0 },
    ]) {
      const cut = new ErrorCut(tree);
      cut.select(viewOf({ position, forward: { x: -1, y: 0, z: 0 } }), 1, { hidden: 4 });
      const run = new ErrorRun(cut);
      run.build();
      expect(judge(tree.lattice, all(run)).area).to.equal(groundArea(tree.lattice));
    }
  });

  it('allocates nothing while the camera moves', () => {
    const tree = hills(150, 150);
    const cut = new ErrorCut(tree);
    const run = new ErrorRun(cut);
    const views = Array.from({ length: 256 }, (_, k) => {
      const turn = (k * 2 * Math.PI) / 256;
      return viewOf({ position: { x: 60 * Math.sin(turn), y: 50, z: 60 * Math.cos(turn) } });
    });
    let step = 0;
    const go = (steps: number) => {
      for (const end = step + steps; step < end; step++) {
        cut.select(views[step % views.length], 0.5, SHADOWS);
        if (cut.changed) run.build();
      }
    };
    go(2048);
    // In windows, of which the middle one counts: a collection in one, or code that V8 makes, is no update's own.
    const perStep = Array.from({ length: 11 }, () => {
      const before = process.memoryUsage().heapUsed;
      go(256);
      return (process.memoryUsage().heapUsed - before) / 256;
    });
    expect(perStep.sort((a, b) => a - b)[5], 'bytes an update').to.be.within(-100, 100);
  });

  it('refuses cameras that are none, by name', () => {
    const refused = (over: object, message: RegExp) =>
      expect(() => viewOf(over as Partial<ErrorCamera>)).to.throw(message);
    refused(
      { forward: { x: 0, y: 0, z: 0 } },
      /^terrainErrorMesh\.update: forward must be a direction of a length above 0, got/,
    );
    refused({ up: { x: 0, y: 0, z: 0 } }, /^terrainErrorMesh\.update: up must be a direction/);
    refused({ up: { x: 0, y: -0.8, z: -2 } }, /^terrainErrorMesh\.update: up must not point along forward/);
    refused(
      { position: { x: NaN, y: 0, z: 0 } },
      /^terrainErrorMesh\.update: position\.x must be a finite number, got NaN/,
    );
    refused({ position: undefined }, /^terrainErrorMesh\.update: position\.x must be/);
    refused(
      { fovY: 180 },
      /^terrainErrorMesh\.update: fovY must be a number of degrees above 0 and under 180, got 180/,
    );
    refused({ fovY: 0 }, /^terrainErrorMesh\.update: fovY must be a finite number above 0, got 0/);
    refused({ aspect: -1 }, /^terrainErrorMesh\.update: aspect must be/);
    refused({ near: 0 }, /^terrainErrorMesh\.update: near must be/);
    refused({ height: 0 }, /^terrainErrorMesh\.update: height must be/);
  });
});
