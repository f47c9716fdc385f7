// A process of its own for projectFiles.spec.ts: writes megabytes of the letter b to source/big until it is stopped.
import { projectFiles } from '../../runtime/host/projectFiles.js';

const [root, megabytes] = process.argv.slice(2);
const bytes = new Uint8Array(Number(megabytes) * 2 ** 20).fill(0x62);
try {
  for (;;) await projectFiles(root).write('source/big', bytes);
} catch (error) {
  process.stdout.write(`failed: ${(error as Error).message}\n`);
}
