// `moonscape check`: runs a scene, then holds every ground in it to the project's promise: what is drawn, what a query says and
// what bodies rest on are one surface.
import { reportCheck } from '../../runtime/terrain/checkReport.js';
import { checkGround, type CheckResult } from '../../runtime/terrain/selfCheck.js';
import type { TerrainMesh } from '../../runtime/terrain/terrainMesh.js';
import { EXIT, type CheckOptions } from './command.js';
import { inSession, writeFiles, type Session } from './session.js';

/** What `--stats` writes: a result for each ground, in the order of opening. */
export interface CheckStats {
  adapter: { vendor: string; architecture: string; description: string };
  ok: boolean;
  grounds: ({ name: string; texels: [number, number]; drawn: boolean } & CheckResult)[];
}

/** The picture is not looked at. */
const PICTURE = { width: 16, height: 9 };
/** Seconds of the one frame that the scene runs, so that what follows the camera has. */
const FRAME = 1 / 60;

/** Runs the scene and checks; resolves to the exit status: 0 where all agree, 1 where not or where there is no ground. */
export function check(options: CheckOptions): Promise<number> {
  return inSession({ ...options, ...PICTURE, budgetMs: null }, async (session) => {
    const { runtime, lua, source, say } = session;
    await lua.run(source, options.scene);
    await runtime.frame(FRAME);
    lua.check();
    if (session.failures() > 0) return EXIT.script;
    if (runtime.fields.size === 0) {
      process.stderr.write(`moonscape check: no heightfield is open at the end of ${options.scene}\n`);
      return EXIT.script;
    }
    const stats = await checkAll(session, options);
    for (const path of options.stats === null
      ? []
      : await writeFiles([[options.stats, `${JSON.stringify(stats, null, 2)}\n`]]))
      say(`wrote    ${path}`);
    return stats.ok ? EXIT.done : EXIT.script;
  });
}

async function checkAll(
  { runtime, say }: Session,
  { samples, seed, views }: CheckOptions,
): Promise<CheckStats> {
  const stats: CheckStats = { adapter: runtime.gpu.info, ok: true, grounds: [] };
  for (const hf of [...runtime.fields]) {
    const meshes: (TerrainMesh | null)[] = [...runtime.terrains].filter((mesh) => mesh.hf === hf);
    if (meshes.length === 0) meshes.push(null);
    for (const mesh of meshes) {
      const result = await checkGround(hf, { mesh, samples, seed, views });
      stats.ok &&= result.ok;
      stats.grounds.push({
        ...{ name: hf.describe(), texels: [hf.width, hf.height], drawn: mesh !== null },
        ...result,
      });
      for (const line of reportCheck(hf, result, mesh !== null)) {
        if (result.ok) say(line);
        // What is wrong is said however quiet the command is to be.
        else process.stderr.write(`${line}\n`);
      }
    }
  }
  return stats;
}
