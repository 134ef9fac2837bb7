// Finds processes that left their process group and would outlive it, by a folder in their environment. Linux only:
// elsewhere the environment of another process is unreadable, and such a process must be ended by hand.
import { readFileSync } from 'node:fs';
import { fileNamesIn } from './data-folder.ts';

/** Kills every process of ours whose environment names the folder. */
export function endOrphanProcesses(folder: string): void {
  for (const pid of orphansOf(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Already gone, which is the desired result.
    }
  }
}

function orphansOf(folder: string): readonly number[] {
  return fileNamesIn('/proc')
    .map(Number)
    .filter((pid) => Number.isSafeInteger(pid) && pid > 1 && pid !== process.pid)
    .filter((pid) => processEnvironment(pid).includes(`${folder}/`));
}

/** Empty for processes of other users. */
function processEnvironment(pid: number): Buffer {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch {
    return Buffer.alloc(0);
  }
}
