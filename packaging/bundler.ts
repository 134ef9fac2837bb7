// Whether something can be bundled here: esbuild is a development dependency, and the image has no sources of clients.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** @param entry path of the first module, from the root of the project */
export function hasBundler(entry: string): boolean {
  try {
    createRequire(import.meta.url).resolve('esbuild');
    return existsSync(resolve(import.meta.dirname, '..', entry));
  } catch {
    return false;
  }
}
