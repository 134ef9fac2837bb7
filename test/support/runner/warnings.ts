// Fails the run for warnings of node: unclosed files and leaked listeners. An error that is thrown here belongs to no test,
// but the run fails. While a file is open, garbage collection runs before its test file ends, so that it is reported there.
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll } from 'vitest';
import { mayHaveOpenFiles } from './open-files.ts';

const listening = Symbol.for('fairlead.test.warnings');
const isLeak = ({ name, message }: Error) =>
  name === 'MaxListenersExceededWarning' || message.includes('on garbage collection');

// Loaded again for each file, possibly in the same process.
const flags = globalThis as { [listening]?: () => void };
if (flags[listening] === undefined) {
  setFlagsFromString('--expose-gc');
  flags[listening] = runInNewContext('gc') as () => void;
  process.on('warning', (warning) => {
    if (isLeak(warning)) throw warning;
  });
}

afterAll(async () => {
  // The last awaited value is held for one more iteration; closing a file and the warning take further iterations.
  for (let round = 0; round < 3; round += 1) {
    await turn();
    // A collection takes longer than most test files.
    if (!(await mayHaveOpenFiles())) return;
    flags[listening]?.();
  }
  await turn();
});
