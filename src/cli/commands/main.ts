// Entry point of the client, which packaging/client.ts bundles into sdk/bin/client.cjs.
import { ExitCode } from '../terminal/exit-codes.ts';
import { clientVersion } from './client-version.ts';

// The reader of a pipe may leave early, as `head` does. That is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? ExitCode.done : ExitCode.failed);
});

async function startProgram(argv: readonly string[]): Promise<void> {
  const { environmentOfProcess } = await import('../terminal/environment.ts');
  const { interruptSignal, run } = await import('./run.ts');
  process.exitCode = await run(argv, environmentOfProcess(), interruptSignal());
}

const argv = process.argv.slice(2);
// Scripts ask for it often, and it needs nothing else.
if (argv.length === 1 && argv[0] === '--version')
  process.stdout.write(`fairlead ${clientVersion}\n`);
else void startProgram(argv);
