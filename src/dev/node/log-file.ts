// Writes the log of one run of a container, as at most two files of 10 MiB, and reads or follows it.
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { fileNamesIn } from '../data-folder.ts';
import { type LogSplitter, recordSplitter, type Stream } from './log-lines.ts';

const defaultMaxBytes = 10 * 1_024 * 1_024;
/** Counts record bytes: short lines cost many times their length. */
const bytesPerSecond = 4 * 1_024 * 1_024;

export interface LogFile {
  /** @returns how long to pause writing, in milliseconds */
  write(stream: Stream, chunk: Buffer): number;
  /** Called after the last write. */
  end(): void;
  /** Receives the records from now on. @returns a function that unsubscribes */
  follow(onRecords: (records: Buffer) => void, onEnd: () => void): () => void;
}

// Everything is synchronous: reading and then following in one tick misses nothing, and a process that prints endlessly is
// slowed by its full pipe instead of filling our memory.
export function createLogFile(
  path: string,
  { clock, maxBytes = defaultMaxBytes }: { clock: Clock; maxBytes?: number },
): LogFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let file = openSync(path, 'a', 0o600);
  let size = fstatSync(file).size;
  let ended = false;
  let secondBegan = clock.monotonic();
  let inSecond = 0;
  const splitters: Readonly<Record<Stream, LogSplitter>> = {
    stdout: recordSplitter('stdout'),
    stderr: recordSplitter('stderr'),
  };
  const followers = new Set<{ onRecords(records: Buffer): void; onEnd(): void }>();

  function append(records: Buffer): void {
    if (records.length === 0) return;
    try {
      store(records);
    } catch {
      // The disk is full: current output is lost, as on any node.
    }
    for (const each of followers) each.onRecords(records);
  }

  function restAfter(bytes: number): number {
    const now = clock.monotonic();
    if (now - secondBegan >= 1_000) {
      secondBegan = now;
      inSecond = 0;
    }
    inSecond += bytes;
    return inSecond > bytesPerSecond ? secondBegan + 1_000 - now : 0;
  }

  function store(records: Buffer): void {
    if (size > 0 && size + records.length > maxBytes) {
      closeSync(file);
      renameSync(path, olderPart(path));
      file = openSync(path, 'a', 0o600);
      size = 0;
    }
    for (let from = 0; from < records.length; ) from += writeSync(file, records, from);
    size += records.length;
  }

  return {
    write(stream, chunk) {
      if (ended) return 0;
      const records = splitters[stream].push(chunk, clock.now());
      append(records);
      return restAfter(records.length);
    },
    end() {
      if (ended) return;
      append(splitters.stdout.end(clock.now()));
      append(splitters.stderr.end(clock.now()));
      ended = true;
      closeSync(file);
      for (const each of followers) each.onEnd();
      followers.clear();
    },
    follow(onRecords, onEnd) {
      const follower = { onRecords, onEnd };
      if (ended) onEnd();
      else followers.add(follower);
      return () => followers.delete(follower);
    },
  };
}

function olderPart(path: string): string {
  return `${path}.1`;
}

/** @returns all records of a run; empty when there are none */
export function readRecords(path: string): Buffer {
  return Buffer.concat([olderPart(path), path].map(content));
}

function content(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Returns the log path of a run, below the pod's folder. */
export function logPath(podFolder: string, container: string, run: number): string {
  return join(podFolder, 'logs', container, `${run}.log`);
}

/** @returns the numbers of the runs that have logs, newest first */
export function loggedRuns(podFolder: string, container: string): readonly number[] {
  return fileNamesIn(join(podFolder, 'logs', container))
    .flatMap((name) => /^(\d+)\.log$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
}

/**
 * Chooses a run as a kubelet does: of a container that waits for its restart, the last run is the present one and also the
 * previous one.
 * @param runs newest first
 */
export function runToRead(
  runs: readonly number[],
  { previous, isWaiting }: { readonly previous: boolean; readonly isWaiting: boolean },
): number | undefined {
  return runs[previous && !isWaiting ? 1 : 0];
}

/** Keeps the newest existing run, which becomes the previous one. */
export function forgetOldRuns(podFolder: string, container: string): void {
  for (const run of loggedRuns(podFolder, container).slice(1)) {
    const path = logPath(podFolder, container, run);
    rmSync(path, { force: true });
    rmSync(olderPart(path), { force: true });
  }
}
