// Reads a tar stream as entries and their bytes. The tar package decodes headers; the framing is our own, so that what the
// package would skip with a warning (bad blocks, unknown types, trailing garbage) is rejected.
import { isUtf8 } from 'node:buffer';
import { Header } from 'tar';
import type { ArchiveLimits } from '../../domain/providers/archive.ts';
import { type ArchiveEntry, badArchive, quotedPath, symbolicLink } from './rules.ts';

/** Visits every entry and then its bytes, in archive order. */
export interface EntryVisitor {
  readonly entry: (entry: ArchiveEntry) => Promise<void> | void;
  readonly bytes: (chunk: Buffer) => Promise<void> | void;
}

interface TarReader {
  /** The chunk may be reused afterwards. @throws FairleadError `bad_archive`; the errors of the visitor */
  write(chunk: Buffer): Promise<void>;
  /** Call at the end of the stream. @throws FairleadError `bad_archive` */
  end(): void;
}

interface Decoded {
  readonly path: string;
  /** The problem of the path in this header; a path in a pax header overrides it. */
  readonly pathProblem: string | undefined;
  readonly type: string;
  readonly size: number | undefined;
  readonly executable: boolean;
}

const blockBytes = 512;
const nameField = [0, 100] as const;
const prefixField = [345, 500] as const;
const notUtf8 = 'The archive has a path that is not UTF-8';
const maxMetaLength = 16 * 1_024;
const metaTypes = new Set<string>([
  'ExtendedHeader',
  'GlobalExtendedHeader',
  'NextFileHasLongPath',
]);
const fileTypes = new Set<string>(['File', 'OldFile']);

const refusedTypes: ReadonlyMap<string, string> = new Map([
  ['Link', 'is a hard link'],
  ['NextFileHasLongLinkpath', 'is a link'],
  ['CharacterDevice', 'is a device'],
  ['BlockDevice', 'is a device'],
  ['FIFO', 'is a named pipe'],
  ['SparseFile', 'is a sparse file'],
]);

export function tarReader(limits: ArchiveLimits, visitor: EntryVisitor): TarReader {
  let rest: Buffer = Buffer.alloc(0);
  /** Overrides for the next entry from the headers before it. */
  let pending: PaxOverrides = {};
  /** The current body: its remaining bytes, and the padding after it. */
  let body = { bytes: 0, padding: 0 };
  let meta: { readonly type: string; readonly chunks: Buffer[] } | undefined;
  let metaCount = 0;
  let metaBytes = 0;
  let nullBlocks = 0;

  return {
    async write(chunk) {
      let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (data.length > 0) {
        const taken = inBody() ? await takeBody(data) : await takeHeader(data);
        if (taken === 0) break;
        data = data.subarray(taken);
      }
      rest = Buffer.from(data);
    },
    end() {
      if (rest.length > 0 || inBody() || meta !== undefined || isPending(pending))
        throw truncated();
      // Some writers end with one empty block, or with none if truncated: the second is indistinguishable from a complete
      // one.
      if (nullBlocks < 1) throw truncated();
    },
  };

  function inBody(): boolean {
    return body.bytes + body.padding > 0;
  }

  async function takeBody(data: Buffer): Promise<number> {
    if (body.bytes === 0) {
      const skipped = Math.min(body.padding, data.length);
      body.padding -= skipped;
      return skipped;
    }
    const part = data.subarray(0, body.bytes);
    body.bytes -= part.length;
    if (meta === undefined) await visitor.bytes(part);
    else meta.chunks.push(Buffer.from(part));
    if (body.bytes === 0) endMeta();
    return part.length;
  }

  async function takeHeader(data: Buffer): Promise<number> {
    if (data.length < blockBytes) return 0;
    const block = data.subarray(0, blockBytes);
    if (isZero(block)) {
      nullBlocks += 1;
    } else if (nullBlocks > 0) {
      throw badArchive('The archive has data after its end');
    } else {
      await readHeader(block);
    }
    return blockBytes;
  }

  async function readHeader(block: Buffer): Promise<void> {
    const header = decodeHeader(block);
    const { type } = header;
    const size = pending.size ?? header.size;
    if (size === undefined || !Number.isSafeInteger(size)) throw damagedTar();
    if (metaTypes.has(type)) startMeta(type, header.size ?? 0);
    else await startEntry(header, size);
  }

  function startMeta(type: string, size: number): void {
    metaCount += 1;
    // Writers put at most two before each entry; a series of them without an entry is an attack.
    if (metaCount > 2 * limits.entries + 2) {
      throw badArchive(`The archive has more than ${limits.entries} entries`);
    }
    if (size === 0 || size > maxMetaLength)
      throw badArchive('The archive has an unreadable header');
    metaBytes += size;
    // They are parsed here, which blocks other work; whole archives of them are no code.
    if (metaBytes > maxMetaLength + limits.entries * limits.pathBytes) {
      throw badArchive('The extended headers of the archive are too large');
    }
    meta = { type, chunks: [] };
    startBody(size);
  }

  function endMeta(): void {
    if (meta === undefined) return;
    const bytes = Buffer.concat(meta.chunks);
    if (!isUtf8(bytes)) throw badArchive(notUtf8);
    if (meta.type === 'NextFileHasLongPath')
      pending = { ...pending, path: withoutNuls(bytes.toString()) };
    else pending = { ...pending, ...paxOverrides(bytes, meta.type === 'GlobalExtendedHeader') };
    meta = undefined;
  }

  async function startEntry(header: Decoded, size: number): Promise<void> {
    const { type, executable } = header;
    if (pending.path === undefined && header.pathProblem !== undefined) {
      throw badArchive(header.pathProblem);
    }
    const path = pending.path ?? header.path;
    pending = {};
    const kind = entryKind(type, path);
    // Readers disagree on whether the bytes of a folder are present.
    if (kind === 'folder' && size > 0) throw damagedTar();
    await visitor.entry({ path: plainPath(path, kind === 'folder'), kind, size, executable });
    startBody(size);
  }

  function startBody(bytes: number): void {
    body = { bytes, padding: (blockBytes - (bytes % blockBytes)) % blockBytes };
  }
}

