// Locks the store of logins over all processes with an exclusive transaction of SQLite. The operating system holds the lock, so
// it is free at once when its holder is killed; a lock file would have to be taken over, which lets two processes in.
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

const maxWaitMs = 30_000;
const maxPauseMs = 100;
/** SQLITE_BUSY and SQLITE_LOCKED. */
const busy: readonly unknown[] = [5, 6];

/** @throws CliError when others hold the lock for half a minute */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Only if it is missing: closing any descriptor of the file drops the locks that this process has on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    await beginTransaction(database);
    return await work();
  } finally {
    // Ends the transaction too.
    database.close();
  }
}

// A timeout of SQLite would block the process meanwhile, and with it Ctrl-C.
async function beginTransaction(database: { exec(sql: string): void }): Promise<void> {
  const end = performance.now() + maxWaitMs;
  for (let wait = 5; ; wait = Math.min(wait * 2, maxPauseMs)) {
    try {
      database.exec('BEGIN EXCLUSIVE');
      return;
    } catch (thrown) {
      if (!busy.includes((thrown as { errcode?: unknown }).errcode)) throw thrown;
      if (performance.now() > end) throw heldByOthers(thrown);
    }
    await pause(wait * (0.5 + Math.random()));
  }
}

function heldByOthers(cause: unknown): CliError {
  return new CliError('Another fairlead process has locked the stored logins for 30s.', {
    exit: ExitCode.unreachable,
    next: 'End the other process, and run the same command again.',
    cause,
  });
}
