// Whether something can be built here: the tools are development dependencies, and the image has no sources of clients.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** @param entry path of the first module, from the root of the project */
export function canBuild(entry: string, tool: 'esbuild' | 'typescript' = 'esbuild'): boolean {
  try {
    createRequire(import.meta.url).resolve(`${tool}/package.json`);
    return existsSync(resolve(import.meta.dirname, '..', entry));
  } catch {
    return false;
  }
}
