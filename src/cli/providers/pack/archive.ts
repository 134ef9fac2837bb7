// Writes an archive of selected files. Equal files make equal bytes, which the server builds once: the order is that of the
// paths, and times, owners and most rights are left out.
import { createWriteStream, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileSelection } from './selection.ts';

export interface Archive {
  readonly path: string;
  readonly bytes: number;
  /** Deletes the file. */
  remove(): Promise<void>;
}

/**
 * @param prefix a folder of the archive for all files
 * @returns a tar.gz in a temporary file
 */
export async function writeArchive(
  { root, files }: Pick<FileSelection, 'root' | 'files'>,
  signal: AbortSignal,
  prefix = '',
): Promise<Archive> {
  const { Pack } = await import('tar/pack');
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-push-'));
  const remove = async () => await rm(folder, { recursive: true, force: true });
  const path = join(folder, 'code.tar.gz');
  const pack = new Pack({
    cwd: root,
    prefix,
    gzip: true,
    portable: true,
    mtime: new Date(0),
    noDirRecurse: true,
    filter(_, stat) {
      // Files that are hard links of each other would become links in the archive, which the server refuses.
      stat.nlink = 1;
      if ('mode' in stat) stat.mode = (stat.mode & ~0o777) | packedMode(stat.mode);
      return true;
    },
  });
  try {
    for (const file of files) pack.write(file.path);
    pack.end();
    await pipeline(Readable.from(pack), createWriteStream(path, { mode: 0o600 }), { signal });
  } catch (thrown) {
    await remove();
    throw signal.aborted ? signal.reason : thrown;
  }
  return { path, bytes: statSync(path).size, remove };
}

/** Other rights depend on the umask of the checkout. */
function packedMode(mode: number): number {
  return (mode & 0o100) === 0 ? 0o644 : 0o755;
}
