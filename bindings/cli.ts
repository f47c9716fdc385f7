// The command `moonscape`: reads its arguments, runs, and answers with an exit status.
import { EXIT, parseCommand, USAGE, UsageError } from './cli/command.js';
import { run } from './cli/run.js';
import { version } from '../package.json';

async function main(args: readonly string[]): Promise<number> {
  try {
    const command = parseCommand(args);
    if (command.name === 'help') process.stdout.write(`${USAGE}\n`);
    else if (command.name === 'version') process.stdout.write(`${version}\n`);
    else return await run(command.options);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`moonscape: ${error.message}\n(moonscape --help says how it is used)\n`);
    return EXIT.usage;
  }
}

process.exitCode = await main(process.argv.slice(2));
