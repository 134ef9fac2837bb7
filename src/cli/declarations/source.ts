// Reads the files of `-f`: files, folders (their YAML and JSON files, without those of subfolders) and standard input.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { usageError } from '../errors/cli-error.ts';

/** A text with its name for people. */
export interface Source {
  readonly name: string;
  /** Paths in the text are relative to it. */
  readonly folder: string;
  readonly text: string;
}

const extension = /\.(?:ya?ml|json)$/i;
/** Settings of the client, not a declaration. */
const settingsFile = 'fairlead.yaml';
const standardInput = '-';

/** @throws CliError for a file that cannot be read, or a folder without files */
export async function readSources(
  names: readonly string[],
  environment: Environment,
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const name of names) {
    if (name === standardInput) sources.push(await fromInput(environment));
    else sources.push(...fromPath(name, environment.folder));
  }
  return sources;
}

async function fromInput({ stdin, folder }: Environment): Promise<Source> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part));
  return { name: 'stdin', folder, text: Buffer.concat(parts).toString('utf8') };
}

function fromPath(name: string, folder: string): Source[] {
  const path = resolve(folder, name);
  if (!reading(name, () => statSync(path)).isDirectory()) return [fromFile(name, path)];
  const files = reading(name, () => readdirSync(path, { withFileTypes: true }))
    .filter((entry) => !entry.isDirectory() && extension.test(entry.name))
    .map((entry) => entry.name)
    .filter((file) => !file.startsWith('.') && file !== settingsFile)
    .sort();
  if (files.length === 0) throw usageError(`The folder ${name} has no YAML or JSON files.`);
  return files.map((file) => fromFile(join(name, file), join(path, file)));
}

function fromFile(name: string, path: string): Source {
  const text = reading(name, () => readFileSync(path, 'utf8'));
  return { name, folder: dirname(path), text };
}

/** @returns the text of a file that a declaration names. @throws Error with a reason for people */
export function readReferred(name: string, folder: string): string {
  try {
    return readFileSync(resolve(folder, name), 'utf8');
  } catch (thrown) {
    throw new Error(`${basename(name)} ${reasonOf(thrown)}`, { cause: thrown });
  }
}

function reading<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw usageError(`${name} ${reasonOf(thrown)}.`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read',
  EISDIR: 'is a folder',
};

function reasonOf(thrown: unknown): string {
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  return reasons[code] ?? `cannot be read: ${message}`;
}
