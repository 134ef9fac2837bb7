// Packs a folder so that equal files give equal bytes: sorted, with one time, and without the owner and mask of whoever packs.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import ignore from 'ignore';
import { create } from 'tar';
import type { Checkout } from './checkout.ts';

export interface Packing {
  readonly to: string;
  /** The folder in the archive. */
  readonly prefix: string;
  readonly checkout: Checkout;
}

/** Leaves out what a `.helmignore` of the folder names. */
export async function packFolder(folder: string, { to, prefix, checkout }: Packing): Promise<void> {
  const mtime = checkout.committedAt;
  const options = { file: to, cwd: folder, prefix, mtime, portable: true, gzip: { level: 9 } };
  await create({ ...options, noDirRecurse: true }, await packedFiles(folder));
}

/** @returns paths in the folder, with `/`, sorted by code units on every machine */
export async function packedFiles(folder: string): Promise<string[]> {
  const list = join(folder, '.helmignore');
  const ignored = ignore().add(existsSync(list) ? await readFile(list, 'utf8') : '');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .filter((path) => !ignored.ignores(path))
    .sort();
}
