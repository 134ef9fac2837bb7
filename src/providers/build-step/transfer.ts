// Transfers artifacts over the internal listener: GET /artifacts/{digest} and POST /artifacts, with a token for each. It
// hashes the bytes and retries temporary failures: a rollout of Fairlead must not fail a build.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type ArtifactRef, isDigest } from '../../domain/providers/artifact.ts';

export interface Artifacts {
  /** Writes an artifact to a file, which is complete when this returns. */
  download(digest: string, path: string): Promise<void>;
  /** @param bytes returns the bytes from the beginning at every call */
  upload(bytes: () => AsyncIterable<Uint8Array>): Promise<ArtifactRef>;
}

interface ArtifactsOptions {
  /** Base URL of the internal listener. */
  readonly url: string;
  readonly token: string;
  /** 6 */
  readonly attempts?: number;
  /** The delay before the second attempt, doubled for each later one; 500 ms. */
  readonly pauseMs?: number;
}

/** A failed transfer; the message contains no URL and no token. */
export class TransferFailure extends Error {
  override readonly name = 'TransferFailure';
}

const attemptMs = 5 * 60_000;

export function createArtifacts(options: ArtifactsOptions): Artifacts {
  const { token, attempts = 6, pauseMs = 500 } = options;
  const base = options.url.endsWith('/') ? options.url : `${options.url}/`;
  const headers = { authorization: `Bearer ${token}` };

  async function repeated<T>(what: string, attempt: () => Promise<T>, count = 1): Promise<T> {
    try {
      return await attempt();
    } catch (thrown) {
      if (thrown instanceof TransferFailure || isOfFiles(thrown)) throw thrown;
      if (count >= attempts) {
        throw new TransferFailure(`${what} failed ${count} times`, { cause: thrown });
      }
    }
    await pause(pauseMs * 2 ** (count - 1));
    return await repeated(what, attempt, count + 1);
  }

  return {
    download: (digest, path) =>
      repeated('The download of the artifact', async () => {
        const signal = AbortSignal.timeout(attemptMs);
        const answer = await fetch(new URL(`artifacts/${digest}`, base), { headers, signal });
        await requireOk(answer);
        const hash = createHash('sha256');
        await pipeline(
          Readable.fromWeb(answer.body as never),
          hashing(hash),
          createWriteStream(path),
        );
        if (`sha256:${hash.digest('hex')}` !== digest)
          throw new Error('The checksum of the downloaded bytes does not match');
      }),
    upload: (bytes) =>
      repeated('The upload of the artifact', async () => {
        const hash = createHash('sha256');
        const answer = await fetch(new URL('artifacts', base), {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/octet-stream' },
          body: Readable.toWeb(Readable.from(hashing(hash)(bytes()))) as never,
          signal: AbortSignal.timeout(attemptMs),
          duplex: 'half',
        } as RequestInit);
        await requireOk(answer);
        const ref = artifactIn(await answer.json());
        if (ref.digest !== `sha256:${hash.digest('hex')}`)
          throw new Error('The checksum of the uploaded bytes does not match');
        return ref;
      }),
  };
}

/** Without zod, which takes longer to load than all else of this step. */
function artifactIn(answer: unknown): ArtifactRef {
  const { digest, size } = answer as Partial<Record<keyof ArtifactRef, unknown>>;
  if (typeof digest !== 'string' || !isDigest(digest) || !Number.isSafeInteger(size))
    throw new Error('The answer to the upload is not an artifact');
  return { digest, size: size as number };
}

function hashing(hash: ReturnType<typeof createHash>) {
  return async function* pass(source: AsyncIterable<Uint8Array>) {
    for await (const chunk of source) {
      hash.update(chunk);
      yield chunk;
    }
  };
}

/** @throws TransferFailure for an answer that a retry would not change */
async function requireOk(answer: Response): Promise<void> {
  if (answer.ok) return;
  await answer.body?.cancel();
  const isBusy = answer.status >= 500 || answer.status === 429 || answer.status === 408;
  if (isBusy) throw new Error(`The server answered ${answer.status}`);
  throw new TransferFailure(`Fairlead rejected the transfer of the artifact (${answer.status})`);
}

/** Local files fail for their own reasons, such as a full disk, which no retry fixes. */
function isOfFiles(thrown: unknown): boolean {
  const { code } = thrown as { code?: unknown };
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'bad_archive' || code === 'EACCES';
}
