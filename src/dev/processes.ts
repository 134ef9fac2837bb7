// Child processes that never outlive us: each leads a process group of its own, is recorded on disk, and is ended by a
// guardian when we die without a word. What a killed parent left all the same is ended by the next start.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface Supervised {
  readonly name: string;
  readonly pid: number;
  /** Resolves when the process has ended, with what is known of why. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** SIGTERM, and SIGKILL when that does not help within the grace period. */
  stop(graceMs?: number): Promise<void>;
}

export interface ProcessKeeper {
  start(name: string, command: string, options: StartOptions): Supervised;
  /** Ends the guardian; call it after every process has been stopped. */
  close(): void;
}

export interface StartOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const pidFile = 'processes';
const stopGraceMs = 8_000;

// Reads commands `+pid` and `-pid` from its standard input. The end of the input means that the parent is gone:
// then everything that was not taken back is ended. A shell, because it must cost nothing and survive everything.
const guardianScript = `
trap '' INT TERM HUP
pids=' '
while read -r line; do
  case "$line" in
    +*) pids="$pids\${line#+} " ;;
    -*) pids=$(printf '%s' "$pids" | sed "s/ \${line#-} / /") ;;
  esac
done
for pid in $pids; do kill -TERM "-$pid" 2>/dev/null; done
[ "$pids" = ' ' ] && exit 0
sleep 3
for pid in $pids; do kill -KILL "-$pid" 2>/dev/null; done
exit 0
`;

/** @param folder data folder; logs go to `logs/<name>.log` in it, which must exist */
export function createProcessKeeper(folder: string): ProcessKeeper {
  const guardian = spawn('/bin/sh', ['-c', guardianScript, 'fairlead-guardian'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guardian.unref();
  guardian.stdin.on('error', () => undefined);
  const pids = new Set<number>();

  function record(): void {
    writeFileSync(join(folder, pidFile), [...pids].join('\n'));
  }

  return {
    start(name, command, { args, env }) {
      const log = openSync(join(folder, 'logs', `${name}.log`), 'w', 0o600);
      // Its own group: Ctrl-C in a terminal must not end etcd before what writes to it.
      const child = spawn(command, [...args], {
        stdio: ['ignore', log, log],
        detached: true,
        ...(env === undefined ? {} : { env: { ...env } }),
      });
      closeSync(log);
      const { pid } = child;
      const ended = endOf(child);
      if (pid === undefined) return { name, pid: 0, ended, stop: () => Promise.resolve() };
      pids.add(pid);
      record();
      guardian.stdin.write(`+${pid}\n`);
      void ended.then(() => {
        pids.delete(pid);
        record();
        guardian.stdin.write(`-${pid}\n`);
      });
      return { name, pid, ended, stop: (graceMs = stopGraceMs) => stop(child, ended, graceMs) };
    },
    close() {
      guardian.stdin.end();
      rmSync(join(folder, pidFile), { force: true });
    },
  };
}

function endOf(child: ChildProcess): Supervised['ended'] {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: 127, signal: null }));
  });
}

async function stop(child: ChildProcess, ended: Promise<unknown>, graceMs: number): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await ended;
  clearTimeout(timer);
}

/** Ends what an earlier start of this data folder left behind. A process counts as ours when its command names the folder. */
export async function endOrphans(folder: string): Promise<void> {
  const mine = recordedPids(folder).filter((pid) => commandOf(pid).includes(folder));
  for (const pid of mine) signal(pid, 'SIGTERM');
  for (let waited = 0; waited < stopGraceMs && mine.some(isAlive); waited += 50) await pause(50);
  for (const pid of mine.filter(isAlive)) signal(pid, 'SIGKILL');
  while (mine.some(isAlive)) await pause(20);
  rmSync(join(folder, pidFile), { force: true });
}

function recordedPids(folder: string): readonly number[] {
  try {
    return readFileSync(join(folder, pidFile), 'utf8')
      .split('\n')
      .map(Number)
      .filter(Number.isSafeInteger)
      .filter((pid) => pid > 1);
  } catch {
    return [];
  }
}

/** @returns the command line of a process, '' when there is none */
export function commandOf(pid: number): string {
  try {
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone in the meantime, which is what was wanted.
  }
}

/** A zombie is dead: it only waits for its parent to be told. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}
