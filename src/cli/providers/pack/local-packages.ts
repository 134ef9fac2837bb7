// Finds the dependencies of a provider that are folders or files of this machine, and theirs: packages of its workspace, and `file:`.
// A build sees neither the folders around the provider nor links, so these travel as tarballs in the archive.
import { existsSync, globSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { isJsonObject, jsonIn, textItems } from '../../../lib/json.ts';
import { satisfies } from '../../../lib/version-range.ts';
import { readMapping, readSettingsFile } from '../../session/context/mapping.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import { isWithin } from './inside.ts';
import { readManifest } from './manifest.ts';
import { isTarball } from './tarball.ts';

/** The folder of tarballs in the archive. */
export const tarballFolder = '.local-packages';

/** Builds have it. */
export const sdk = 'fairlead';

export interface LocalPackage {
  readonly name: string;
  readonly version: string;
  /** Real path of its folder, or of its tarball. */
  readonly place: string;
  readonly isTarball: boolean;
  /** Name of its file in `tarballFolder`. */
  readonly file: string;
}

export interface LocalPackages {
  readonly workspace: Workspace | undefined;
  readonly packages: readonly LocalPackage[];
  /** @returns which package a dependency of the manifest in `folder` is; undefined for one of a registry */
  of(folder: string, name: string, spec: string): LocalPackage | undefined;
}

/**
 * @param root real path
 * @param admitted folders and tarballs of `--local`
 * @throws CliError for a dependency that is not there, or in a place of somebody else
 */
export async function localPackages(
  root: string,
  admitted: readonly string[],
): Promise<LocalPackages> {
  const workspace = await workspaceAround(root);
  const within = userFolders(root).repository ?? workspace?.root ?? root;
  const named = admitted.filter((each) => existsSync(each)).map((each) => realpathSync(each));
  const places = [within, ...named];
  const byPlace = new Map<string, LocalPackage>();
  const of: LocalPackages['of'] = (folder, name, spec) => {
    const place = packagePlace({ folder, name, spec }, { root, workspace });
    return place === undefined ? undefined : byPlace.get(place);
  };
  const waiting = [root];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const [name, spec] of packageDependencies(folder, folder === root)) {
      const place = packagePlace({ folder, name, spec }, { root, workspace });
      if (place === undefined || byPlace.has(place)) continue;
      refuseOthers({ folder, name, spec }, place, places);
      const found = describedPackage(name, place, byPlace.size);
      byPlace.set(place, found);
      if (!found.isTarball) waiting.push(place);
    }
  }
  return { workspace, packages: [...byPlace.values()], of };
}

/** @returns what npm installs in a build for a manifest: development dependencies only for the provider itself */
function packageDependencies(
  folder: string,
  isProvider: boolean,
): readonly (readonly [string, string])[] {
  const manifest = readManifest(folder) as Readonly<
    Record<string, Readonly<Record<string, string>> | undefined>
  >;
  const kinds = [
    'dependencies',
    'optionalDependencies',
    ...(isProvider ? ['devDependencies'] : []),
  ];
  const all = kinds.flatMap((kind) => Object.entries(manifest[kind] ?? {}));
  return all.filter(([name, spec]) => name !== sdk && typeof spec === 'string');
}

interface LocalPackageDependency {
  readonly folder: string;
  readonly name: string;
  readonly spec: string;
}

function packagePlace(
  dependency: LocalPackageDependency,
  { root, workspace }: { root: string; workspace: Workspace | undefined },
): string | undefined {
  const { folder, name, spec } = dependency;
  const named =
    /^(?:file|link|portal):(.+)/.exec(spec)?.[1] ??
    /^(?:workspace:)?(\.\.?(?:\/.*)?)$/.exec(spec)?.[1];
  if (named !== undefined) return placeAt(resolve(folder, named), dependency, root);
  const member = workspace?.packages.get(name);
  if (member !== undefined) return isMember(dependency, member) ? member : undefined;
  if (!spec.startsWith('workspace:')) return undefined;
  throw new CliError(`${name} of ${join(folder, 'package.json')} is in no workspace around it.`, {
    exit: ExitCode.usage,
    facts: [`${name}: ${spec}`],
    next: 'A package of a workspace is listed by "workspaces" of package.json, or by pnpm-workspace.yaml.',
  });
}

/** @returns undefined for a tarball that is a part of the code */
function placeAt(path: string, { folder, name, spec }: LocalPackageDependency, root: string) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (!stat.isFile() && !existsSync(join(path, 'package.json')))) {
    throw new CliError(`${name} of ${join(folder, 'package.json')} is not there.`, {
      exit: ExitCode.usage,
      facts: [`${name}: ${spec}`],
      next: `Remove it from the dependencies, or name a folder with a package.json.`,
    });
  }
  const place = realpathSync(path);
  const isPart = folder === root && !relative(root, place).startsWith('..');
  return stat.isFile() && isPart ? undefined : place;
}

