// Finds the package of this client, which is also the SDK of providers. No registry is used for it: what has its name there may
// be somebody else's.
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** @returns the folder of the package, undefined for a bundle without one */
export function ownPackage(): string | undefined {
  const [, program] = process.argv;
  if (program === undefined || !existsSync(program)) return undefined;
  const folder = resolve(dirname(realpathSync(program)), '..');
  return existsSync(join(folder, 'sdk/index.js')) ? folder : undefined;
}

/** @returns the package as a dependency of one in another folder, which exists, such as `file:../sdk` */
export function linkFrom(folder: string, target: string): string {
  return `file:${relative(realpathSync(folder), target).replaceAll('\\', '/')}`;
}
