// Finds the packages of the workspace around a provider: the `workspaces` of npm, Yarn and Bun, and pnpm-workspace.yaml.
import { globSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject, jsonIn } from '../../lib/json.ts';
import { readMapping, readSettings } from '../context/mapping.ts';
import { ownFolders } from './own-folders.ts';

export interface Workspace {
  /** Folder with the manifest, and the lock file, of the whole. */
  readonly root: string;
  /** Real folders of its packages, by name. */
  readonly packages: ReadonlyMap<string, string>;
}

/** @returns the nearest workspace that a folder is a part of */
export async function workspaceAround(folder: string): Promise<Workspace | undefined> {
  const own = realpathSync(folder);
  for (const root of ownFolders(own).folders) {
    const patterns = await patternsAt(root);
    if (patterns.length > 0) {
      const folders = foldersOf(root, patterns);
      if (root === own || folders.includes(own)) {
        return { root, packages: new Map(folders.flatMap(named)) };
      }
    }
  }
  return undefined;
}

async function patternsAt(root: string): Promise<readonly string[]> {
  const pnpm = await readMapping(join(root, 'pnpm-workspace.yaml'));
  if (pnpm !== undefined) return textsIn(pnpm['packages']);
  const { workspaces } = manifestAt(root);
  if (Array.isArray(workspaces)) return textsIn(workspaces);
  return textsIn((workspaces as { readonly packages?: unknown } | undefined)?.packages);
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function foldersOf(root: string, patterns: readonly string[]): readonly string[] {
  const foldersIn = (pattern: string) =>
    globSync(`${pattern.replace(/\/$/, '')}/package.json`, {
      cwd: root,
      exclude: (path) => /(?:^|[/\\])node_modules$/.test(path),
    }).map((path) => realpathSync(dirname(join(root, path))));
  const [out, within] = [
    patterns.filter((each) => each.startsWith('!')).map((each) => each.slice(1)),
    patterns.filter((each) => !each.startsWith('!')),
  ];
  const unwanted = new Set(out.flatMap(foldersIn));
  return [...new Set(within.flatMap(foldersIn))].filter((each) => !unwanted.has(each));
}

function named(folder: string): (readonly [string, string])[] {
  const { name } = manifestAt(folder);
  return typeof name === 'string' ? [[name, folder]] : [];
}

/** A manifest that cannot be read is none: folders above may be anybody's. */
function manifestAt(folder: string): { readonly name?: unknown; readonly workspaces?: unknown } {
  const value = jsonIn(readSettings(join(folder, 'package.json')) ?? '');
  return isJsonObject(value) ? value : {};
}
