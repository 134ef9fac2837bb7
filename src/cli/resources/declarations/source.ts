// Reads the files of `-f`: files, folders and standard input.
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Environment, variableIn } from '../../terminal/environment.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import { type FolderReading, filesOfFolder } from './folder.ts';
import { textOfBytes } from './text.ts';
import { fileErrorReason, readWithin } from './within.ts';

/** A text with its name for people. */
export interface Source {
  readonly name: string;
  readonly text: string;
  readonly insertions: Insertions;
}

/** Reads what a text names outside of itself. Each throws an Error with the rule that forbids it. */
export interface Insertions {
  file(path: string): string;
  variable(name: string): string;
}

const standardInput = '-';
/** Name of standard input for people. */
export const inputName = 'stdin';

/** @throws CliError for a file that cannot be read, or a folder without files */
export async function readSources(
  names: readonly string[],
  environment: Environment,
  how: FolderReading = {},
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const name of names) {
    if (name === standardInput) sources.push(await fromInput(environment));
    else sources.push(...fromPath(name, environment, how));
  }
  return sources;
}

/** @returns the text of an editor, which inserts nothing: most of it is what the API returned */
export function editedSource(name: string, text: string): Source {
  const refuse = (mark: string): never => {
    throw new Error(`${mark} is not read in an editor; fairlead apply -f FILE inserts it`);
  };
  const insertions = {
    file: () => refuse('!file'),
    variable: () => refuse('!env'),
  };
  return { name, text, insertions };
}

/** It has no folder that its files could be in, and often comes from another machine. */
async function fromInput(environment: Environment): Promise<Source> {
  const parts: Buffer[] = [];
  for await (const part of environment.stdin) parts.push(Buffer.from(part));
  const insertions: Insertions = {
    file() {
      throw new Error('!file is not read on standard input; apply a file that names it');
    },
    variable: (name) => variableOf(environment, name),
  };
  const text = reading(inputName, () => textOfBytes(Buffer.concat(parts)));
  return { name: inputName, text, insertions };
}

function fromPath(name: string, environment: Environment, how: FolderReading): Source[] {
  const path = resolve(environment.folder, name);
  const read = (file: string, at: string) => fromFile(file, at, environment);
  if (!reading(name, () => statSync(path)).isDirectory()) return [read(name, path)];
  const files = reading(name, () => filesOfFolder(path, name, how));
  if (files.length === 0 && how.mayBeEmpty !== true)
    throw usageError(`The folder ${name} has no YAML or JSON files to read.`);
  return files.map((file) => read(join(name, file), join(path, file)));
}

function fromFile(name: string, path: string, environment: Environment): Source {
  const text = reading(name, () => textOfBytes(readFileSync(path)));
  const insertions: Insertions = {
    file: (named) => readWithin(dirname(path), named),
    variable: (named) => variableOf(environment, named),
  };
  return { name, text, insertions };
}

function variableOf(environment: Environment, name: string): string {
  const value = variableIn(environment, name);
  if (value === undefined) {
    const is = environment.variables[name] === '' ? 'is empty' : 'is not set';
    throw new Error(`the environment variable ${name} ${is}`);
  }
  return value;
}

function reading<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw usageError(`${name} ${fileErrorReason(thrown)}.`);
  }
}