function entryKind(type: string, path: string): ArchiveEntry['kind'] {
  if (type === 'Directory') return 'folder';
  if (fileTypes.has(type)) return 'file';
  const known = type === 'SymbolicLink' ? symbolicLink(path) : refusedTypes.get(type);
  const why = known ?? 'is neither a file nor a folder';
  throw badArchive(`The entry ${quotedPath(path)} ${why}`);
}

function decodeHeader(block: Buffer): Decoded {
  const header = decodeFields(block);
  if (!header.cksumValid) throw damagedTar();
  const { path = '', size, mode = 0 } = header;
  return {
    path,
    pathProblem: pathProblemIn(block),
    type: String(header.type),
    size,
    executable: (mode & 0o111) !== 0,
  };
}

function pathProblemIn(block: Buffer): string | undefined {
  for (const [from, to] of [nameField, prefixField]) {
    if (!isUtf8(untilNul(block.subarray(from, to)))) return notUtf8;
  }
  const name = block.subarray(...nameField);
  return isZero(name.subarray(untilNul(name).length))
    ? undefined
    : 'The archive has a NUL in a path';
}

function decodeFields(block: Buffer): Header {
  try {
    return new Header(block);
  } catch {
    throw damagedTar();
  }
}

/** Normalizes `./a/` to `a`. The rules reject anything else. */
function plainPath(path: string, folder: boolean): string {
  const inner = path === '.' ? '' : path.replace(/^(?:\.\/)+/, '');
  return folder ? inner.replace(/\/$/, '') : inner;
}

function untilNul(field: Buffer): Buffer {
  const end = field.indexOf(0);
  return end === -1 ? field : field.subarray(0, end);
}

function withoutNuls(text: string): string {
  // No regular expression: it would restart at every NUL, and 16 KiB of them before a character take a second.
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0) end -= 1;
  return text.slice(0, end);
}

const zeros = Buffer.alloc(blockBytes);

function isZero(bytes: Buffer): boolean {
  return bytes.equals(zeros.subarray(0, bytes.length));
}

function isPending({ path, size }: PaxOverrides): boolean {
  return path !== undefined || size !== undefined;
}

function damagedTar() {
  return badArchive('The archive is damaged, or not a tar, tar.gz or zip archive');
}

function truncated() {
  return badArchive('The archive is truncated');
}

// Parses the body of a pax header, repeated `<length> <key>=<value>\n`, for the next entry. Every byte must belong to a record;
// irrelevant records, such as owners and times, are skipped.

interface PaxOverrides {
  readonly path?: string;
  readonly size?: number;
}

/** @param global whether the header applies to all entries: then it must not set path or size */
function paxOverrides(body: Buffer, global: boolean): PaxOverrides {
  const records = paxRecords(body);
  for (const key of records.keys()) {
    if (key === 'linkpath') throw badArchive('The archive has a link');
    if (key.startsWith('GNU.sparse')) throw badArchive('The archive has a sparse file');
    if (global && (key === 'path' || key === 'size')) throw unreadable();
  }
  const path = records.get('path');
  const size = records.get('size');
  return {
    ...(path === undefined ? {} : { path }),
    ...(size === undefined ? {} : { size: sizeFrom(size) }),
  };
}

function sizeFrom(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw unreadable();
  return Number(text);
}

function paxRecords(body: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < body.length; ) {
    const record = recordAt(body, at);
    const separator = record.indexOf('=');
    if (separator < 1) throw unreadable();
    const value = record.slice(separator + 1);
    if (value.includes('\0')) throw badArchive('The archive has a NUL in a path');
    records.set(record.slice(0, separator), value);
    at += lengthAt(body, at);
  }
  return records;
}

function recordAt(body: Buffer, at: number): string {
  const length = lengthAt(body, at);
  const end = at + length;
  const start = at + String(length).length + 1;
  if (start >= end || end > body.length || body[end - 1] !== 0x0a) throw unreadable();
  return body.toString('utf8', start, end - 1);
}

function lengthAt(body: Buffer, at: number): number {
  const [, digits] = /^([1-9]\d{0,6}) /.exec(body.toString('latin1', at, at + 8)) ?? [];
  if (digits === undefined) throw unreadable();
  return Number(digits);
}

function unreadable() {
  return badArchive('The archive has an unreadable header');
}
