// Folders of the cache appear as a whole: they are made beside their place and renamed. Several processes may make the same at once.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Moves a folder to its place. Where another process was first, its folder stays, as the content is the same, and `from` is removed.
 * @param from on the file system of `to`
 */
export function publishFolder(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  try {
    renameSync(from, to);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw thrown;
    rmSync(from, { recursive: true, force: true });
  }
}
