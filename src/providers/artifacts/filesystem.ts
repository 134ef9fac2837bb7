// Stores artifacts as files of one folder, on this machine or on a volume that all replicas mount.
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ArtifactStore, Digest, StoredArtifact } from '../../domain/providers/artifact.ts';
import type { Clock } from '../../lib/clock.ts';
import { claim, linkText } from './collection/claims.ts';
import { collect } from './collection/collect.ts';
import { places } from './collection/names.ts';
import {
  artifactPath,
  collectableFolder,
  stagingOf,
  trashedPathOf,
  writeWhole,
} from './filesystem-collection.ts';
import { prepareStaging, type StagedFile, stageArtifact } from './staging.ts';
import { isWholeArtifact, verifiedBytes } from './verify.ts';

export async function openFilesystemStore(
  { folder }: { kind: 'filesystem'; folder: string },
  clock: Clock,
): Promise<ArtifactStore> {
  const staging = stagingOf(folder);
  await prepareStaging(staging, clock);

  const anywhere = (digest: Digest) => openAnywhere(folder, digest);

  return {
    async put(source, options) {
      const staged = await stageArtifact(staging, source, options);
      return { ...staged, commit: () => commitStaged(staged, folder) };
    },
    open: async (digest) => readFrom(await anywhere(digest), digest),
    has: (digest) => isOpened(anywhere(digest)),
    async link(digest, namespace) {
      const path = linkPathOf(digest, namespace);
      await writeWhole(folder, path, linkText);
      await syncFolder(join(folder, dirname(path)));
    },
    async isLinked(digest, namespace) {
      const isHere = await isOpened(openThere(join(folder, linkPathOf(digest, namespace))));
      return isHere && (await isOpened(anywhere(digest)));
    },
    async delete(digest) {
      await rm(artifactPath(folder, digest), { force: true });
    },
    async claim(installation) {
      await claim(collectableFolder(folder), installation);
    },
    collect: (request, signal) => collect(collectableFolder(folder), request, { clock, signal }),
  };
}

async function readFrom(
  file: FileHandle | undefined,
  digest: Digest,
): Promise<StoredArtifact | undefined> {
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    // Closes the file at its end, and when its reader stops early.
    return { digest, size, bytes: verifiedBytes(file.createReadStream(), { digest, size }) };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

async function commitStaged(staged: StagedFile, folder: string) {
  const { digest, size, path } = staged;
  const target = artifactPath(folder, digest);
  // One in the trash is stored again: the trash may be emptied at any time.
  const there = await readFrom(await openThere(target), digest);
  // Written once; but a file with corrupted bytes is replaced.
  if (there !== undefined && (await isWholeArtifact(there.bytes))) {
    await staged.discard();
  } else {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(path, target);
    // Until the folder is synced too, a power failure can lose the name.
    await syncFolder(dirname(target));
  }
  return { digest, size };
}

function linkPathOf(digest: Digest, namespace: string): string {
  return join(places.links, namespace, digest.replace(':', '-'));
}

async function isOpened(opening: Promise<FileHandle | undefined>): Promise<boolean> {
  const file = await opening;
  await file?.close();
  return file !== undefined;
}

/** Also finds an artifact in the trash, and one that is moved at the same time. */
async function openAnywhere(folder: string, digest: Digest): Promise<FileHandle | undefined> {
  const place = artifactPath(folder, digest);
  const found = await openThere(place);
  if (found !== undefined) return found;
  const trashed = await trashedPathOf(folder, digest);
  const inTrash = trashed === undefined ? undefined : await openThere(trashed);
  return inTrash ?? (await openThere(place));
}

async function openThere(path: string): Promise<FileHandle | undefined> {
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
