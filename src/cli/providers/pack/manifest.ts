// Finds the folder of a provider, reads its package.json, and derives the name of the provider.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { providerPattern } from '../../../domain/identity.ts';
import { readFolderFile } from '../../session/context/folder-file.ts';
import type { Environment } from '../../terminal/environment.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';

interface PackageManifest {
  readonly name?: unknown;
  readonly files?: unknown;
  readonly main?: unknown;
  readonly exports?: unknown;
  readonly scripts?: unknown;
}

/**
 * @param folder as given; without it the nearest folder with a package.json, from the working folder upwards
 * @throws CliError when there is none
 */
export function packageRoot(folder: string | undefined, { folder: here }: Environment): string {
  if (folder !== undefined) {
    const root = resolve(here, folder);
    if (existsSync(join(root, 'package.json'))) return root;
    throw usageError(
      `${folder} has no package.json.`,
      'A new provider: fairlead init NAME, then fairlead push NAME',
    );
  }
  for (let at = here; ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at;
    if (at === dirname(at)) break;
  }
  throw usageError(
    'There is no package.json here or in a folder above.',
    'A new provider: fairlead init NAME, then fairlead push NAME',
  );
}

/** @throws CliError for a file that is not a JSON object */
export function readManifest(root: string): PackageManifest {
  const path = join(root, 'package.json');
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (thrown) {
    const message = (thrown as Error).message.replace(/\.$/, '');
    throw usageError(`${path} cannot be read: ${message}.`);
  }
  throw usageError(`${path} must be a JSON object.`);
}

/** @throws CliError when no name follows from the folder */
export async function providerNameOf(
  root: string,
  given: string | undefined,
  environment: Environment,
): Promise<string> {
  const settings = await readFolderFile({ ...environment, folder: root });
  const name = given ?? settings?.provider ?? nameInCode(root) ?? nameOfPackage(root);
  if (name !== undefined && providerPattern.test(name)) return name;
  if (name === undefined) {
    throw usageError('The folder does not name its provider.', 'fairlead push --provider NAME');
  }
  throw usageError(
    `The name of a provider has lower-case letters, digits and dashes (at most 40), not "${name}".`,
    'fairlead push --provider NAME',
  );
}

/** @returns the module with the provider, undefined when there is none; before a build it may not be there yet */
export function manifestEntry(root: string): string | undefined {
  const { exports, main } = readManifest(root);
  const named = [exportTarget(exports), main].filter((each) => typeof each === 'string');
  const usual = ['index.js', 'index.mjs', 'index.ts', 'index.mts', 'src/index.ts', 'src/index.js'];
  return [...named, ...usual].map((entry) => join(root, entry)).find((path) => existsSync(path));
}

/** @returns the path that an import of the package reads, as its manifest names it */
export function importTarget({ exports, main }: PackageManifest): string | undefined {
  const target = exports === undefined ? main : exportTarget(exports);
  return typeof target === 'string' ? target.replace(/^\.\//, '') : undefined;
}

/** The target of `.` in `exports`, under the conditions of an import. */
function exportTarget(exports: unknown): unknown {
  if (typeof exports !== 'object' || exports === null) return exports;
  const conditions = exports as Readonly<Record<string, unknown>>;
  return exportTarget(conditions['.'] ?? conditions['import'] ?? conditions['default']);
}

/** The code is not run: it may do anything. The build refuses a name that differs. */
function nameInCode(root: string): string | undefined {
  const entry = manifestEntry(root);
  if (entry === undefined) return undefined;
  const code = readFileSync(entry, 'utf8');
  return /\bexport\s+default\s+provider\(\s*['"]([^'"]+)['"]/.exec(code)?.[1];
}

function nameOfPackage(root: string): string | undefined {
  const { name } = readManifest(root);
  if (typeof name !== 'string') return undefined;
  return name
    .replace(/^@[^/]*\//, '')
    .replace(/^fairlead-(?:provider-)?/, '')
    .replace(/-provider$/, '');
}
