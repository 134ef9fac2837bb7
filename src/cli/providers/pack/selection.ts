// Selects the files of a provider's folder that are uploaded: by git or .gitignore, or by `files` of package.json, then by
// .fairleadignore and flags; never those with secrets, always the manifest and the lock file.
import { existsSync, lstatSync, realpathSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import ignore from 'ignore';
import { defaultArchiveLimits, pathProblem } from '../../../domain/providers/archive.ts';
import { readSettingsFile } from '../../session/context/mapping.ts';
import type { Environment } from '../../terminal/environment.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import {
  filesOfGit,
  gitignore,
  type LeftOut,
  type PackCandidates,
  walkFolder,
} from './candidates.ts';
import { isWithin } from './inside.ts';
import { readManifest } from './manifest.ts';
import { secretIn } from './secrets.ts';

export interface SelectionOptions {
  readonly usesGitignore: boolean;
  /** Patterns as in .gitignore. */
  readonly exclude: readonly string[];
  /** Paths that go whatever the rules. */
  readonly include: readonly string[];
}

export interface PackedFile {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly size: number;
}

export interface FileSelection {
  readonly root: string;
  /** Sorted by path. */
  readonly files: readonly PackedFile[];
  readonly leftOut: readonly LeftOut[];
  readonly warnings: readonly string[];
}

export const lockFiles: readonly string[] = ['npm-shrinkwrap.json', 'package-lock.json'];

/** @throws CliError for links, paths that leave the folder, and others that no archive can have */
export function selectFiles(
  root: string,
  options: SelectionOptions,
  environment: Environment,
): FileSelection {
  const candidates = candidatesOf(root, options, environment);
  const own = withoutIgnored(root, candidates, options);
  const secrets = own.files.flatMap((path) => {
    const what = options.include.includes(path) ? undefined : secretIn(root, path);
    return what === undefined ? [] : [{ path, what }];
  });
  const out = new Set(secrets.map(({ path }) => path));
  const required = requiredFiles(root, options);
  const paths = new Set([...own.files.filter((path) => !out.has(path)), ...required]);
  return {
    root,
    files: checkedFiles(root, [...paths].sort(byCodePoint)),
    leftOut: [
      ...own.leftOut.filter(({ path }) => !paths.has(path)),
      ...secrets.map(({ path, what }) => ({ path, by: what })),
    ],
    warnings: [
      ...secrets.map(
        ({ path, what }) =>
          `${path} ${what} and is left out. To upload it all the same: --include ${path}`,
      ),
      ...lockFiles
        .filter((path) =>
          candidates.leftOut.some((each) => each.path === path && each.by === gitignore),
        )
        .map((path) => `${path} is ignored by git. It is uploaded, so that builds are repeatable.`),
    ],
  };
}

function candidatesOf(
  root: string,
  { usesGitignore }: SelectionOptions,
  environment: Environment,
): PackCandidates {
  const { files } = readManifest(root);
  if (Array.isArray(files)) return matching(walkFolder(root, undefined), files.filter(isString));
  if (!usesGitignore) return walkFolder(root, undefined);
  return filesOfGit(root, environment) ?? walkFolder(root, gitignore);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** As npm reads `files`: patterns of what goes in, and with `!` of what does not. */
function matching({ files }: PackCandidates, patterns: readonly string[]): PackCandidates {
  const wanted = ignore().add(patterns.filter((each) => !each.startsWith('!')).map(rooted));
  const unwanted = ignore().add(
    patterns.filter((each) => each.startsWith('!')).map((each) => rooted(each.slice(1))),
  );
  const isIn = (path: string) => wanted.ignores(path) && !unwanted.ignores(path);
  return {
    files: files.filter(isIn),
    leftOut: files
      .filter((path) => !isIn(path))
      .map((path) => ({ path, by: '"files" of package.json' })),
  };
}

/** `dist` is that of the root. */
function rooted(pattern: string): string {
  const bare = pattern.replace(/^\.?\//, '');
  return /[*?[]/.test(bare) && !bare.includes('/') ? bare : `/${bare}`;
}

function withoutIgnored(
  root: string,
  { files, leftOut }: PackCandidates,
  { exclude }: SelectionOptions,
): PackCandidates {
  const own = ignore().add(readSettingsFile(join(root, '.fairleadignore')) ?? '');
  const flags = ignore().add([...exclude]);
  const by = (path: string) => {
    if (flags.ignores(path)) return '--exclude';
    return own.ignores(path) ? '.fairleadignore' : undefined;
  };
  const removed = files.flatMap((path) => {
    const reason = by(path);
    return reason === undefined ? [] : [{ path, by: reason }];
  });
  const out = new Set(removed.map(({ path }) => path));
  return { files: files.filter((path) => !out.has(path)), leftOut: [...leftOut, ...removed] };
}

/** @throws CliError for an included path that does not exist */
function requiredFiles(root: string, { include }: SelectionOptions): readonly string[] {
  const { main } = readManifest(root);
  const missing = include.filter((path) => !existsSync(join(root, path)));
  if (missing.length > 0) {
    throw usageError(`There is no file ${missing.join(', ')} to include.`);
  }
  const optional = [...lockFiles, ...(typeof main === 'string' ? [main.replace(/^\.\//, '')] : [])];
  return ['package.json', ...optional.filter((path) => existsSync(join(root, path))), ...include];
}

/** @throws CliError naming paths that leave the folder, and what is neither a file nor a folder */
function checkedFiles(root: string, paths: readonly string[]): readonly PackedFile[] {
  refuseOtherPlaces(root, paths);
  const stats = paths.flatMap((path) => {
    const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
    return stat === undefined || stat.isDirectory() ? [] : [{ path, stat }];
  });
  const odd = stats.filter(({ stat }) => !stat.isFile());
  if (odd.length > 0) {
    throw new CliError('Archives of provider code have only files and folders.', {
      exit: ExitCode.usage,
      facts: odd.slice(0, 10).map(({ path, stat }) => [path, specialKind(stat)]),
      next: `Leave them out in .fairleadignore, or with --exclude ${odd[0]?.path ?? 'PATTERN'}`,
    });
  }
  return stats.map(({ path, stat }) => ({ path, size: stat.size }));
}

/** `main` is a text of the repository, and a folder of a path may be a link. */
function refuseOtherPlaces(root: string, paths: readonly string[]): void {
  const real = realpathSync(root);
  const isInside = (path: string) => {
    const folder = dirname(join(root, path));
    return !existsSync(folder) || isWithin(real, realpathSync(folder));
  };
  const odd = paths.flatMap((path) => {
    const problem = pathProblem(path.replace(/\/$/, ''), defaultArchiveLimits);
    if (problem !== undefined) return [[path, problem] as const];
    return isInside(path) ? [] : [[path, 'is in another folder, by a link'] as const];
  });
  if (odd.length === 0) return;
  throw new CliError('Some paths cannot be uploaded.', {
    exit: ExitCode.usage,
    facts: odd.slice(0, 10),
    next: 'Name files of this folder in "main" of package.json and in --include, relative to it.',
  });
}

function specialKind(stat: Stats): string {
  if (stat.isSymbolicLink()) return 'a symbolic link';
  return stat.isSocket() ? 'a socket' : 'a special file';
}

/** Not by locale: equal trees make equal bytes on every machine. */
export function byCodePoint(left: string, right: string): number {
  return left < right ? -1 : 1;
}
