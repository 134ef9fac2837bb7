// Writes a stream to a temporary file and computes its digest and size. A separate folder makes leftovers of a crash
// findable.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError } from '../../domain/errors.ts';
import type { ArtifactRef, Digest, PutOptions } from '../../domain/providers/artifact.ts';
import type { Clock } from '../../lib/clock.ts';
import { reclaim } from '../reclaim.ts';

export interface StagedFile extends ArtifactRef {
  readonly path: string;
  readonly discard: () => Promise<void>;
}

const staleMs = 3_600_000;
const extension = '.part';

/** Returns a new path; `prepareStaging` removes what a crash leaves there. */
export function stagedPathIn(folder: string): string {
  return join(folder, `${randomUUID()}${extension}`);
}

/** When it returns, the file is on disk, not only in the page cache. */
export async function stageArtifact(
  folder: string,
  source: AsyncIterable<Uint8Array>,
  { maxBytes, signal }: PutOptions,
): Promise<StagedFile> {
  const path = stagedPathIn(folder);
  const discard = () => rm(path, { force: true });
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of source) {
        signal?.throwIfAborted();
        size += chunk.length;
        if (size > maxBytes) throw artifactTooLarge(maxBytes);
        hash.update(chunk);
        await file.writeFile(chunk);
        reclaim(chunk.length);
      }
      signal?.throwIfAborted();
      await file.sync();
      const digest: Digest = `sha256:${hash.digest('hex')}`;
      return { path, digest, size, discard };
    } finally {
      await file.close();
    }
  } catch (thrown) {
    await discard();
    throw thrown;
  }
}

/** Creates the folder and removes uploads of crashed processes: files without a write for an hour. */
export async function prepareStaging(folder: string, clock: Clock): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const oldest = clock.now().getTime() - staleMs;
  for (const name of await readdir(folder)) {
    if (!name.endsWith(extension)) continue;
    const path = join(folder, name);
    const modified = await modifiedAt(path);
    if (modified !== undefined && modified < oldest) await rm(path, { force: true });
  }
}

/** @returns undefined when another replica removed the file in the meantime */
async function modifiedAt(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return undefined;
  }
}

function artifactTooLarge(limit: number): FairleadError {
  return new FairleadError('too_large', `The upload is larger than ${limit} bytes`);
}
