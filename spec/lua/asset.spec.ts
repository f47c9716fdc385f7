import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failureOf, project, runScene, sharedRuntime } from '../support/lua.js';

describe('asset', () => {
  before(async () => {
    await sharedRuntime();
    mkdirSync(join(project, 'source/found/deep'), { recursive: true });
    writeFileSync(join(project, 'source/found/rock.PNG'), 'x');
    writeFileSync(join(project, 'source/found/readme'), 'x');
  });
  after(() => rmSync(join(project, 'source/found'), { recursive: true, force: true }));

  it('finds what a scene wrote, by guid, by path and by kind', async () => {
    const { lines } = await runScene(`
      local ground = terrain.to_texture(terrain.noise { width = 4, height = 4 })
      texture.write(ground, "/zero/source/found/deep/hills.texture")
      terrain.write("/zero/source/found/hills.terrainData", { heightfield = ground })
      assert(asset.path(ground.guid) == "/zero/source/found/deep/hills.texture")
      assert(asset.guid("source/found/deep/hills.texture") == ground.guid)
      assert(asset.guid("/zero/source/found/rock.PNG") == nil and asset.guid("nothing.texture") == nil)
      assert(asset.exists(ground.guid) and asset.exists("/zero/source/found/readme"))
      assert(not asset.exists("source/found/Readme") and not asset.exists("source/found"))
      assert(not asset.exists("12345678-8b86-4d01-b42d-00cf4fc964ff"))
      assert(asset.path("12345678-8b86-4d01-b42d-00cf4fc964ff") == nil)
      for _, found in ipairs(asset.list { folder = "/zero/source/found/" }) do
        print(found.path, found.kind, found.guid == asset.guid(found.path))
      end
      local grounds = asset.list { kind = "terrainData", folder = "source/found" }
      assert(#grounds == 1 and asset.path(grounds[1].guid) == "/zero/source/found/hills.terrainData")
      assert(#asset.list { kind = "png" } == 1 and #asset.list { folder = "source/none" } == 0)
      -- A scene that knows no more than a guid opens its ground.
      local hf = require("~terrainSystem.modules.terrainHeightfield").open(grounds[1].guid)
      assert(hf.width == 4)`);
    expect(lines).to.deep.equal([
      '/zero/source/found/deep/hills.texture\ttexture\ttrue',
      '/zero/source/found/hills.terrainData\tterrainData\ttrue',
      '/zero/source/found/readme\t\ttrue',
      '/zero/source/found/rock.PNG\tpng\ttrue',
    ]);
  });

  it('refuses paths out of the project, other fields and other types', async () => {
    const says = async (call: string) => (await failureOf(call)).message;
    expect(await says('asset.exists("../x")')).to.match(/^scene\.lua:1: asset\.exists: path must be inside/);
    expect(await says('asset.guid("/etc/passwd")')).to.contain(
      'asset.guid: path must be a path under /zero/source/',
    );
    expect(await says('asset.list { folder = "../" }')).to.contain(
      "asset.list: path must be inside the project's folder",
    );
    expect(await says('asset.list { kinds = "png" }')).to.contain(
      'there is no field "kinds" (did you mean "kind"?)',
    );
    expect(await says('asset.path(5)')).to.contain('asset.path: guid must be a string, got');
  });
});
