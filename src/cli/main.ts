// Entry point of the client, which packaging/client.ts bundles into sdk/bin/client.cjs.
import { environmentOfProcess } from './environment.ts';
import { ExitCode } from './exit-codes.ts';
import { interruptSignal, run } from './run.ts';

// The reader of a pipe may leave early, as `head` does. That is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? ExitCode.done : ExitCode.failed);
});

void run(process.argv.slice(2), environmentOfProcess(), interruptSignal()).then((code) => {
  process.exitCode = code;
});
