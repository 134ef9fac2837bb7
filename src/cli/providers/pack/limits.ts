// Checks files and their archive against the limits of the server before the upload, and names the largest files.

import { sizeText } from '../../../client/time.ts';
import {
  type ArchiveLimits,
  defaultArchiveLimits,
  maxUploadBytes,
  pathProblem,
} from '../../../domain/providers/archive.ts';
import { CliError, type Fact } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { PackedFile } from './selection.ts';

const maxShown = 10;

/** @throws CliError */
export function checkFiles(
  files: readonly PackedFile[],
  limits: ArchiveLimits = defaultArchiveLimits,
): void {
  const odd = files.flatMap(({ path }): Fact[] => {
    const problem = pathProblem(path, limits);
    return problem === undefined ? [] : [[path, problem]];
  });
  if (odd.length > 0) throw packTooLarge('Some paths cannot be uploaded.', odd.slice(0, maxShown));
  if (files.length > limits.entries) {
    throw packTooLarge(
      `An archive has at most ${limits.entries} files, and these are ${files.length}.`,
      foldersWithMost(files),
    );
  }
  const bytes = packedBytes(files);
  if (bytes > limits.unpackedBytes) {
    throw packTooLarge(
      `The files have ${sizeText(bytes)}, and at most ${sizeText(limits.unpackedBytes)} can be built.`,
      largest(files),
    );
  }
}

/** @throws CliError */
export function checkArchive(
  bytes: number,
  files: readonly PackedFile[],
  limit: number = maxUploadBytes,
): void {
  if (bytes <= limit) return;
  throw packTooLarge(
    `The archive has ${sizeText(bytes)}, and at most ${sizeText(limit)} can be uploaded.`,
    largest(files),
  );
}

/** @returns the bytes of all files together */
export function packedBytes(files: readonly PackedFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

function packTooLarge(sentence: string, facts: readonly Fact[]): CliError {
  return new CliError(sentence, {
    exit: ExitCode.usage,
    facts,
    next: 'Leave files out in .fairleadignore, or with --exclude PATTERN. All files: fairlead push --list',
  });
}

function largest(files: readonly PackedFile[]): readonly Fact[] {
  return [...files]
    .sort((left, right) => right.size - left.size)
    .slice(0, maxShown)
    .map(({ path, size }) => [sizeText(size), path]);
}

function foldersWithMost(files: readonly PackedFile[]): readonly Fact[] {
  const folders = Map.groupBy(files, ({ path }) => path.slice(0, path.indexOf('/') + 1) || './');
  return [...folders]
    .sort(([, left], [, right]) => right.length - left.length)
    .slice(0, maxShown)
    .map(([folder, within]) => [`${within.length} files`, folder]);
}
