// Reads YAML files of settings and reports what is wrong in them by file and field.
import { readFileSync } from 'node:fs';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';

type Mapping = Readonly<Record<string, unknown>>;

/** @returns the fields of a YAML file, undefined when there is no such file. @throws CliError */
export async function readMapping(path: string): Promise<Mapping | undefined> {
  const text = readSettingsFile(path);
  if (text === undefined) return undefined;
  const { parse } = await import('yaml');
  try {
    return mappingOf(parse(text) ?? {}, path, 'the file');
  } catch (thrown) {
    throw thrown instanceof CliError ? thrown : invalidFile(path, (thrown as Error).message);
  }
}

/** @returns the text of a file, undefined when there is none. @throws CliError when it cannot be read */
export function readSettingsFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw usageError(`A settings file cannot be read: ${message}.`);
  }
}

/** @param where the name of the value in messages. @throws CliError */
export function mappingOf(value: unknown, path: string, where: string): Mapping {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Mapping;
  throw invalidFile(path, `${where} must be a mapping`);
}

/** Requires every field to be one of `names`, and text. @throws CliError */
export function requireTexts(
  mapping: Mapping,
  names: readonly string[],
  { path, prefix = '' }: { path: string; prefix?: string },
): void {
  for (const [name, value] of Object.entries(mapping)) {
    if (!names.includes(name)) throw invalidFile(path, `unknown field ${prefix}${name}`);
    if (typeof value !== 'string') throw invalidFile(path, `${prefix}${name} must be text`);
  }
}

export function invalidFile(path: string, problem: string): CliError {
  return usageError(`${path} is invalid: ${problem.trim().replace(/[.:]$/, '')}.`);
}
