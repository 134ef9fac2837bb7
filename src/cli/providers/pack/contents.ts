// Decides what travels in a push: the files of the provider, its local packages as tarballs beside them, and manifests and a lock file
// that name these. It only reads.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { indentedJson } from '../../../lib/json.ts';
import type { Environment } from '../../terminal/environment.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import {
  type LocalPackage,
  type LocalPackages,
  localPackages,
  sdk,
  tarballFolder,
} from './local-packages.ts';
import { derivedLock, type LockEntry } from './lock.ts';
import { importTarget, readManifest } from './manifest.ts';
import {
  byCodePoint,
  type FileSelection,
  lockFiles,
  type PackedFile,
  selectFiles,
} from './selection.ts';

export interface PackContents extends FileSelection {
  /** By path: what files have in place of their content, or have no file for. */
  readonly texts: ReadonlyMap<string, string>;
  readonly packages: readonly PackageContents[];
  /** Packages that travel beside the code, such as `@mono/lib 1.0.0 (../lib)`. */
  readonly local: readonly string[];
}

/** A local package, or a tarball of one, without `files`. */
export interface PackageContents extends Pick<LocalPackage, 'place' | 'isTarball'> {
  /** In the archive. */
  readonly path: string;
  readonly files: readonly PackedFile[];
  readonly texts: ReadonlyMap<string, string>;
}

interface Options {
  /** Absolute paths of `--local`. */
  readonly admitted: readonly string[];
  readonly environment: Environment;
}

/** @throws CliError for a local package that is not there or not built */
export async function contentsOf(
  selection: FileSelection,
  { admitted, environment }: Options,
): Promise<PackContents> {
  const root = realpathSync(selection.root);
  const local = await localPackages(root, admitted);
  if (local.packages.length === 0) {
    return { ...selection, texts: new Map(), packages: [], local: [] };
  }
  const manifest = manifestInArchive(root, local, true);
  const lock = lockInArchive(root, manifest, local);
  const texts = new Map([
    ['package.json', indentedJson(manifest)],
    ...(lock === undefined ? [] : [['package-lock.json', lock] as const]),
  ]);
  const packages = local.packages.map((each) => packageContents(each, local, environment));
  const paths = new Set([...selection.files.map(({ path }) => path), ...texts.keys()]);
  const isReplaced = (path: string) =>
    lockFiles.includes(path) || packages.some((each) => each.path === path);
  const files = [...paths].filter((path) => texts.has(path) || !isReplaced(path));
  const sizeOf = (path: string) =>
    Buffer.byteLength(texts.get(path) ?? '') || statSync(join(root, path)).size;
  return {
    root,
    files: [...files.map((path) => ({ path, size: sizeOf(path) })), ...packages.map(unpacked)].sort(
      (left, right) => byCodePoint(left.path, right.path),
    ),
    texts,
    packages,
    leftOut: selection.leftOut,
    warnings: [...selection.warnings, ...warningsAbout(root, local, lock !== undefined)],
    local: local.packages.map(
      ({ name, version, place, isTarball }) =>
        `${name}${isTarball ? '' : ` ${version}`} (${relative(root, place)})`,
    ),
  };
}

function packageContents(
  { name, place, isTarball, file }: LocalPackage,
  local: LocalPackages,
  environment: Environment,
): PackageContents {
  const path = `${tarballFolder}/${file}`;
  if (isTarball) return { place, isTarball, path, files: [], texts: new Map() };
  const manifest = indentedJson(manifestInArchive(place, local, false));
  const files = packedFiles(name, place, environment);
  return { place, isTarball, path, files, texts: new Map([['package.json', manifest]]) };
}

/** The size of a tarball that is not written yet is that of its files. */
function unpacked({ path, place, isTarball, files }: PackageContents): PackedFile {
  const size = files.reduce((sum, each) => sum + each.size, 0);
  return { path, size: isTarball ? statSync(place).size : size };
}

/** A package that is never published often has no `files`, and git ignores what its build writes. */
function packedFiles(name: string, place: string, environment: Environment): readonly PackedFile[] {
  const target = importTarget(readManifest(place));
  const candidates = (usesGitignore: boolean) =>
    selectFiles(place, { usesGitignore, exclude: [], include: [] }, environment).files.filter(
      ({ path }) => !lockFiles.includes(path),
    );
  const files = candidates(true);
  if (target === undefined || includesTarget(files, target)) return files;
  const all = candidates(false);
  if (includesTarget(all, target)) return all;
  throw new CliError(`${name} is not built: it has no ${target}.`, {
    exit: ExitCode.usage,
    facts: [`It is a dependency of the provider, and is in ${place}.`],
    next: `Build it first, such as with npm run build in its folder.`,
  });
}

