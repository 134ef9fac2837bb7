// Ends the process group of a child when this process is gone, however it ended: a shell waits for the end of its standard input. In a
// container it is not needed, because the kernel ends everything with the first process.
import { spawn } from 'node:child_process';

const script = 'trap "" INT TERM HUP; read -r line; [ "$line" = ended ] || kill -KILL "-$1"';

/** @returns a function to call when the group has ended */
export function guardGroup(leader: number): () => void {
  if (process.pid === 1) return () => undefined;
  const guardian = spawn('/bin/sh', ['-c', script, 'fairlead-guardian', `${leader}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guardian.unref();
  guardian.stdin.on('error', () => undefined);
  return () => void guardian.stdin.end('ended\n');
}
