// Reads artifacts back from their store.
import type { ArtifactStore, Digest } from '../../src/domain/artifact.ts';

/** @returns undefined when the store does not have the artifact */
export async function bytesOf(
  store: Pick<ArtifactStore, 'open'>,
  digest: Digest,
): Promise<Buffer | undefined> {
  const stored = await store.open(digest);
  if (stored === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of stored.bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}
