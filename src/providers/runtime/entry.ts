// Resolves package.json to the entry file as Node does, and also supports an `index.ts` when no entry is given, which Node,
// expecting JavaScript, does not.

import { readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isJsonObject } from '../../lib/json.ts';
import { LoadFailure } from './load-failure.ts';

const conditions = ['node', 'import', 'module-sync', 'default'];
const unsaid = ['index.js', 'index.mjs', 'index.ts', 'index.mts', 'src/index.ts', 'src/index.js'];

/**
 * @returns the path of the entry
 * @throws LoadFailure `no_package`, `invalid_package`, `no_entry`
 */
export function codeEntry(codeFolder: string): string {
  const manifest = readPackage(codeFolder);
  const said = manifest.exports === undefined ? manifest.main : exported(manifest.exports);
  if (manifest.exports === undefined && typeof said !== 'string') return unsaidEntry(codeFolder);
  if (typeof said !== 'string') {
    throw new LoadFailure('no_entry', 'package.json has exports, but none for "."');
  }
  const path = resolve(codeFolder, said);
  if (relative(codeFolder, path).startsWith('..')) {
    throw new LoadFailure('no_entry', `package.json names ${said}, which is outside the package`);
  }
  const found = ['', '.js', '/index.js'].map((end) => `${path}${end}`).find(isFile);
  if (found === undefined) {
    throw new LoadFailure(
      'no_entry',
      `package.json names ${said}, which does not exist after the build`,
    );
  }
  return found;
}

function unsaidEntry(codeFolder: string): string {
  const found = unsaid.map((name) => join(codeFolder, name)).find(isFile);
  if (found !== undefined) return found;
  const files = unsaid.join(', ');
  throw new LoadFailure(
    'no_entry',
    `package.json has neither exports nor main, and none of ${files} exists`,
  );
}

function readPackage(codeFolder: string): { exports?: unknown; main?: unknown } {
  const path = join(codeFolder, 'package.json');
  if (!isFile(path))
    throw new LoadFailure('no_package', 'The code has no package.json in its root folder');
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
    if (isJsonObject(manifest)) return manifest;
  } catch {
    // Reported below.
  }
  throw new LoadFailure('invalid_package', 'package.json is not a JSON object');
}

/** @returns the target of the package itself in `exports`, under the conditions of `import` */
function exported(exports: unknown): unknown {
  if (typeof exports === 'string') return exports;
  if (Array.isArray(exports)) return exports.map(exported).find((each) => typeof each === 'string');
  if (!isJsonObject(exports)) return undefined;
  if ('.' in exports) return exported(exports['.']);
  for (const [name, value] of Object.entries(exports)) {
    const found = conditions.includes(name) ? exported(value) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