function includesTarget(files: readonly PackedFile[], target: string): boolean {
  const forms = ['', '.js', '.cjs', '.json', '/index.js'].map(
    (end) => target.replace(/\/$/, '') + end,
  );
  return files.some(({ path }) => forms.includes(path));
}

function warningsAbout(
  root: string,
  { packages }: LocalPackages,
  isLocked: boolean,
): readonly string[] {
  const { scripts } = readManifest(root);
  // A build may bundle it.
  const runs = (scripts as { readonly build?: unknown } | undefined)?.build === undefined;
  const inTypeScript = packages.flatMap(({ name, place, isTarball }) => {
    const target = isTarball ? undefined : importTarget(readManifest(place));
    return runs && target !== undefined && /(?<!\.d)\.[cm]?tsx?$/.test(target)
      ? [`${name} (${target})`]
      : [];
  });
  return [
    ...(inTypeScript.length === 0
      ? []
      : [
          `Node.js runs no TypeScript in node_modules: ${inTypeScript.join(', ')}. Let package.json export JavaScript, or bundle it in the script "build".`,
        ]),
    ...(isLocked
      ? []
      : [
          'No package-lock.json has all dependencies, so the build takes the newest versions that fit.',
        ]),
  ];
}

// The manifests and the lock file of an archive with local packages: these name tarballs of the archive.

type Dependencies = Readonly<Record<string, string>>;

const kinds = [
  'dependencies',
  'optionalDependencies',
  'devDependencies',
  'peerDependencies',
] as const;

/** @returns the manifest of a package in the archive */
function manifestInArchive(folder: string, local: LocalPackages, isProvider: boolean): LockEntry {
  const { workspaces: _, ...manifest } = readManifest(folder) as Record<string, unknown>;
  for (const kind of kinds) {
    const dependencies = manifest[kind] as Dependencies | undefined;
    if (dependencies === undefined) continue;
    const entries = Object.entries(dependencies)
      // The build has the SDK, and removes it from the manifest of the provider.
      .filter(([name]) => isProvider || name !== sdk)
      .map(([name, spec]) => [
        name,
        specInArchive({ folder, name, spec, kind }, local, isProvider),
      ]);
    manifest[kind] = Object.fromEntries(entries);
  }
  if (isProvider) return manifest;
  for (const each of ['devDependencies', 'bundleDependencies', 'bundledDependencies'])
    delete manifest[each];
  return { version: '0.0.0', ...manifest };
}

interface ArchivedManifestDependency {
  readonly folder: string;
  readonly name: string;
  readonly spec: string;
  readonly kind: (typeof kinds)[number];
}

function specInArchive(
  { folder, name, spec, kind }: ArchivedManifestDependency,
  local: LocalPackages,
  isProvider: boolean,
): string {
  // Another package brings it, or nothing does.
  if (kind === 'peerDependencies') return spec.startsWith('workspace:') ? '*' : spec;
  if (kind === 'devDependencies' && !isProvider) return spec;
  const found = local.of(folder, name, spec);
  if (found === undefined) return spec;
  // Relative to the manifest of the provider, and in tarballs to these.
  return `file:${isProvider ? `${tarballFolder}/` : ''}${found.file}`;
}

/** @returns undefined without a lock file of the provider or its workspace that has all packages */
function lockInArchive(
  root: string,
  manifest: LockEntry,
  { packages, workspace, ...local }: LocalPackages,
): string | undefined {
  const folders = [root, ...(workspace === undefined ? [] : [workspace.root])];
  const [path] = folders.flatMap((folder) =>
    lockFiles.map((name) => join(folder, name)).filter((each) => existsSync(each)),
  );
  if (path === undefined) return undefined;
  const folder = resolve(path, '..');
  const entryOf = (at: string, entry: LockEntry): LockEntry | undefined => {
    const { resolved = '' } = entry;
    const named = resolved.startsWith('file:') ? resolved.slice('file:'.length) : at;
    const place = resolve(folder, named);
    const found = packages.find(
      (each) => each.place === (existsSync(place) ? realpathSync(place) : place),
    );
    if (found === undefined) return undefined;
    const inArchive = { resolved: `file:${tarballFolder}/${found.file}` };
    if (found.isTarball) return { ...entry, ...inArchive };
    return {
      ...manifestInArchive(found.place, { packages, workspace, ...local }, false),
      ...inArchive,
    };
  };
  const start = relative(folder, root).replaceAll('\\', '/');
  return derivedLock(readFileSync(path, 'utf8'), { start, manifest, local: entryOf });
}
