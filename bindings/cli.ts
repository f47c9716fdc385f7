// The command `moonscape`: reads its arguments, runs, and answers with an exit status.
import { readFileSync } from 'node:fs';
import { assets } from './cli/assets.js';
import { check } from './cli/check.js';
import { EXIT, parseCommand, USAGE, UsageError } from './cli/command.js';
import { run } from './cli/run.js';

async function main(args: readonly string[]): Promise<number> {
  try {
    const command = parseCommand(args);
    if (command.name === 'help') process.stdout.write(`${USAGE}\n`);
    else if (command.name === 'version') process.stdout.write(`${version()}\n`);
    else if (command.name === 'check') return await check(command.options);
    else if (command.name === 'assets') return await assets(command.options);
    else if (command.name === 'export')
      return await (await import('./cli/export.js')).exportGround(command.options);
    else return await run(command.options);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`moonscape: ${error.message}\n(moonscape --help says how it is used)\n`);
    return EXIT.usage;
  }
}

/** The package's version; its manifest lies one folder up, from the source and from the build. */
function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

// Whoever reads our output may stop before its end (`| head`); the run goes on to its picture.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

process.exitCode = await main(process.argv.slice(2));
