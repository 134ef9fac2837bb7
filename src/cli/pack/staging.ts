// Puts the files of a push into a temporary folder, with its local packages as tarballs beside the code, and with manifests and a lock
// file that name these. Nothing of the author's is changed. Without local packages nothing is copied.
import { copyFileSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { Environment } from '../environment.ts';
import { CliError } from '../errors/cli-error.ts';
import { ExitCode } from '../exit-codes.ts';
import { writeArchive } from './archive.ts';
import { lockInArchive, manifestInArchive } from './archived-manifest.ts';
import { refuseCredentials } from './credentials.ts';
import { isWithin } from './inside.ts';
import {
  type LocalPackage,
  type LocalPackages,
  localPackages,
  tarballFolder,
} from './local-packages.ts';
import { importTarget, readManifest } from './manifest.ts';
import {
  byCodePoint,
  lockFiles,
  type PackedFile,
  type Selection,
  selectFiles,
} from './selection.ts';

export interface Staged extends Selection {
  /** What travels beside the code, such as `@mono/lib 1.0.0 (../lib)`. */
  readonly local: readonly string[];
  /** Deletes what was copied. */
  remove(): Promise<void>;
}

export interface StagingOptions {
  /** Files of `--allow-secret`. */
  readonly allow: readonly string[];
  /** Absolute paths of `--local`. */
  readonly admitted: readonly string[];
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** @throws CliError for a local package that is not there or not built, and for credentials in one */
export async function withLocalPackages(
  selection: Selection,
  options: StagingOptions,
): Promise<Staged> {
  const root = realpathSync(selection.root);
  const local = await localPackages(root, options.admitted);
  if (local.packages.length === 0) {
    return { ...selection, local: [], remove: () => Promise.resolve() };
  }
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-push-'));
  const remove = async () => await rm(folder, { recursive: true, force: true });
  try {
    return { ...(await staged({ ...selection, root }, { ...options, local, folder })), remove };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

interface Staging extends StagingOptions {
  readonly local: LocalPackages;
  readonly folder: string;
}

async function staged(selection: Selection, staging: Staging): Promise<Omit<Staged, 'remove'>> {
  const { root, warnings, leftOut } = selection;
  const { local, folder } = staging;
  const code = join(folder, 'code');
  copy(selection, code);
  const manifest = manifestInArchive(root, local, true);
  write(join(code, 'package.json'), manifest);
  const lock = lockInArchive(root, manifest, local);
  for (const name of lockFiles) await rm(join(code, name), { force: true });
  if (lock !== undefined) writeFileSync(join(code, 'package-lock.json'), lock);
  mkdirSync(join(code, tarballFolder), { recursive: true });
  for (const each of local.packages)
    await packed(each, join(code, tarballFolder), { ...staging, root });
  const paths = [
    ...selection.files.map(({ path }) => path).filter((path) => !lockFiles.includes(path)),
    ...(lock === undefined ? [] : ['package-lock.json']),
    ...local.packages.map(({ file }) => `${tarballFolder}/${file}`),
  ];
  return {
    root: code,
    files: paths
      .toSorted(byCodePoint)
      .map((path) => ({ path, size: statSync(join(code, path)).size })),
    leftOut,
    warnings: [...warnings, ...warningsAbout(root, local, lock !== undefined)],
    local: local.packages.map(
      ({ name, version, place, isTarball }) =>
        `${name}${isTarball ? '' : ` ${version}`} (${relative(root, place)})`,
    ),
  };
}

function copy({ root, files }: Pick<Selection, 'root' | 'files'>, to: string): void {
  for (const { path } of files) {
    if (!isWithin(to, join(to, path))) throw new Error('A file would be copied out of its folder.');
    mkdirSync(dirname(join(to, path)), { recursive: true });
    copyFileSync(join(root, path), join(to, path));
  }
}

function write(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

async function packed(
  { name, place, isTarball, file }: LocalPackage,
  to: string,
  { local, folder, environment, signal, root, allow }: Staging & { readonly root: string },
): Promise<void> {
  if (isTarball) return copyFileSync(place, join(to, file));
  const files = filesOf(name, place, environment);
  const shown = files.map(({ path, size }) => ({ size, path: relative(root, join(place, path)) }));
  await refuseCredentials({ root, files: shown }, { allow, include: [] });
  const stage = join(folder, file);
  copy({ root: place, files }, stage);
  write(join(stage, 'package.json'), manifestInArchive(place, local, false));
  const archive = await writeArchive({ root: stage, files }, signal, 'package');
  copyFileSync(archive.path, join(to, file));
  await archive.remove();
}

/** A package that is never published often has no `files`, and git ignores what its build writes. */
function filesOf(name: string, place: string, environment: Environment): readonly PackedFile[] {
  const target = importTarget(readManifest(place));
  const candidates = (usesGitignore: boolean) =>
    selectFiles(place, { usesGitignore, exclude: [], include: [] }, environment).files.filter(
      ({ path }) => !lockFiles.includes(path),
    );
  const files = candidates(true);
  if (target === undefined || isIn(files, target)) return files;
  const all = candidates(false);
  if (isIn(all, target)) return all;
  throw new CliError(`${name} is not built: it has no ${target}.`, {
    exit: ExitCode.usage,
    facts: [`It is a dependency of the provider, and is in ${place}.`],
    next: `Build it first, such as with npm run build in its folder.`,
  });
}

function isIn(files: readonly PackedFile[], target: string): boolean {
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
