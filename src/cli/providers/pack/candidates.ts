// Lists the files of a folder that are to be packed, before the rules of the client itself: with git where the folder is in a
// repository, otherwise by a walk that reads .gitignore at every level.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { readSettingsFile } from '../../session/context/mapping.ts';
import type { Environment } from '../../terminal/environment.ts';
import { gitFiles } from './git.ts';

export interface LeftOut {
  /** Relative, with `/`; a folder ends with it. */
  readonly path: string;
  /** The file that left it out, such as `.gitignore`. */
  readonly by: string;
}

export interface PackCandidates {
  readonly files: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

export const gitignore = '.gitignore';

/** Never packed and never mentioned: everybody expects it. */
const skipped: readonly string[] = ['.git', 'node_modules'];

export function isSkipped(path: string): boolean {
  return path.split('/').some((part) => skipped.includes(part));
}

/** @returns the files that git tracks or would track; undefined where git cannot decide */
export function filesOfGit(root: string, environment: Environment): PackCandidates | undefined {
  const listed = gitFiles(root, ['-co'], environment);
  // Without its manifest the folder itself is ignored, such as one in a folder for experiments.
  if (listed === undefined || !listed.includes('package.json')) return undefined;
  const ignored = gitFiles(root, ['-oi', '--directory'], environment);
  const files = listed.filter((path) => !isSkipped(path)).flatMap((path) => filesAt(root, path));
  const leftOut = (ignored ?? [])
    .filter((path) => !isSkipped(path))
    .map((path) => ({ path, by: gitignore }));
  return { files: [...new Set(files)], leftOut };
}

/**
 * A repository within the repository is listed as a folder, and is walked: its configuration is not of the person who has cloned
 * the outer one. A file that is deleted but not committed is still listed.
 */
function filesAt(root: string, path: string): readonly string[] {
  const place = join(root, path);
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [path];
  const folder = path.replace(/\/$/, '');
  return walkFolder(place, gitignore).files.map((each) => `${folder}/${each}`);
}

interface Level {
  /** Relative folder of the rules, '' or with `/` at its end. */
  readonly folder: string;
  readonly rules: Ignore;
}

/** @param ignoreFile the name of the files with rules; undefined for no rules */
export function walkFolder(root: string, ignoreFile: string | undefined): PackCandidates {
  const found = { files: [] as string[], leftOut: [] as LeftOut[] };
  visitFolder('', { root, ignoreFile, above: [], ...found });
  return found;
}

interface FolderVisit extends PackCandidates {
  readonly root: string;
  readonly ignoreFile: string | undefined;
  /** The nearest folder first. */
  readonly above: readonly Level[];
  readonly files: string[];
  readonly leftOut: LeftOut[];
}

function visitFolder(folder: string, walking: FolderVisit): void {
  const { root, ignoreFile = '', files, leftOut } = walking;
  const levels = withRulesOf(folder, walking);
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (skipped.includes(entry.name)) continue;
    const isFolder = entry.isDirectory();
    const path = `${folder}${entry.name}${isFolder ? '/' : ''}`;
    if (isIgnored(path, levels)) leftOut.push({ path, by: ignoreFile });
    else if (isFolder) visitFolder(path, { ...walking, above: levels });
    else files.push(path);
  }
}

function withRulesOf(folder: string, { root, ignoreFile, above }: FolderVisit): readonly Level[] {
  if (ignoreFile === undefined) return above;
  const text = readSettingsFile(join(root, folder, ignoreFile));
  if (text === undefined) return above;
  return [{ folder, rules: ignore().add(text) }, ...above];
}

/** The rules of the nearest folder that match decide. */
function isIgnored(path: string, levels: readonly Level[]): boolean {
  for (const { folder, rules } of levels) {
    const { ignored, unignored } = rules.test(path.slice(folder.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}
