// Chooses the files of a folder of `-f`: its YAML and JSON files without the settings of tools, with `-R` also those of its
// sub-folders. It names what it leaves out.
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { firstNames } from '../../../lib/text.ts';
import type { Invocation } from '../../session/invocation.ts';

export interface FolderReading {
  /** Also the sub-folders of folders. */
  readonly isRecursive?: boolean;
  /** No document is no error. */
  readonly mayBeEmpty?: boolean;
  /** Receives a sentence about what a folder has and is not read. */
  readonly note?: (text: string) => void;
  /** Receives a sentence about what other programs read otherwise. */
  readonly warn?: (text: string) => void;
}

/** The reading of folders, by the flag `-R` of a command. */
export function readingFor({ flags, talk }: Pick<Invocation, 'flags' | 'talk'>): FolderReading {
  return {
    isRecursive: flags.on('recursive'),
    note: (text) => talk.note(text),
    warn: (text) => talk.warn(text),
  };
}

const extension = /\.(?:ya?ml|json)$/i;
/** Settings of the client and of tools that a folder of a provider has. */
const settings =
  /^(?:fairlead\.ya?ml|settings\.local\.ya?ml|(?:package|package-lock|[jt]sconfig(?:\..+)?|biome|deno)\.json|pnpm-(?:lock|workspace)\.ya?ml)$/;
const maxNamed = 5;

/** @param name of the folder for people. @returns names below it, in their order */
export function filesOfFolder(
  path: string,
  name: string,
  { isRecursive, note }: FolderReading,
): string[] {
  const found = folderContent(path, isRecursive === true);
  const skipped = found.settings.map((each) => join(name, each));
  const folders = found.folders.map((each) => join(name, each));
  const parts = [
    ...(skipped.length === 0 ? [] : [`${firstNames(skipped, maxNamed)} (no declarations)`]),
    ...(folders.length === 0 ? [] : [`${firstNames(folders, maxNamed)} (-R reads sub-folders)`]),
  ];
  if (parts.length > 0) note?.(`Not read: ${parts.join('; ')}.`);
  return found.files;
}

interface FolderContent {
  readonly files: string[];
  readonly settings: string[];
  /** Folders with files that are not read. */
  readonly folders: string[];
}

function folderContent(path: string, isRecursive: boolean): FolderContent {
  const entries = sortedEntries(path);
  const names = entries.filter((each) => !each.isDirectory() && extension.test(each.name));
  const found: FolderContent = { files: [], settings: [], folders: [] };
  for (const { name } of names) (settings.test(name) ? found.settings : found.files).push(name);
  for (const { name } of entries.filter(isFolder)) {
    if (!isRecursive) {
      if (hasFiles(join(path, name))) found.folders.push(name);
      continue;
    }
    const below = folderContent(join(path, name), true);
    found.files.push(...below.files.map((each) => join(name, each)));
    found.settings.push(...below.settings.map((each) => join(name, each)));
  }
  return found;
}

function hasFiles(path: string): boolean {
  const entries = sortedEntries(path);
  const isFile = (each: Dirent) =>
    !each.isDirectory() && extension.test(each.name) && !settings.test(each.name);
  return (
    entries.some(isFile) || entries.filter(isFolder).some(({ name }) => hasFiles(join(path, name)))
  );
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory() && entry.name !== 'node_modules';
}

/** Without hidden ones. */
function sortedEntries(path: string): Dirent[] {
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
