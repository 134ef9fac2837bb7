// Manages the folder that keeps all data between starts: creates it, checks it, and locks it for one process at a time.
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../domain/errors.ts';
import { commandOf, isAlive } from './processes.ts';

const lockFile = 'lock';

interface DataFolderHolder {
  readonly pid: number;
  readonly url: string;
  readonly issuerPort: number;
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
      `The data folder ${folder} cannot be used: ${folderProblem(thrown)}. Choose another one with --data or FAIRLEAD_DATA.`,
    );
  }
}

function folderProblem(thrown: unknown): string {
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
export function holdDataFolder(
  folder: string,
  { url, issuerPort }: Omit<DataFolderHolder, 'pid'>,
): () => void {
  const path = join(folder, lockFile);
  const mine = JSON.stringify({ pid: process.pid, url, issuerPort } satisfies DataFolderHolder);
  for (;;) {
    try {
      writeFileSync(path, mine, { flag: 'wx', mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    }
    const holder = readHolder(path);
    if (holder !== undefined && holdsFolder(holder)) {
      throw new StartError(
        `Fairlead is already running with this data folder: process ${holder.pid}, ${holder.url}. Stop it first, or choose another folder with --data.`,
      );
    }
    rmSync(path, { force: true });
  }
}

/** @returns the port of the issuer of the Fairlead that runs with this folder, undefined when none does */
export function runningIssuerPort(folder: string): number | undefined {
  const holder = readHolder(join(folder, lockFile));
  return holder !== undefined && holdsFolder(holder) ? holder.issuerPort : undefined;
}

function readHolder(path: string): DataFolderHolder | undefined {
  try {
    const held: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof (held as DataFolderHolder).pid === 'number'
      ? (held as DataFolderHolder)
      : undefined;
  } catch {
    return undefined;
  }
}

function holdsFolder({ pid }: DataFolderHolder): boolean {
  return pid !== process.pid && isAlive(pid) && /main\.ts|fairlead/.test(commandOf(pid));
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** @returns the names in a folder; none when it cannot be read */
export function fileNamesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
