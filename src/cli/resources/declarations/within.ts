// Reads the files that a file of `-f` names. A file from elsewhere may name any path, so only files of its own folder are read.
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { textOfBytes } from './text.ts';

/** @returns the text of a file inside a folder. @throws Error with the rule that forbids it, for people */
export function readWithin(folder: string, name: string): string {
  // Also `..` that leads back: nothing outside is tested for existence.
  if (isAbsolute(name) || name.split(/[\\/]/).includes('..')) throw outside(name);
  const path = realPathIn(folder, name);
  if (isOutside(relative(realpathSync(folder), path))) throw outside(name);
  return namingFile(name, () => {
    // A pipe or a device has no end.
    if (!statSync(path).isFile()) throw Object.assign(new Error('no file'), { code: 'EISDIR' });
    return textOfBytes(readFileSync(path));
  });
}

/** @returns the path without symbolic links */
function realPathIn(folder: string, name: string): string {
  return namingFile(name, () => realpathSync(join(folder, name)));
}

function isOutside(path: string): boolean {
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
}

function outside(name: string): Error {
  return new Error(`${name} must be a path inside the folder of this file, also after links`);
}

function namingFile<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw new Error(`${name} ${fileErrorReason(thrown)}`, { cause: thrown });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read',
  EISDIR: 'is not a file',
};

/** @returns why a file cannot be read, after its name */
export function fileErrorReason(thrown: unknown): string {
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  if (code === '') return message;
  return reasons[code] ?? `cannot be read: ${message}`;
}
