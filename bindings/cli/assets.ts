// `moonscape assets`: writes assets.json, which tells a page where the assets of guids lie. It needs no GPU.
import { listAssets, writeAssetList } from '../../runtime/assets/assetList.js';
import { MoonscapeError } from '../../runtime/errors.js';
import { FileRefusal } from '../../runtime/host/host.js';
import { projectFiles } from '../../runtime/host/projectFiles.js';
import { EXIT, type AssetsOptions } from './command.js';
import { folder } from './session.js';

/** Writes the list; resolves to the exit status. Nothing is written where a file cannot be read or two have one guid. */
export async function assets({ project, quiet }: AssetsOptions): Promise<number> {
  const files = projectFiles(await folder(project ?? '.'));
  const say = (line: string) => {
    if (!quiet) process.stdout.write(`${line}\n`);
  };
  try {
    const list = await listAssets(files);
    await writeAssetList(files, list);
    for (const { guid, path } of list.assets) say(`${guid}  ${path}`);
    for (const path of list.nameless) say(`no guid  ${path}: it can be named by its path alone`);
    say(`wrote    assets.json: ${list.assets.length} ${list.assets.length === 1 ? 'asset' : 'assets'}`);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof MoonscapeError) && !(error instanceof FileRefusal)) throw error;
    process.stderr.write(
      `${error instanceof FileRefusal ? `moonscape assets: ${error.message}` : error.message}\n`,
    );
    return EXIT.script;
  }
}
