// Reads the configs with which `dev` checks handlers, from files beside package.json that can be applied too: the first document of
// a type in *.example.yaml is created, and changed to that of *.changed.yaml or else to the second one. Those of *.v1.example.yaml are
// of version 1 of their type.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { invalidFile } from '../context/mapping.ts';
import { localSettingsFile } from '../pack/secrets.ts';
import type { CheckedTypeCase } from './check-program.ts';

interface ConfigExample {
  readonly type: string;
  readonly config: object;
  /** The name of the file. */
  readonly file: string;
}

/** @returns a case for each type that has an example. @throws CliError for a file that is no YAML */
export async function examplesIn(root: string): Promise<Readonly<Record<string, CheckedTypeCase>>> {
  const cases: Record<string, CheckedTypeCase> = {};
  for await (const { type, config } of documentsOf(root, /(?<!\.v\d+)\.example\.ya?ml$/)) {
    const known = cases[type];
    cases[type] = known === undefined ? { config } : { changed: config, ...known };
  }
  for await (const { type, config: changed } of documentsOf(root, /\.changed\.ya?ml$/)) {
    const known = cases[type];
    if (known !== undefined) cases[type] = { ...known, changed };
  }
  for await (const { type, config, file } of documentsOf(root, /\.v\d+\.example\.ya?ml$/)) {
    const known = cases[type];
    const version = Number(/\.v(\d+)\.example\./.exec(file)?.[1]);
    const others = known?.earlier?.[version] ?? [];
    const earlier = { ...known?.earlier, [version]: [...others, config] };
    if (known !== undefined) cases[type] = { ...known, earlier };
  }
  return cases;
}

/** @returns the settings for handlers, by their names; none without the file. @throws CliError for a file that is no YAML */
export async function localSettings(root: string): Promise<object> {
  const path = join(root, localSettingsFile);
  if (!existsSync(path)) return {};
  const { parseDocument } = await import('yaml');
  const document = parseDocument(readFileSync(path, 'utf8'));
  const [error] = document.errors;
  // Not its message, which quotes the line.
  if (error !== undefined) throw invalidFile(path, error.code);
  const values = document.toJS() as unknown;
  return typeof values === 'object' && values !== null ? values : {};
}

async function* documentsOf(root: string, names: RegExp): AsyncIterable<ConfigExample> {
  for (const file of readdirSync(root).sort()) {
    if (names.test(file)) yield* await examplesOf(root, file);
  }
}

async function examplesOf(root: string, file: string): Promise<readonly ConfigExample[]> {
  const path = join(root, file);
  const { parseAllDocuments } = await import('yaml');
  return [...parseAllDocuments(readFileSync(path, 'utf8'))].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw invalidFile(path, error.message);
    const example = exampleIn(document.toJS() as unknown);
    return example === undefined ? [] : { ...example, file };
  });
}

/** `resource` is `provider/type/name`, or only the type beside `provider` and `name`. */
function exampleIn(value: unknown): Omit<ConfigExample, 'file'> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { resource, config = {} } = value as { resource?: unknown; config?: unknown };
  if (typeof resource !== 'string' || typeof config !== 'object' || config === null)
    return undefined;
  const parts = resource.split('/');
  return { type: parts[1] ?? resource, config };
}
