// Writing a file so that whoever looks at its name finds the old bytes or the new ones, whole, whenever the process or the
// machine stops. Used by projectFiles.ts.
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Counts the writes of this process, so that two of one file at a time do not share a part. */
let writes = 0;

/**
 * Replaces `file` by `bytes`; its folder is there. They go to a name beside it, are forced to the disk, and are then moved
 * onto it. A write that fails takes its part with it; what a killed process leaves ends in `.part` and is never read.
 */
export async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const part = `${file}.${process.pid}-${++writes}.part`;
  try {
    // A part that a dead process of this number left is cut to nothing first.
    await rm(part, { force: true });
    const handle = await open(part, 'wx');
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await syncFolder(dirname(file));
}

/** Forces the move itself to the disk, where the platform can. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // Windows opens no folders; the file itself is whole already.
  }
}