/** A manifest may be a stranger's, and could name any file of the person. */
function refuseOthers(
  { folder, name, spec }: LocalPackageDependency,
  place: string,
  places: readonly string[],
): void {
  const refused = (sentence: string, next: string) =>
    new CliError(sentence, { exit: ExitCode.usage, facts: [`${name}: ${spec}`], next });
  const manifest = join(folder, 'package.json');
  if (!places.some((each) => isWithin(each, place))) {
    throw refused(
      `${name} of ${manifest} is outside of the repository and the workspace.`,
      'If its code may be uploaded, name its path: fairlead push --local PATH',
    );
  }
  if (lstatSync(place).isFile() && !isTarball(place)) {
    throw refused(
      `${name} of ${manifest} is no tarball of a package.`,
      'Name a folder with a package.json, or a file that npm pack has made.',
    );
  }
}

/** A dependency with the name of a package of the workspace may be another one, of a registry. */
function isMember({ folder, name, spec }: LocalPackageDependency, member: string): boolean {
  if (spec.startsWith('workspace:')) return true;
  const installed = installedFor(folder, name);
  if (installed !== undefined) return installed === member;
  const version = packageVersion(member);
  const isAny = ['', '*', version].includes(spec.trim());
  return isAny || (/^\d+\.\d+\.\d+$/.test(version) && satisfies(version, spec) === true);
}

/** @returns where npm, or another installer, has put or linked the dependency of a folder */
function installedFor(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const installed = join(at, 'node_modules', name);
    if (existsSync(installed)) return realpathSync(installed);
    if (at === dirname(at)) return undefined;
  }
}

function packageVersion(place: string): string {
  const { version } = readManifest(place) as { readonly version?: unknown };
  return typeof version === 'string' ? version : '0.0.0';
}

/** @param count of the packages before it: names of manifests are no names of files */
function describedPackage(name: string, place: string, count: number): LocalPackage {
  const isFile = lstatSync(place).isFile();
  const version = isFile ? '' : packageVersion(place);
  return { name, version, place, isTarball: isFile, file: `${count + 1}.tgz` };
}

// Finds the packages of the workspace around a provider: the `workspaces` of npm, Yarn and Bun, and pnpm-workspace.yaml.

interface Workspace {
  /** Folder with the manifest, and the lock file, of the whole. */
  readonly root: string;
  /** Real folders of its packages, by name. */
  readonly packages: ReadonlyMap<string, string>;
}

/** @returns the nearest workspace that a folder is a part of */
async function workspaceAround(folder: string): Promise<Workspace | undefined> {
  const own = realpathSync(folder);
  for (const root of userFolders(own).folders) {
    const patterns = await patternsAt(root);
    if (patterns.length > 0) {
      const folders = foldersOf(root, patterns);
      if (root === own || folders.includes(own)) {
        return { root, packages: new Map(folders.flatMap(namedPackage)) };
      }
    }
  }
  return undefined;
}

async function patternsAt(root: string): Promise<readonly string[]> {
  const pnpm = await readMapping(join(root, 'pnpm-workspace.yaml'));
  if (pnpm !== undefined) return textItems(pnpm['packages']);
  const { workspaces } = manifestAt(root);
  if (Array.isArray(workspaces)) return textItems(workspaces);
  return textItems((workspaces as { readonly packages?: unknown } | undefined)?.packages);
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

function namedPackage(folder: string): (readonly [string, string])[] {
  const { name } = manifestAt(folder);
  return typeof name === 'string' ? [[name, folder]] : [];
}

/** A manifest that cannot be read is none: folders above may be anybody's. */
function manifestAt(folder: string): { readonly name?: unknown; readonly workspaces?: unknown } {
  const value = jsonIn(readSettingsFile(join(folder, 'package.json')) ?? '');
  return isJsonObject(value) ? value : {};
}

// Decides which folders around a provider are those of its author: up to the root of the git repository, and never a home folder, a
// folder of another user, or one such as /tmp where everybody may write. A stranger's file above would add code to a push.

interface OwnFolders {
  /** Real paths, that of the provider first. */
  readonly folders: readonly string[];
  /** Root of the git repository. */
  readonly repository: string | undefined;
}

function userFolders(folder: string): OwnFolders {
  const own = realpathSync(folder);
  const { uid } = statSync(own);
  const home = existsSync(homedir()) ? realpathSync(homedir()) : homedir();
  const folders: string[] = [];
  for (let at = own; ; at = dirname(at)) {
    folders.push(at);
    if (existsSync(join(at, '.git'))) return { folders, repository: at };
    const above = dirname(at);
    if (above === at || above === home || !isOwnedBy(uid, above)) {
      return { folders, repository: undefined };
    }
  }
}

function isOwnedBy(uid: number, folder: string): boolean {
  // Windows has neither.
  if (process.platform === 'win32') return true;
  const stat = statSync(folder);
  return stat.uid === uid && (stat.mode & 0o002) === 0;
}
