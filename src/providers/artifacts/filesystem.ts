// Stores artifacts as files of one folder, on this machine or on a volume that all replicas mount.
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ArtifactStore, Digest } from '../../domain/artifact.ts';
import type { Clock } from '../../domain/clock.ts';
import { prepareStaging, type StagedFile, stage } from './staging.ts';
import { isWhole, verified } from './verify.ts';

export interface FilesystemSettings {
  readonly kind: 'filesystem';
  readonly folder: string;
}

export async function openFilesystemStore(
  { folder }: FilesystemSettings,
  clock: Clock,
): Promise<ArtifactStore> {
  // Under the same folder: a rename is atomic only within one file system.
  const staging = join(folder, 'staging');
  await prepareStaging(staging, clock);

  const read: ArtifactStore['open'] = async (digest) => {
    const file = await openThere(pathOf(folder, digest));
    if (file === undefined) return undefined;
    try {
      const { size } = await file.stat();
      // Closes the file at its end, and when its reader stops early.
      return { digest, size, bytes: verified(file.createReadStream(), { digest, size }) };
    } catch (thrown) {
      await file.close();
      throw thrown;
    }
  };

  return {
    async put(source, options) {
      const staged = await stage(staging, source, options);
      return { ...staged, commit: () => commit(staged, folder, read) };
    },
    open: read,
    has: (digest) => isThere(pathOf(folder, digest)),
    async link(digest, namespace) {
      const path = linkPathOf(folder, digest, namespace);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(path, 'a', 0o600);
      await file.close();
      await syncFolder(dirname(path));
    },
    async isLinked(digest, namespace) {
      const isHere = await isThere(linkPathOf(folder, digest, namespace));
      return isHere && (await isThere(pathOf(folder, digest)));
    },
    async delete(digest) {
      await rm(pathOf(folder, digest), { force: true });
    },
  };
}

async function commit(staged: StagedFile, folder: string, read: ArtifactStore['open']) {
  const { digest, size, path } = staged;
  const target = pathOf(folder, digest);
  const there = await read(digest);
  // Written once; but a file with corrupted bytes is replaced.
  if (there !== undefined && (await isWhole(there.bytes))) {
    await staged.discard();
  } else {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(path, target);
    // Until the folder is synced too, a power failure can lose the name.
    await syncFolder(dirname(target));
  }
  return { digest, size };
}

function pathOf(folder: string, digest: Digest): string {
  const [algorithm = '', hex = ''] = digest.split(':');
  return join(folder, algorithm, hex.slice(0, 2), hex);
}

function linkPathOf(folder: string, digest: Digest, namespace: string): string {
  return join(folder, 'links', namespace, digest.replace(':', '-'));
}

async function isThere(path: string): Promise<boolean> {
  const file = await openThere(path);
  await file?.close();
  return file !== undefined;
}

async function openThere(path: string) {
  try {
    return await open(path, 'r');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
