// Reads and changes config.yaml: the contexts of a person. Comments and order survive a change.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Environment } from '../../terminal/environment.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import { invalidFile, mappingOf, readMapping, readSettingsFile, requireTexts } from './mapping.ts';
import { configPath } from './places.ts';

export interface ContextSettings {
  readonly url: string;
  readonly project?: string;
  readonly output?: string;
}

export interface ConfigFile {
  readonly current: string | undefined;
  readonly contexts: ReadonlyMap<string, ContextSettings>;
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** @throws CliError for a file that is not as it must be */
export async function readConfig(environment: Environment): Promise<ConfigFile> {
  const path = configPath(environment);
  const { current, contexts, ...rest } = (await readMapping(path)) ?? {};
  requireTexts(rest, [], { path });
  if (current !== undefined && typeof current !== 'string') {
    throw invalidFile(path, 'current must be text');
  }
  const entries = Object.entries(mappingOf(contexts ?? {}, path, 'contexts')).map(
    ([name, settings]) => [name, settingsFrom(settings, path, `contexts.${name}`)] as const,
  );
  return { current, contexts: new Map(entries) };
}

function settingsFrom(value: unknown, path: string, where: string): ContextSettings {
  const settings = mappingOf(value, path, where);
  requireTexts(settings, ['url', 'project', 'output'], { path, prefix: `${where}.` });
  if (settings['url'] === undefined) throw invalidFile(path, `${where}.url is missing`);
  return settings as unknown as ContextSettings;
}

/** Writes a context, and makes it the current one if `isCurrent` or if there is none yet. */
export async function writeContext(
  environment: Environment,
  { name, settings, isCurrent }: { name: string; settings: ContextSettings; isCurrent: boolean },
): Promise<void> {
  if (!namePattern.test(name)) {
    throw usageError(`The name of a context has letters, digits, dots and dashes, not "${name}".`);
  }
  await editConfig(environment, (document) => {
    document.setIn(['contexts', name], document.createNode(settings));
    if (isCurrent || document.get('current') === undefined) document.set('current', name);
  });
}

export async function setCurrent(environment: Environment, name: string): Promise<void> {
  await editConfig(environment, (document) => document.set('current', name));
}

export async function removeContext(environment: Environment, name: string): Promise<void> {
  await editConfig(environment, (document) => {
    document.deleteIn(['contexts', name]);
    if (document.get('current') === name) document.delete('current');
  });
}

type Document = import('yaml').Document;

async function editConfig(
  environment: Environment,
  edit: (document: Document) => void,
): Promise<void> {
  await readConfig(environment);
  const path = configPath(environment);
  const { parseDocument } = await import('yaml');
  const document = parseDocument(readSettingsFile(path) ?? '') as unknown as Document;
  if (document.contents === null) document.contents = document.createNode({});
  edit(document);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, document.toString(), { mode: 0o600 });
  renameSync(beside, path);
}
