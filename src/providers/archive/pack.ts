// Packs a folder into a tar.gz that depends only on its names, bytes and executable bits: the same code built twice is the
// same artifact. Links are left out and reported, because the extraction rejects them.
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { Header, Pax } from 'tar';
import { type ArchiveLimits, defaultArchiveLimits } from '../../domain/providers/archive.ts';
import { type ArchiveEntry, entryRules } from './rules.ts';

interface Packing {
  readonly bytes: AsyncIterable<Buffer>;
  /** Paths of omitted links and special files; complete once all bytes were read. */
  readonly leftOut: readonly string[];
}

const blockBytes = 512;
const epoch = new Date(0);

/** Its bytes end with a FairleadError `bad_archive` if the folder breaks a rule of the extraction. */
export function packFolder(folder: string, limits: ArchiveLimits = defaultArchiveLimits): Packing {
  const leftOut: string[] = [];
  const tar = Readable.from(tarOf(folder, limits, leftOut), { objectMode: false });
  const gzip = createGzip();
  tar.once('error', (error) => gzip.destroy(error));
  gzip.once('close', () => tar.destroy());
  return { bytes: tar.pipe(gzip), leftOut };
}

async function* tarOf(
  folder: string,
  limits: ArchiveLimits,
  leftOut: string[],
): AsyncGenerator<Buffer> {
  const rules = entryRules(limits);
  for await (const path of walkFiles(folder, '', leftOut)) {
    const file = await open(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const stat = await file.stat();
      const entry: ArchiveEntry = {
        path,
        kind: 'file',
        size: stat.size,
        executable: (stat.mode & 0o100) !== 0,
      };
      rules.check(entry);
      yield headerOf(entry);
      yield* exactly(stat.size, file.createReadStream({ autoClose: false }));
      yield Buffer.alloc(paddingOf(stat.size));
    } finally {
      await file.close();
    }
  }
  rules.finish();
  yield Buffer.alloc(2 * blockBytes);
}

/** Fails if the size differs from the header. */
async function* exactly(size: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = size;
  for await (const chunk of chunks) {
    left -= chunk.length;
    if (left < 0) break;
    yield chunk;
  }
  if (left !== 0) throw new Error('A file changed while it was packed');
}

/** Iterates over the paths of plain files, ordered by name only. */
async function* walkFiles(
  folder: string,
  below: string,
  leftOut: string[],
): AsyncGenerator<string> {
  const children = await readdir(join(folder, below), { withFileTypes: true });
  for (const child of children.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === '' ? child.name : `${below}/${child.name}`;
    if (child.isDirectory()) yield* walkFiles(folder, path, leftOut);
    else if (child.isFile()) yield path;
    else leftOut.push(path);
  }
}

function headerOf({ path, size, executable }: ArchiveEntry): Buffer {
  const fields = { mode: executable ? 0o755 : 0o644, uid: 0, gid: 0, mtime: epoch };
  const header = new Header({ path, size, type: 'File', uname: '', gname: '', ...fields });
  const block = Buffer.alloc(blockBytes);
  // Fields that do not fit into the header go into a pax header before it.
  if (!header.encode(block)) return block;
  return Buffer.concat([new Pax({ path, size, ...fields }).encode(), block]);
}

function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}
