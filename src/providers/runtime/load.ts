// Loads a provider from a folder with built code. It runs the author's code: use it only in a dedicated process.
import { pathToFileURL } from 'node:url';
import type { Provider } from '../../sdk/index.ts';
import { codeEntry } from './entry.ts';
import { importProblem } from './import-problem.ts';
import { LoadFailure } from './load-failure.ts';

const maxMessageLength = 1_024;

/**
 * @param expected the name that the provider was uploaded under
 * @throws LoadFailure
 */
export async function loadProvider(codeFolder: string, expected: string): Promise<Provider> {
  const entry = codeEntry(codeFolder);
  const loaded = await importModule(entry, codeFolder);
  if (!('default' in loaded)) {
    const given = Object.keys(loaded).slice(0, 5).join(', ') || 'nothing';
    throw new LoadFailure(
      'no_default_export',
      `The package has no default export (it exports ${given}); write: export default provider("${expected}").types(…)`,
    );
  }
  const provider = providerIn(unwrappedModule(loaded['default']));
  if (provider.name === expected) return provider;
  throw new LoadFailure(
    'other_provider',
    `The code defines provider "${provider.name}" but was pushed to "${expected}"`,
  );
}

async function importModule(
  entry: string,
  codeFolder: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(entry).href)) as Record<string, unknown>;
  } catch (thrown) {
    throw importFailure(thrown, codeFolder);
  }
}

/** @returns the failure of an import, explained for the author */
function importFailure(thrown: unknown, codeFolder: string): LoadFailure {
  const { code } = thrown as { code?: unknown };
  const message = thrownLine(thrown);
  if (code === 'FAIRLEAD_DUPLICATE_TYPE') {
    return new LoadFailure('duplicate_type', message, { cause: thrown });
  }
  const missing = missingPackage(code, message);
  if (missing !== undefined) {
    return new LoadFailure(
      'dependency_not_found',
      `The code imports ${missing}, which is not installed; add it to the dependencies in package.json`,
      { cause: thrown },
    );
  }
  const problem = thrown instanceof Error ? importProblem(thrown, codeFolder) : undefined;
  const kind = thrown instanceof Error ? `${thrown.name}: ` : '';
  const why = problem ?? `${kind}${message}`;
  return new LoadFailure('import_failed', `The code cannot be imported. ${why}`, { cause: thrown });
}

/** A missing file of the code itself has a path instead of a package name. */
function missingPackage(code: unknown, message: string): string | undefined {
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined;
  return /^Cannot find (?:package|module) '([^'./][^']*)'/.exec(message)?.[1];
}

/** Node takes `module.exports` as the default; a default export compiled to CommonJS is a member of it. */
function unwrappedModule(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('__esModule' in value)) return value;
  return 'default' in value ? value.default : value;
}

/** Checks the shape, not the class: the code may contain its own copy of the SDK. */
function providerIn(value: unknown): Provider {
  const unlike = unlikeProvider(value);
  if (unlike === undefined) return value as Provider;
  throw new LoadFailure(
    'not_a_provider',
    `The default export was not created with provider(…) of fairlead/provider: ${unlike}`,
  );
}

function unlikeProvider(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null)
    return `it is ${value === null ? 'null' : `a ${typeof value}`}`;
  const { name, types, settings } = value as Partial<Provider>;
  if (typeof name !== 'string') return 'it has no name';
  if (typeof types === 'function')
    return 'its types are missing; export the result of its types(…)';
  if (!(types instanceof Map)) return 'it has no types';
  if (settings !== undefined && !isSchema(settings)) return 'its settings are not a zod schema';
  const odd = [...types.values()].find((type) => !looksLikeType(type));
  return odd === undefined ? undefined : 'one of its types was not created with resource(…)';
}

function looksLikeType(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const type = value as Record<string, unknown>;
  const handlers = ['create', 'update', 'delete'].every((name) => typeof type[name] === 'function');
  return handlers && isSchema(type['config']) && isSchema(type['outputs']);
}

function isSchema(value: unknown): boolean {
  return typeof (value as { safeParse?: unknown } | undefined)?.safeParse === 'function';
}

function thrownLine(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return (text.split('\n').find((line) => line.trim() !== '') ?? '').slice(0, maxMessageLength);
}
