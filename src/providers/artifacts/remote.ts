// Reads and writes artifacts over the internal listener of a replica, for a process without the artifact volume.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { ArtifactGrant, ArtifactStore, Digest } from '../../domain/providers/artifact.ts';
import type { Clock } from '../../lib/clock.ts';
import { createArtifacts } from '../build-step/transfer.ts';
import { prepareStaging, stageArtifact } from './staging.ts';
import { verifiedBytes } from './verify.ts';

interface RemoteSettings {
  readonly kind: 'remote';
  /** Base URL of the internal listener. */
  readonly url: string;
  readonly stagingFolder: string;
}

/** @returns a short-lived token for this transfer alone */
export type GrantToken = (grant: ArtifactGrant) => Promise<string>;

const timeoutMs = 5 * 60_000;

const Amount = z.object({ count: z.int(), bytes: z.int() });
const Report = z.object({
  outcome: z.enum(['done', 'foreign', 'unconfirmed']),
  claim: z.string().optional(),
  waiting: Amount,
  due: Amount,
  trash: Amount,
  removed: Amount,
  restored: Amount,
});

export async function openRemoteStore(
  { url, stagingFolder }: RemoteSettings,
  clock: Clock,
  tokenFor: GrantToken,
): Promise<ArtifactStore> {
  await prepareStaging(stagingFolder, clock);
  const base = url.endsWith('/') ? url : `${url}/`;

  async function ask(digest: Digest, namespace?: string): Promise<Response | undefined> {
    const token = await tokenFor({ direction: 'download', digest, namespace });
    const headers = { authorization: `Bearer ${token}` };
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(new URL(`artifacts/${digest}`, base), { headers, signal });
    if (answer.ok && answer.body !== null) return answer;
    await answer.body?.cancel();
    if (answer.status === 404) return undefined;
    throw new Error(`The internal listener answered ${answer.status}`);
  }

  async function isThere(digest: Digest, namespace?: string): Promise<boolean> {
    const answer = await ask(digest, namespace);
    await answer?.body?.cancel();
    return answer !== undefined;
  }

  return {
    async put(source, options) {
      const staged = await stageArtifact(stagingFolder, source, options);
      return {
        ...staged,
        async commit() {
          const { digest, size, path } = staged;
          const token = await tokenFor({ direction: 'upload', maxBytes: Math.max(size, 1) });
          await createArtifacts({ url, token }).upload(() => createReadStream(path));
          await staged.discard();
          return { digest, size };
        },
      };
    },
    async open(digest) {
      const answer = await ask(digest);
      if (answer === undefined) return undefined;
      const size = Number(answer.headers.get('content-length'));
      const bytes = verifiedBytes(Readable.fromWeb(answer.body as never), { digest, size });
      return { digest, size, bytes };
    },
    has: (digest) => isThere(digest),
    link: () => Promise.reject(new Error('A remote artifact store cannot link artifacts')),
    isLinked: isThere,
    delete: () => Promise.reject(new Error('A remote artifact store cannot delete artifacts')),
    claim: () => Promise.reject(new Error('A remote artifact store cannot be claimed')),
    async collect({ referenced, ...request }, signal) {
      const token = await tokenFor({ direction: 'collect' });
      const answer = await fetch(new URL('artifacts/collection', base), {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...request, referenced: [...referenced] }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      if (answer.ok) return Report.parse(await answer.json());
      await answer.body?.cancel();
      throw new Error(`The internal listener answered ${answer.status}`);
    },
  };
}
