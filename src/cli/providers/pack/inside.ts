// Decides whether a path is in a folder. Pure: links are resolved before.
import { isAbsolute, relative, sep } from 'node:path';

/** @returns true for the folder itself, too */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
