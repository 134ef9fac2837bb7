// Defines the rules for archives: plain files and folders, below one root, within limits. Pure; readers call it per entry.

import { FairleadError } from '../../domain/errors.ts';
import { type ArchiveLimits, pathProblem } from '../../domain/providers/archive.ts';
import { truncate } from '../../lib/text.ts';

type EntryKind = 'file' | 'folder';

export interface ArchiveEntry {
  /** As in the archive, without leading `./` and trailing `/`; '' is the archive's own folder. */
  readonly path: string;
  readonly kind: EntryKind;
  /** The declared size of a file in bytes. */
  readonly size: number;
  readonly executable: boolean;
}

export interface ArchiveContents {
  readonly files: number;
  readonly unpackedBytes: number;
  /** The folder that holds `package.json`: '' or the name of one folder. */
  readonly root: string;
}

interface EntryRules {
  /** @throws FairleadError `bad_archive` */
  check(entry: ArchiveEntry): void;
  /** Call after the last entry. @throws FairleadError `bad_archive` */
  finish(): ArchiveContents;
}

const manifest = 'package.json';

export function entryRules(limits: ArchiveLimits): EntryRules {
  const kinds = new Map<string, EntryKind>();
  let count = 0;
  let files = 0;
  let unpackedBytes = 0;

  return {
    check({ path, kind, size }) {
      count += 1;
      if (count > limits.entries) {
        throw badArchive(`The archive has more than ${limits.entries} entries`);
      }
      if (path === '' && kind === 'folder') return;
      checkPath(path, limits);
      claimEntry(kinds, path, kind);
      // Folders need no entry: each file may imply a hundred unique folders, and all are kept in memory.
      if (kinds.size > 2 * limits.entries) {
        throw badArchive(`The archive has more than ${2 * limits.entries} files and folders`);
      }
      if (kind === 'folder') return;
      files += 1;
      unpackedBytes += size;
      if (unpackedBytes > limits.unpackedBytes) throw tooMuch(limits);
    },
    finish() {
      if (files === 0) throw badArchive('The archive is empty');
      return { files, unpackedBytes, root: archiveRoot(kinds) };
    },
  };
}

export function tooMuch(limits: ArchiveLimits): FairleadError {
  return badArchive(`The archive unpacks to more than ${limits.unpackedBytes} bytes`);
}

/** Detects files beside the root that macOS adds to archives. */
function isLitter(path: string): boolean {
  const [top = ''] = path.split('/', 1);
  return top === '__MACOSX' || top.startsWith('._') || top === '.DS_Store';
}

/** Never echoes a path whole or raw: the sender controls it, and it may contain anything. */
export function quotedPath(path: string): string {
  return JSON.stringify(truncate(path, 101));
}

export function badArchive(message: string): FairleadError {
  return new FairleadError('bad_archive', message);
}

const linkHint = '; leave node_modules out (tar --exclude node_modules): the build installs it';

/** npm creates links; a folder that is packed after `npm install` fails here first. */
export function symbolicLink(path: string): string {
  const isInstalled = path.split('/').includes('node_modules');
  return `is a symbolic link${isInstalled ? linkHint : ''}`;
}

function checkPath(path: string, limits: ArchiveLimits): void {
  const broken = pathProblem(path, limits);
  if (broken !== undefined) throw badArchive(`The entry ${quotedPath(path)} ${broken}`);
}

/** Rejects duplicate paths, and a file where another entry needs a folder. */
function claimEntry(kinds: Map<string, EntryKind>, path: string, kind: EntryKind): void {
  const known = kinds.get(path);
  if (known !== undefined && (known === 'file' || kind === 'file')) {
    throw badArchive(`The archive has ${quotedPath(path)} twice`);
  }
  kinds.set(path, kind);
  for (let cut = path.lastIndexOf('/'); cut !== -1; cut = path.lastIndexOf('/', cut - 1)) {
    const parent = path.slice(0, cut);
    const parentKind = kinds.get(parent);
    if (parentKind === 'file') {
      throw badArchive(`The archive has ${quotedPath(parent)} both as a file and as a folder`);
    }
    if (parentKind === 'folder') return;
    kinds.set(parent, 'folder');
  }
}

function archiveRoot(kinds: ReadonlyMap<string, EntryKind>): string {
  if (kinds.get(manifest) === 'file') return '';
  const tops = new Set<string>();
  for (const path of kinds.keys()) if (!isLitter(path)) tops.add(path.split('/', 1)[0] ?? '');
  const [top, ...others] = tops;
  if (top !== undefined && others.length === 0 && kinds.get(`${top}/${manifest}`) === 'file') {
    return top;
  }
  throw badArchive('The archive has no package.json at its root, nor in a single top-level folder');
}
