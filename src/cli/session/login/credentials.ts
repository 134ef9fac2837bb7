// Reads and writes credentials.json: the logins of a person. A file that other users can read is rejected.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../../terminal/environment.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import { credentialsPath } from '../context/places.ts';

/** One login. A token is sent to the API that it was got for and to no other. */
export interface Login {
  /** Address of the API; see `apiKey`. */
  readonly api: string;
  /** Name of the context; absent for a login by address alone. */
  readonly context?: string;
  readonly issuer: string;
  readonly client_id: string;
  /** The API that the tokens are for (RFC 8707); absent for issuers that refuse the parameter, and in older logins. */
  readonly resource?: string;
  readonly subject: string;
  readonly organization: string;
  /** The token that the API accepts: an access token, or the ID token of issuers without access tokens for others. */
  readonly access_token: string;
  readonly token?: 'id_token';
  /** Seconds since 1970, by the clock of this machine. */
  readonly expires_at: number;
  readonly refresh_token?: string;
  /** When the tokens were got. */
  readonly refreshed_at: number;
}

interface Store {
  readonly version: 1;
  readonly logins: readonly Login[];
}

/** @returns the address under which logins for an API are stored */
export function apiKey(url: URL): string {
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
}

/** @throws CliError for a store that others can read or that is broken */
export function readLogins(environment: Environment): readonly Login[] {
  const path = credentialsPath(environment);
  requirePrivate(path, environment);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unusableStore(path, `cannot be read: ${(thrown as Error).message}`);
  }
  return storeIn(text, path).logins;
}

function storeIn(text: string, path: string): Store {
  let store: Partial<Store>;
  try {
    store = JSON.parse(text) as Partial<Store>;
  } catch {
    throw unusableStore(path, 'is not JSON');
  }
  if (store.version !== 1) throw unusableStore(path, 'was written by a newer version of fairlead');
  if (!Array.isArray(store.logins)) throw unusableStore(path, 'has no logins');
  return { version: 1, logins: store.logins };
}

function unusableStore(path: string, problem: string): CliError {
  return new CliError(`The store of logins ${problem}.`, {
    exit: ExitCode.notAllowed,
    next: `Delete ${path}, and run: fairlead login`,
  });
}

/** Modes mean nothing on Windows, where the folder of a person is closed to others. */
function requirePrivate(path: string, { platform }: Environment): void {
  if (platform === 'win32') return;
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o077) === 0) return;
  throw new CliError(`Other users can read the logins in ${path}, so fairlead does not use it.`, {
    exit: ExitCode.notAllowed,
    next: `chmod 600 ${path}`,
  });
}

/** @returns the login of a context for an API, or the one without a context */
export function findLogin(
  logins: readonly Login[],
  { url, name }: { readonly url: URL; readonly name: string | undefined },
): Login | undefined {
  const here = logins.filter(({ api }) => api === apiKey(url));
  return (
    here.find(({ context }) => context === name) ??
    here.find(({ context }) => context === undefined)
  );
}

/** @returns whether two logins take the same place in the store */
export function isSameLogin(left: Login, right: Login): boolean {
  return left.api === right.api && left.context === right.context;
}

/** Runs work while no other process reads, to write again, or writes the logins. */
export function withLoginsLocked<T>(environment: Environment, work: () => Promise<T>): Promise<T> {
  const path = credentialsPath(environment);
  return withLock(`${path.replace(/\.json$/, '')}.lock.db`, work);
}

/**
 * Replaces the store: a new file, private from its first moment, takes the place of the old one. Synchronous, so that no signal
 * comes between an answer of the issuer and the write. Only inside `withLoginsLocked`.
 */
export function writeLogins(environment: Environment, logins: readonly Login[]): void {
  const path = credentialsPath(environment);
  const store: Store = { version: 1, logins };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${process.pid}.new`;
  rmSync(beside, { force: true });
  const file = openSync(beside, 'wx', 0o600);
  try {
    writeSync(file, `${JSON.stringify(store, null, 1)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    renameSync(beside, path);
  } catch (thrown) {
    rmSync(beside, { force: true });
    throw unusableStore(path, `cannot be replaced: ${(thrown as Error).message}`);
  }
}

/** Adds a login, or replaces the one in its place. */
export async function keepLogin(environment: Environment, login: Login): Promise<void> {
  await withLoginsLocked(environment, () => {
    const others = readLogins(environment).filter((each) => !isSameLogin(each, login));
    writeLogins(environment, [...others, login]);
    return Promise.resolve();
  });
}

// Locks the store of logins over all processes with an exclusive transaction of SQLite. The operating system holds the lock, so it
// is free at once when its holder is killed; a lock file would have to be taken over, which lets two processes in.

const maxWaitMs = 30_000;
const maxPauseMs = 100;
/** SQLITE_BUSY and SQLITE_LOCKED. */
const busy: readonly unknown[] = [5, 6];

/** @throws CliError when others hold the lock for half a minute */
async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
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
