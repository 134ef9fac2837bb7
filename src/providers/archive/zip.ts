// Reads a zip file: the entries from its central directory, and their bytes on demand. Anything ambiguous (bytes outside of
// the directory, entries that share bytes) is rejected.
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { openPromise, type Entry as ZipEntry, type ZipFile } from 'yauzl';
import type { ArchiveLimits } from '../../domain/providers/archive.ts';
import { type ArchiveEntry, badArchive, quotedPath, symbolicLink } from './rules.ts';
import type { EntryVisitor } from './tar.ts';

const encrypted = 0x1;
const stored = 0;
const deflated = 8;
const typeMask = 0o170000;
const types = { none: 0, file: 0o100000, folder: 0o040000, link: 0o120000 };
const madeByUnix = 3;
const localHeaderBytes = 30;

/**
 * @param visitor without `bytes`, no entry is unpacked
 * @throws FairleadError `bad_archive`; the errors of the visitor
 */
export async function readZip(
  path: string,
  limits: ArchiveLimits,
  { entry: visit, bytes }: Pick<EntryVisitor, 'entry'> & Partial<EntryVisitor>,
): Promise<void> {
  const zip = await unlessDamaged(
    openPromise(path, { lazyEntries: true, decodeStrings: false, autoClose: false }),
  );
  try {
    if (zip.entryCount > limits.entries) {
      throw badArchive(`The archive has more than ${limits.entries} entries`);
    }
    const entries = zip.eachEntry();
    const places: ByteRange[] = [];
    for (;;) {
      const { value, done } = await unlessDamaged(entries.next());
      if (done === true) break;
      places.push(entryRange(value));
      const entry = toEntry(value);
      await visit(entry);
      if (bytes !== undefined && entry.kind === 'file') await unpackEntry(zip, value, bytes);
    }
    requireApart(places, zip.fileSize);
  } finally {
    zip.close();
  }
}

async function unpackEntry(
  zip: ZipFile,
  entry: ZipEntry,
  bytes: EntryVisitor['bytes'],
): Promise<void> {
  const stream: Readable = await unlessDamaged(zip.openReadStreamPromise(entry));
  let sum = 0;
  const chunks = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await unlessDamaged(chunks.next());
      if (done === true) break;
      sum = crc32(value, sum);
      await bytes(value);
    }
  } finally {
    stream.destroy();
  }
  if (sum !== entry.crc32) throw damagedZip();
}

function toEntry(entry: ZipEntry): ArchiveEntry {
  const raw = entry.fileNameRaw;
  // By the standard, names without the UTF-8 flag use the IBM PC code page of 1981; in practice, that of the system.
  if (!isUtf8(raw)) throw badArchive('The archive has a path that is not UTF-8');
  const name = raw.toString();
  const folder = name.endsWith('/');
  requirePlain(entry, name, folder);
  const mode = entryMode(entry);
  return {
    path: (folder ? name.slice(0, -1) : name).replace(/^(?:\.\/)+/, ''),
    kind: folder ? 'folder' : 'file',
    size: entry.uncompressedSize,
    executable: (mode & 0o111) !== 0,
  };
}

function requirePlain(entry: ZipEntry, name: string, folder: boolean): void {
  const refuse = (why: string) => badArchive(`The entry ${quotedPath(name)} ${why}`);
  const type = entryMode(entry) & typeMask;
  if (type === types.link) throw refuse(symbolicLink(name));
  if (type !== types.none && type !== (folder ? types.folder : types.file)) {
    throw refuse('is neither a file nor a folder');
  }
  if ((entry.generalPurposeBitFlag & encrypted) !== 0) throw refuse('is encrypted');
  if (entry.compressionMethod !== stored && entry.compressionMethod !== deflated) {
    throw refuse('uses an unsupported compression method; use deflate');
  }
  if (folder && entry.uncompressedSize > 0) throw damagedZip();
}

function entryMode({ versionMadeBy, externalFileAttributes }: ZipEntry): number {
  return versionMadeBy >>> 8 === madeByUnix ? externalFileAttributes >>> 16 : 0;
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

function entryRange(entry: ZipEntry): ByteRange {
  const start = entry.relativeOffsetOfLocalHeader;
  return { start, end: start + localHeaderBytes + entry.fileNameRaw.length + entry.compressedSize };
}

/** Entries that share bytes expand a small file to petabytes. Bytes before all entries are unaccounted for. */
function requireApart(places: readonly ByteRange[], fileSize: number): void {
  let end = 0;
  for (const place of places.toSorted((a, b) => a.start - b.start)) {
    if (place.start < end || place.end > fileSize) throw damagedZip();
    if (end === 0 && place.start > 0) throw damagedZip();
    end = place.end;
  }
}

/** Maps the library's errors about damaged files, plain errors for programmers, to `bad_archive`. */
async function unlessDamaged<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (isSystemError(thrown)) throw thrown;
    throw damagedZip();
  }
}

/** Detects errors of the disk, not of the contents. */
function isSystemError(thrown: unknown): boolean {
  return thrown instanceof Error && 'syscall' in thrown;
}

function damagedZip() {
  return badArchive('The archive is damaged or truncated');
}
