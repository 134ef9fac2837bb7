// Limits of archives with provider code, which the server enforces and the client checks before an upload. Pure.
import { firstMatch } from '../../lib/first-match.ts';

export interface ArchiveLimits {
  /** Files and folders. */
  readonly entries: number;
  /** All files together, unpacked. */
  readonly unpackedBytes: number;
  readonly pathBytes: number;
  /** Nested folders. */
  readonly depth: number;
}

export const defaultArchiveLimits: ArchiveLimits = {
  entries: 20_000,
  unpackedBytes: 512 * 1_024 * 1_024,
  pathBytes: 1_024,
  depth: 100,
};

/** The largest archive that can be uploaded. */
export const maxUploadBytes = 50 * 1_024 * 1_024;

type PathRule = (path: string, limits: ArchiveLimits) => string | undefined;

/** Ordered: length checks come first, so that no long path is parsed. */
const pathRules: readonly PathRule[] = [
  (path, { pathBytes }) =>
    Buffer.byteLength(path) > pathBytes ? `has a path over ${pathBytes} bytes` : undefined,
  (path, { depth }) =>
    path.split('/').length > depth ? `is over ${depth} levels deep` : undefined,
  (path) => (path === '' ? 'has an empty path' : undefined),
  (path) => (path.includes('\0') ? 'has a NUL in its path' : undefined),
  (path) => (path.includes('\\') ? 'has a backslash in its path; use /' : undefined),
  (path) => (path.startsWith('/') ? 'has an absolute path' : undefined),
  (path) => (/^[A-Za-z]:/.test(path) ? 'has a drive letter in its path' : undefined),
  (path) => (path.split('/').includes('..') ? 'has .. in its path' : undefined),
  (path) =>
    path.split('/').some((part) => part === '' || part === '.')
      ? 'has an empty name or . in its path'
      : undefined,
];

/** @returns what an archive does not allow about the path of an entry, to be read after its name */
export function pathProblem(path: string, limits: ArchiveLimits): string | undefined {
  return firstMatch(pathRules, path, limits);
}
