// Fails the run for what node only warns of: a file that nobody closed, and listeners that nobody took off. An error that is
// thrown here belongs to no test, but the run is not green. Files are collected before a test file ends, to be found where
// they were left open.
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll } from 'vitest';

const listening = Symbol.for('fairlead.test.warnings');
const isLeak = ({ name, message }: Error) =>
  name === 'MaxListenersExceededWarning' || message.includes('on garbage collection');

// Loaded again for each file, in a process that may be the same.
const flags = globalThis as { [listening]?: () => void };
if (flags[listening] === undefined) {
  setFlagsFromString('--expose-gc');
  flags[listening] = runInNewContext('gc') as () => void;
  process.on('warning', (warning) => {
    if (isLeak(warning)) throw warning;
  });
}

afterAll(async () => {
  // What a test awaited last is still held for a turn; a file is closed, and the warning given, in turns of their own.
  for (let round = 0; round < 3; round += 1) {
    await turn();
    flags[listening]?.();
  }
  await turn();
});
