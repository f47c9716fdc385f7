// How large an error may look, and how a frame time moves that.
import { expect } from 'chai';
import { Threshold } from '../../runtime/errorMesh/threshold.js';

const WHERE = 'terrainErrorMesh.create';
const make = (options: object) => new Threshold(WHERE, options);

describe('errorMesh threshold', () => {
  it('stands at the finest end of its quality, medium by default', () => {
    const at = (options: object) => make(options).percent(1080);
    expect([
      at({}),
      at({ quality: 'high' }),
      at({ quality: 'medium' }),
      at({ quality: 'low' }),
    ]).to.deep.equal([1, 0.1, 1, 3]);
  });

  it('takes percent and pixels, and raises what is finer than half a pixel, but for 0', () => {
    expect(make({ maxError: 2.5 }).percent(720)).to.equal(2.5);
    expect(make({ maxErrorPx: 3 }).percent(600)).to.equal(0.5);
    expect(make({ maxErrorPx: 0.1 }).percent(500)).to.equal(0.1);
    expect(make({ maxError: 0.001 }).percent(250)).to.equal(0.2);
    expect(make({ quality: 'high' }).percent(100)).to.equal(0.5);
    expect([make({ maxError: 0 }).percent(720), make({ maxErrorPx: 0 }).percent(720)]).to.deep.equal([0, 0]);
  });

  it('moves within its bounds toward the target frame time, and no further', () => {
    for (const [quality, low, high] of [
      ['high', 0.1, 1],
      ['medium', 1, 3],
      ['low', 3, 8],
    ] as const) {
      const threshold = make({ quality, targetMs: 16 });
      const steps: number[] = [];
      for (let k = 0; k < 80; k++) {
        threshold.steer(40);
        steps.push(threshold.percent(4000));
      }
      steps.slice(1).forEach((step, k) => expect(step).to.be.within(steps[k], steps[k] * 1.1 + 1e-12));
      expect(steps.at(-1)).to.equal(high);
      for (let k = 0; k < 200; k++) threshold.steer(4);
      expect(threshold.percent(4000)).to.equal(low);
    }
  });

  it('settles where a frame takes as long as it should', () => {
    // A frame whose time falls with the threshold: 16 ms at 2 percent.
    const threshold = make({ quality: 'medium', targetMs: 16 });
    const frame = () => 6 + 20 / threshold.percent(1080);
    for (let k = 0; k < 300; k++) threshold.steer(frame());
    expect(frame()).to.be.closeTo(16, 1.2);
    const settled = threshold.percent(1080);
    for (let k = 0; k < 50; k++) threshold.steer(frame());
    expect(threshold.percent(1080)).to.be.closeTo(settled, 0.1);
  });

  it('stands without a target', () => {
    const threshold = make({ quality: 'low' });
    expect(threshold.steered).to.equal(false);
    threshold.steer(500);
    expect(threshold.percent(1080)).to.equal(3);
  });

  it('refuses what is none, by name', () => {
    const refused = (options: object, message: RegExp) => expect(() => make(options)).to.throw(message);
    refused(
      { quality: 'ultra' },
      /^terrainErrorMesh\.create: quality must be one of "high", "medium", "low", got "ultra"$/,
    );
    refused(
      { maxError: -1 },
      /^terrainErrorMesh\.create: maxError must be a finite number of at least 0, got -1$/,
    );
    refused({ maxError: NaN }, /maxError must be a finite number of at least 0, got NaN$/);
    refused({ maxErrorPx: -0.5 }, /maxErrorPx must be a finite number of at least 0, got -0\.5$/);
    refused(
      { maxError: 1, quality: 'low' },
      /give one of quality, maxError and maxErrorPx, got quality and maxError/,
    );
    refused({ targetMs: 0 }, /targetMs must be a finite number above 0, got 0/);
    refused(
      { maxError: 1, targetMs: 16 },
      /targetMs moves the threshold within the bounds of a quality; .* maxError/,
    );
    refused({ maxErr: 1 }, /there is no field "maxErr" \(did you mean "maxError"\?\)/);
  });
});
