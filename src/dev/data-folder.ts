// Manages the folder that keeps all data between starts: creates it, checks it, and locks it for one process at a time.
import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { StartError } from '../domain/errors.ts';
import { commandOf, isAlive } from './processes.ts';

const lockFile = 'lock';

interface Holder {
  readonly pid: number;
  readonly url: string;
}

/** Creates the folder and its parts, readable only by the owner. @throws StartError */
export function prepareDataFolder(folder: string): void {
  try {
    mkdirSync(join(folder, 'logs'), { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    writeFileSync(join(folder, '.writable'), '');
    rmSync(join(folder, '.writable'));
  } catch (thrown) {
    throw new StartError(
      `The data folder ${folder} cannot be used: ${why(thrown)}. Choose another one with --data or FAIRLEAD_DATA.`,
    );
  }
}

function why(thrown: unknown): string {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EROFS') return 'its file system is read-only';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'it is a file, or a parent of it is a file';
  if (code === 'ENOSPC') return 'the disk is full';
  return code ?? 'it cannot be written';
}

/**
 * Locks the folder for this process. A lock whose process is gone, or is no Fairlead, is taken over.
 * @returns a function that releases it
 * @throws StartError when another process holds it
 */
export function holdDataFolder(folder: string, url: string): () => void {
  const path = join(folder, lockFile);
  const mine = JSON.stringify({ pid: process.pid, url } satisfies Holder);
  for (;;) {
    try {
      writeFileSync(path, mine, { flag: 'wx', mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    }
    const holder = readHolder(path);
    if (holder !== undefined && holds(holder)) {
      throw new StartError(
        `Fairlead is already running with this data folder: process ${holder.pid}, ${holder.url}. Stop it first, or choose another folder with --data.`,
      );
    }
    rmSync(path, { force: true });
  }
}

function readHolder(path: string): Holder | undefined {
  try {
    const held: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof (held as Holder).pid === 'number' ? (held as Holder) : undefined;
  } catch {
    return undefined;
  }
}

function holds({ pid }: Holder): boolean {
  return pid !== process.pid && isAlive(pid) && /main\.ts|fairlead/.test(commandOf(pid));
}

/** @param setting the flag or variable that sets the port. @throws StartError when the port is taken */
export async function requireFreePort(port: number, what: string, setting: string): Promise<void> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!free) {
    throw new StartError(
      `Port ${port}, which ${what} needs, is taken by another program. Stop that program, or choose another port with ${setting}.`,
    );
  }
  await new Promise((resolve) => server.close(resolve));
}

/** @returns a free port of 127.0.0.1 */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string')
    throw new StartError('No port is free on 127.0.0.1');
  return address.port;
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
