// Passes bytes through and verifies their digest and length.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ArtifactDamaged, type ArtifactRef } from '../../domain/providers/artifact.ts';
import { reclaim } from '../reclaim.ts';

type Bytes = AsyncGenerator<Uint8Array, void, void>;

/** @throws ArtifactDamaged before the last chunk, when the size or the digest does not match */
export function verifiedBytes(source: Readable, ref: ArtifactRef): Bytes {
  const bytes = checkedBytes(source, ref);
  return {
    next: () => bytes.next(),
    // A generator that never started ends without closing its source. `return` covers a reader that stops early, `throw` a
    // pipeline whose destination was closed before it started.
    throw: (reason) => {
      source.destroy();
      return bytes.throw(reason);
    },
    return: (value) => {
      source.destroy();
      return bytes.return(value);
    },
    async [Symbol.asyncDispose]() {
      await this.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* checkedBytes(
  source: AsyncIterable<Uint8Array>,
  { digest, size }: ArtifactRef,
): Bytes {
  const hash = createHash('sha256');
  let length = 0;
  let held: Uint8Array | undefined;
  for await (const chunk of source) {
    hash.update(chunk);
    length += chunk.length;
    if (length > size) throw new ArtifactDamaged(`${digest} has more than ${size} bytes`);
    if (held !== undefined) yield held;
    held = chunk;
    reclaim(chunk.length);
  }
  if (length < size) {
    throw new ArtifactDamaged(`${digest} ends after ${length} of ${size} bytes`);
  }
  if (`sha256:${hash.digest('hex')}` !== digest) {
    throw new ArtifactDamaged(`The content of ${digest} does not match its digest`);
  }
  if (held !== undefined) yield held;
}

/** Reads to the end. @returns whether the size and the digest match */
export async function isWholeArtifact(bytes: AsyncIterable<Uint8Array>): Promise<boolean> {
  try {
    for await (const _ of bytes);
    return true;
  } catch (thrown) {
    if (thrown instanceof ArtifactDamaged) return false;
    throw thrown;
  }
}
