import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { sharedGpu } from '../support/gpu.js';

const FOLDER = new URL('../../shaders/', import.meta.url);

/** Where a line of a shader whose includes are in place stands in its sources. */
function locate(file: string, line: string): string {
  const included = readdirSync(new URL('include/', FOLDER)).map((name) => `include/${name}`);
  for (const name of [file, ...included]) {
    const at = readFileSync(new URL(name, FOLDER), 'utf8').split('\n').indexOf(line);
    if (at >= 0) return `shaders/${name}:${at + 1}`;
  }
  return `shaders/${file}`;
}

describe('shaders', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.wgsl'));

  it('all compile on the device, without warnings', async () => {
    const { device } = await sharedGpu();
    const complaints: string[] = [];
    for (const file of files) {
      const { default: code } = (await import(`../../shaders/${file}`)) as { default: string };
      device.pushErrorScope('validation');
      const { messages } = await device.createShaderModule({ label: file, code }).getCompilationInfo();
      await device.popErrorScope();
      for (const { type, lineNum, message } of messages)
        complaints.push(`${locate(file, code.split('\n')[lineNum - 1])}: ${type}: ${message}`);
    }
    expect(complaints).to.deep.equal([]);
    expect(files).to.include.members(['sky.wgsl', 'ground.wgsl', 'model.wgsl', 'tonemap.wgsl']);
  });

  it('name their entry points after themselves', () => {
    for (const file of files) {
      const own = file.replace('.wgsl', '');
      const source = readFileSync(new URL(file, FOLDER), 'utf8');
      const entries = [...source.matchAll(/@(?:vertex|fragment|compute)[^{]*?fn\s+(\w+)/gs)].map(
        (found) => found[1],
      );
      expect(entries, file).to.not.be.empty;
      for (const entry of entries) expect(entry.startsWith(own), `${file}: ${entry}`).to.equal(true);
    }
  });
});
