// Reads the first line of a file of the code, which may be a link to any other.
import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';

const maxBytes = 256;

/** @returns the line with its end; undefined for what is no file of the code */
export function firstLine(codeFolder: string, path: string): string | undefined {
  try {
    const file = realpathSync(resolve(codeFolder, path));
    return file.startsWith(`${realpathSync(codeFolder)}${sep}`) ? beginning(file) : undefined;
  } catch {
    return undefined;
  }
}

function beginning(file: string): string | undefined {
  const open = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(maxBytes);
    return /^.*\r?\n?/.exec(bytes.toString('utf8', 0, readSync(open, bytes)))?.[0];
  } finally {
    closeSync(open);
  }
}
