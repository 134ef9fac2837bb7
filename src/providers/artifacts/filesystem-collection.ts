// Marks and the trash of an artifact folder. Moves are renames within one file system, so an artifact is always in one place.
import { mkdir, opendir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Digest } from '../../domain/providers/artifact.ts';
import type { StoredClaim } from './collection/claims.ts';
import type { CollectableStore } from './collection/collect.ts';
import { digestOf, entryName, hexOf, namedEntry, places } from './collection/names.ts';
import type { AgedArtifact } from './collection/plan.ts';
import { stagedPathIn } from './staging.ts';

/** Under the same folder: a rename is atomic only within one file system. */
export function stagingOf(folder: string): string {
  return join(folder, 'staging');
}

export function artifactPath(folder: string, digest: Digest): string {
  const hex = hexOf(digest);
  return join(folder, places.artifacts, hex.slice(0, 2), hex);
}

/** @returns where an artifact is in the trash, if it is */
export async function trashedPathOf(folder: string, digest: Digest): Promise<string | undefined> {
  const name = (await namesInFolder(join(folder, places.trash))).find(
    (each) => namedEntry(each)?.digest === digest,
  );
  return name === undefined ? undefined : join(folder, places.trash, name);
}

export function collectableFolder(folder: string): CollectableStore {
  const artifacts = join(folder, places.artifacts);
  const markPath = (entry: AgedArtifact) => join(folder, places.marks, entryName(entry));
  const trashPath = (entry: AgedArtifact) => join(folder, places.trash, entryName(entry));
  return {
    async list() {
      const found = new Set<Digest>();
      const parts = (await namesInFolder(artifacts)).filter((part) => /^[0-9a-f]{2}$/.test(part));
      for (const part of parts) {
        for (const hex of await namesInFolder(join(artifacts, part))) {
          const digest = digestOf(hex);
          if (digest !== undefined) found.add(digest);
        }
      }
      return {
        artifacts: found,
        marks: await agedEntries(join(folder, places.marks)),
        trash: await agedEntries(join(folder, places.trash)),
      };
    },
    async sizeOf(digest) {
      const size = await sizeOfFile(artifactPath(folder, digest));
      if (size !== undefined) return size;
      const trashed = await trashedPathOf(folder, digest);
      return trashed === undefined ? 0 : ((await sizeOfFile(trashed)) ?? 0);
    },
    objectsIn: (place) => filesUnder(join(folder, place)),
    readText: (path) => unlessMissing(readFile(join(folder, path), 'utf8')),
    writeText: (path, text) => writeWhole(folder, path, text),
    remove: (path) => rm(join(folder, path), { force: true }),
    async mark(entry) {
      await mkdir(join(folder, places.marks), { recursive: true, mode: 0o700 });
      await writeFile(markPath(entry), '', { mode: 0o600 });
    },
    unmark: (entry) => rm(markPath(entry), { force: true }),
    discard: (entry) => move(artifactPath(folder, entry.digest), trashPath(entry)),
    // Replaces equal bytes when they were uploaded again meanwhile.
    restore: (entry) => move(trashPath(entry), artifactPath(folder, entry.digest)),
    purge: (entry) => rm(trashPath(entry), { force: true }),
  };
}

/** Renames it from the folder of uploads, which is emptied of what a crash left there. */
export async function writeWhole(folder: string, path: string, text: string): Promise<void> {
  const target = join(folder, path);
  const staged = stagedPathIn(stagingOf(folder));
  await writeFile(staged, text, { mode: 0o600, flush: true });
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await rename(staged, target);
}

async function* filesUnder(folder: string): AsyncGenerator<StoredClaim, void, void> {
  const found = await unlessMissing(opendir(folder, { recursive: true }));
  for await (const entry of found ?? []) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const file = await unlessMissing(stat(path));
    // Missing: another process has moved it.
    if (file === undefined) continue;
    yield { name: relative(folder, path), size: file.size, modified: file.mtime };
  }
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  // Missing: another process has moved it.
  await unlessMissing(rename(from, to));
}

async function agedEntries(folder: string): Promise<readonly AgedArtifact[]> {
  return (await namesInFolder(folder)).flatMap((name) => namedEntry(name) ?? []);
}

async function namesInFolder(folder: string): Promise<readonly string[]> {
  return (await unlessMissing(readdir(folder))) ?? [];
}

async function sizeOfFile(path: string): Promise<number | undefined> {
  return (await unlessMissing(stat(path)))?.size;
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}
