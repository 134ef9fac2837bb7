// Detects the format of a local archive file and iterates over its entries. Nothing is written.
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type { ArchiveLimits } from '../../domain/providers/archive.ts';
import { reclaiming } from '../reclaim.ts';
import { badArchive, tooMuch } from './rules.ts';
import { type EntryVisitor, tarReader } from './tar.ts';
import { readZip } from './zip.ts';

export type ArchiveFormat = 'tar' | 'tar.gz' | 'zip';

const headBytes = 512;
const ustar = Buffer.from('ustar');
const gzip = Buffer.from([0x1f, 0x8b]);
const zip = Buffer.from('PK\u0003\u0004');
const emptyZip = Buffer.from('PK\u0005\u0006');

/**
 * @param visitor without `bytes`, the entries of a zip are not unpacked
 * @throws FairleadError `bad_archive`; the errors of the visitor
 */
export async function readArchive(
  path: string,
  limits: ArchiveLimits,
  visitor: Pick<EntryVisitor, 'entry'> & Partial<EntryVisitor>,
): Promise<ArchiveFormat> {
  const format = archiveFormat(await headOf(path));
  if (format === 'zip') await readZip(path, limits, visitor);
  else await readTar(path, format, limits, { bytes: () => undefined, ...visitor });
  return format;
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function archiveFormat(head: Buffer): ArchiveFormat {
  if (head.length === 0) throw badArchive('The archive is empty');
  if (head.indexOf(gzip) === 0) return 'tar.gz';
  if (head.indexOf(zip) === 0) return 'zip';
  if (head.indexOf(emptyZip) === 0) throw badArchive('The archive is empty');
  if (isTar(head)) return 'tar';
  throw badArchive('The file is not a tar, tar.gz or zip archive');
}

/** An empty archive starts with its end marker: an empty block. */
function isTar(head: Buffer): boolean {
  if (head.length < headBytes) return false;
  return head.indexOf(ustar) === 257 || head.every((byte) => byte === 0);
}

async function readTar(
  path: string,
  format: 'tar' | 'tar.gz',
  limits: ArchiveLimits,
  visitor: EntryVisitor,
): Promise<void> {
  const reader = tarReader(limits, visitor);
  // Includes headers, padding and the empty blocks at the end; a bomb may consist of those alone.
  const max = limits.unpackedBytes + limits.entries * 2_048 + 1_048_576;
  let size = 0;
  for await (const chunk of format === 'tar' ? fileChunks(path) : unzipped(path)) {
    if (size === 0) requireTar(chunk);
    size += chunk.length;
    if (size > max) throw tooMuch(limits);
    await reader.write(chunk);
  }
  reader.end();
}

/** Reuses one buffer, so that memory does not grow with the file. */
async function* fileChunks(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    const memory = Buffer.allocUnsafeSlow(65_536);
    for (;;) {
      const { bytesRead } = await file.read(memory);
      if (bytesRead === 0) return;
      yield memory.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function* unzipped(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path);
  const unzip = createGunzip({ rejectGarbageAfterEnd: true });
  file.once('error', (error) => unzip.destroy(error));
  try {
    yield* reclaiming(file.pipe(unzip));
  } catch (thrown) {
    throw zlibProblem(thrown) ?? thrown;
  } finally {
    unzip.destroy();
    file.destroy();
  }
}

function requireTar(first: Buffer): void {
  if (first.length >= headBytes && isTar(first.subarray(0, headBytes))) return;
  throw badArchive('The compressed file does not contain a tar archive');
}

function zlibProblem(thrown: unknown) {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code === 'Z_BUF_ERROR') return badArchive('The archive is truncated');
  if (code === 'ERR_TRAILING_JUNK_AFTER_STREAM_END') {
    return badArchive('The archive has data after its end');
  }
  if (String(code).startsWith('Z_')) return badArchive('The archive is damaged');
  return undefined;
}
