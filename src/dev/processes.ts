// Starts child processes that never outlive the parent: each leads its own process group, is recorded on disk, and is ended
// by a guardian when the parent dies. The next start ends any leftovers of a killed parent.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

export interface Supervised {
  readonly name: string;
  readonly pid: number;
  /** Resolves with the reason when the process has ended. */
  readonly ended: Promise<ChildEnd>;
  /** SIGTERM, then SIGKILL after the grace period. */
  stop(graceMs?: number): Promise<void>;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The start error. */
  readonly error?: Error;
}

export interface ProcessKeeper {
  start(name: string, command: string, options: StartOptions): Supervised;
  /** Ends the guardian; call it after every process has stopped. */
  close(): void;
}

interface StartOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Receives the output of the process, instead of a log file. @returns how long to pause reading, in milliseconds */
  readonly onOutput?: (stream: 'stdout' | 'stderr', chunk: Buffer) => number;
}

const pidFile = 'processes';
const stopGraceMs = 8_000;
const outputGraceMs = 500;

// Reads commands `+pid` and `-pid` from its standard input. End of input means that the parent is gone: then it kills every
// pid that was not withdrawn. A shell, because it must cost nothing and survive everything.
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
[ -z "$1" ] && exit 0
for environ in $(grep -lF "$1/" /proc/[0-9]*/environ 2>/dev/null); do
  pid=\${environ#/proc/}
  kill -KILL "\${pid%/environ}" 2>/dev/null
done
exit 0
`;

/**
 * @param folder data folder; logs go to `logs/<name>.log` in it, which must exist
 * @param orphanFolder the guardian also ends processes that left its group, if their environment contains this folder; see `orphan-processes.ts`
 */
export function createProcessKeeper(folder: string, orphanFolder = ''): ProcessKeeper {
  const guardian = spawn('/bin/sh', ['-c', guardianScript, 'fairlead-guardian', orphanFolder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guardian.unref();
  guardian.stdin.on('error', () => undefined);
  const recorded = new Map<number, string>();

  function record(): void {
    const lines = [...recorded].map(([pid, began]) => `${pid} ${began}`);
    try {
      writeFileSync(join(folder, pidFile), lines.join('\n'));
    } catch {
      // A full disk must not end us; the guardian also has the pids.
    }
  }

  return {
    start(name, command, { args, env, cwd, onOutput }) {
      const log =
        onOutput === undefined
          ? openSync(join(folder, 'logs', `${name}.log`), 'w', 0o600)
          : ('pipe' as const);
      // Its own group: Ctrl-C in a terminal must not end etcd before the processes that write to it.
      const child = spawn(command, [...args], {
        stdio: ['ignore', log, log],
        detached: true,
        ...(env === undefined ? {} : { env: { ...env } }),
        ...(cwd === undefined ? {} : { cwd }),
      });
      if (log !== 'pipe') closeSync(log);
      if (onOutput !== undefined) {
        readChunks(child.stdout, (chunk) => onOutput('stdout', chunk));
        readChunks(child.stderr, (chunk) => onOutput('stderr', chunk));
      }
      const { pid } = child;
      const ended = exitOf(child);
      if (pid === undefined) return { name, pid: 0, ended, stop: () => Promise.resolve() };
      recorded.set(pid, beginningOf(pid));
      record();
      guardian.stdin.write(`+${pid}\n`);
      void ended.then(() => {
        recorded.delete(pid);
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

/** A process that prints faster than its reader waits for its full pipe. */
function readChunks(output: Readable | null, onChunk: (chunk: Buffer) => number): void {
  output?.on('data', (chunk: Buffer) => {
    const ms = onChunk(chunk);
    if (ms <= 0) return;
    output.pause();
    setTimeout(() => output.resume(), ms).unref();
  });
}

function exitOf(child: ChildProcess): Supervised['ended'] {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      // Its last output may still arrive; a descendant may hold the pipe open forever.
      const late = setTimeout(() => resolve({ code, signal }), outputGraceMs);
      child.once('close', () => {
        clearTimeout(late);
        resolve({ code, signal });
      });
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    });
    child.once('error', (error) => resolve({ code: 127, signal: null, error }));
  });
}

async function stop(child: ChildProcess, ended: Promise<unknown>, graceMs: number): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  signalGroup(pid, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs);
  await ended;
  clearTimeout(timer);
}

/**
 * Ends what an earlier start of this data folder left behind. A process counts as ours if its start time matches the
 * record: process ids are reused.
 */
export async function endOrphans(folder: string): Promise<void> {
  const mine = recordedPids(folder);
  for (const pid of mine) signalGroup(pid, 'SIGTERM');
  for (let waited = 0; waited < stopGraceMs && mine.some(isAlive); waited += 50) await pause(50);
  for (const pid of mine.filter(isAlive)) signalGroup(pid, 'SIGKILL');
  while (mine.some(isAlive)) await pause(20);
  rmSync(join(folder, pidFile), { force: true });
}

function recordedPids(folder: string): readonly number[] {
  try {
    return readFileSync(join(folder, pidFile), 'utf8')
      .split('\n')
      .map((line) => /^(\d+) (.+)$/.exec(line))
      .filter((line) => line !== null && beginningOf(Number(line[1])) === line[2])
      .map((line) => Number(line?.[1]))
      .filter((pid) => pid > 1);
  } catch {
    return [];
  }
}

/** @returns the command line of a process, '' when there is none */
export function commandOf(pid: number): string {
  return psOf(pid, 'args=');
}

function psOf(pid: number, field: string): string {
  try {
    return execFileSync('ps', ['-ww', '-o', field, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}

/** @returns the start time of a process as a string, which distinguishes it from a later process with its id; '' when there is none */
function beginningOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name, in parentheses, may contain anything; the 22nd field of all is the 20th after it.
    return `${boot} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return process.platform === 'linux' ? '' : psOf(pid, 'lstart=').trim();
  }
}

/** Signals a process and all its descendants in its group. */
function signalGroup(leader: number, name: NodeJS.Signals): void {
  try {
    process.kill(-leader, name);
  } catch {
    // Already gone, which is the desired result.
  }
}

/** A zombie is dead: it only waits for its parent to reap it. */
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
