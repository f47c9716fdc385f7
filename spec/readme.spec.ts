import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { runScene, type SceneRun } from './support/lua.js';

const root = new URL('../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');
const scripts = (
  JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: Record<string, string> }
).scripts;

/** The blocks of a language in the README. */
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, text]) => text);
const block = (language: string) => blocks(language)[0];

describe('README', () => {
  it('shows a scene that runs as written, its ground in one draw', async () => {
    let seen: unknown;
    const look = ({ runtime }: SceneRun) => {
      seen = { draws: runtime.stats().passes.forward.draws, terrains: runtime.terrains.size };
    };
    await runScene(block('lua'), { name: 'hills.lua', frames: 1, look });
    expect(seen).to.deep.equal({ draws: 1, terrains: 1 });
  });

  it('shows a component that moves its entity as it says', async () => {
    const look = ({ runtime }: SceneRun) => {
      const { x, z } = runtime.world.find('moon')!.position;
      expect(Math.hypot(x, z)).to.be.closeTo(40, 1e-9);
      expect(Math.atan2(z, x)).to.be.closeTo((Math.PI / 180) * 45 * 0.5, 1e-9);
    };
    await runScene(blocks('lua')[1], { name: 'orbit.lua', frames: 30, look });
    expect(blocks('lua')).to.have.length(2);
  });

  it('names two commands, whose scripts the package has', () => {
    const commands = [...block('sh').matchAll(/^npm ci && npm (\w+)/gm)].map(([, name]) => name);
    expect(commands).to.deep.equal(['start', 'test']);
    for (const name of commands) expect(scripts).to.have.property(name);
  });

  it('names folders and files that exist', () => {
    const paths = [...readme.matchAll(/\]\((?!http)([^)]+)\)|^\| `(\w+\/)` \|/gm)].map(
      ([, link, folder]) => link ?? folder,
    );
    expect(paths.length).to.be.greaterThan(10);
    expect(paths.filter((path) => !existsSync(new URL(path, root)))).to.deep.equal([]);
  });
});
