// The definitions that editors complete from name exactly what is bound, so that they cannot drift apart.
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { Vm } from '../../bindings/vm/index.js';
import { runScene } from '../support/lua.js';

const LIST = `
  local function list(name, t)
    for key, value in pairs(t) do
      if type(value) == "function" then print(name .. "." .. key)
      elseif type(value) == "table" then list(name .. "." .. key, value) end
    end
  end
  for _, name in ipairs { "asset", "texture", "terrain", "entity", "ecs", "component", "renderer", "physics", "scene", "camera", "input" } do list(name, _G[name]) end`;

describe('lua/library', () => {
  it('defines every bound function, and no other', async () => {
    const defined: string[] = [];
    const vm = new Vm({ print: (line) => defined.push(line) });
    for (const file of readdirSync('lua/library'))
      await vm.run(readFileSync(`lua/library/${file}`, 'utf8'), file);
    await vm.run(LIST, 'list.lua');
    const { lines } = await runScene(LIST);
    expect(defined.sort()).to.deep.equal(lines.sort());
  });

  it('describes each field of each component that ships, and no other', async () => {
    const sources = [
      ...readdirSync('lua/library').map((file) => `lua/library/${file}`),
      ...readdirSync('lua/terrainSystem/modules').map((file) => `lua/terrainSystem/modules/${file}`),
    ].map((path) => readFileSync(path, 'utf8'));
    /** The fields of a class and of those that it extends. */
    const fieldsOf = (name: string): string[] => {
      const block = sources
        .map((source) =>
          new RegExp(`^---@class ${name}(?:: ([\\w, ]+))?\\n((?:---.*\\n)*)`, 'm').exec(source),
        )
        .find(Boolean);
      const own = [...(block?.[2].matchAll(/^---@field (\w+)/gm) ?? [])].map(([, field]) => field);
      const parents = block?.[1]?.split(', ') ?? [];
      return [...new Set([...own, ...parents.flatMap(fieldsOf)])];
    };
    const classes = {
      ...{ Terrain: 'TerrainFields', Water: 'WaterFields', Scatter: 'ScatterComponentFields' },
      ...{ RigidBody: 'RigidBody', Collider: 'Collider', Camera: 'Camera', Light: 'Light', Model: 'Model' },
      ...{ Sky: 'Sky', Fog: 'Fog' },
    };
    await runScene(
      'for _, name in ipairs { "Terrain", "Water", "Scatter" } do entity.create().component.has(name) end',
      {
        look: ({ runtime }) => {
          for (const [name, type] of Object.entries(classes)) {
            const declared = runtime.world.componentType(name).fields.map((field) => field.name);
            const described = fieldsOf(type).filter((field) => field !== 'entity');
            expect(described.sort(), name).to.deep.equal([...declared].sort());
          }
        },
      },
    );
  });

  it('describes each parameter of each function', () => {
    const files = [
      ...readdirSync('lua/library').map((file) => `lua/library/${file}`),
      ...readdirSync('lua/terrainSystem/modules').map((file) => `lua/terrainSystem/modules/${file}`),
    ];
    for (const file of files) {
      const source = readFileSync(file, 'utf8');
      for (const [, comments, name, list] of source.matchAll(
        /((?:^---.*\n)*)^function ([\w.:]+)\((.*?)\)/gm,
      )) {
        const documented = [...comments.matchAll(/^---@param ([\w.]+)\??/gm)].map((match) => match[1]);
        const parameters = list.split(', ').filter(Boolean);
        expect(documented, `${file}: ${name}`).to.deep.equal(parameters);
      }
    }
  });
});
