// The manifests and the lock file of an archive with local packages: these name tarballs of the archive.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type LocalPackages, sdk, tarballFolder } from './local-packages.ts';
import { derivedLock, type LockEntry } from './lock.ts';
import { readManifest } from './manifest.ts';
import { lockFiles } from './selection.ts';

type Dependencies = Readonly<Record<string, string>>;

const kinds = [
  'dependencies',
  'optionalDependencies',
  'devDependencies',
  'peerDependencies',
] as const;

/** @returns the manifest of a package in the archive */
export function manifestInArchive(
  folder: string,
  local: LocalPackages,
  isProvider: boolean,
): LockEntry {
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
export function lockInArchive(
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
