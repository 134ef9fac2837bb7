// Artifacts of another process, through the real listener for pods and the store behind it.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ArtifactStore, Digest } from '../../../src/domain/providers/artifact.ts';
import { createInternalApp } from '../../../src/http/internal.ts';
import { type Listening, listen } from '../../../src/http/listen.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { openArtifactStore } from '../../../src/providers/artifacts/index.ts';
import { bytesOf } from '../../support/fixtures/artifacts/artifact-bytes.ts';
import { artifactKeys } from '../../support/fixtures/artifacts/artifact-keys.ts';

let root: string;
let kept: ArtifactStore;
let remote: ArtifactStore;
let listening: Listening;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-remote-'));
  const tokens = await artifactKeys();
  kept = await openArtifactStore({ kind: 'filesystem', folder: join(root, 'kept') }, systemClock);
  const app = createInternalApp({ artifacts: kept, tokens, clock: systemClock, log: silentLog });
  listening = await listen(app, { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${listening.port}`;
  remote = await openArtifactStore(
    { kind: 'remote', url, stagingFolder: join(root, 'staging') },
    systemClock,
    (grant) => tokens.sign('controller', grant, 60),
  );
});

afterAll(async () => {
  await listening?.close(0);
  await rm(root, { recursive: true, force: true });
});

async function keep(store: ArtifactStore, bytes: Buffer): Promise<Digest> {
  const staged = await store.put(Readable.from([bytes]), { maxBytes: 10_000_000 });
  return (await staged.commit()).digest;
}

it.each([0, 1, 5_000_000])('uploads %i bytes, and reads them back', async (size) => {
  const bytes = randomBytes(size);
  const digest = await keep(remote, bytes);
  expect(await bytesOf(kept, digest)).toEqual(bytes);
  expect(await bytesOf(remote, digest)).toEqual(bytes);
  expect(await remote.has(digest)).toBe(true);
  expect(await readdir(join(root, 'staging'))).toEqual([]);
});

it('returns nothing for a missing artifact', async () => {
  const digest: Digest = `sha256:${'0'.repeat(64)}`;
  expect(await remote.has(digest)).toBe(false);
  expect(await remote.open(digest)).toBeUndefined();
});

it('returns the uploader of an artifact', async () => {
  const digest = await keep(remote, randomBytes(10));
  expect(await remote.isLinked(digest, 'fl-a')).toBe(false);
  await kept.link(digest, 'fl-a');
  expect(await remote.isLinked(digest, 'fl-a')).toBe(true);
  expect(await remote.isLinked(digest, 'fl-b')).toBe(false);
});

it('never returns a damaged artifact as complete', async () => {
  const digest = await keep(kept, randomBytes(300_000));
  const hex = digest.slice('sha256:'.length);
  await truncate(join(root, 'kept', 'sha256', hex.slice(0, 2), hex), 299_999);
  await expect(bytesOf(remote, digest)).rejects.toThrow();
});

it('reports an unauthorized response', async () => {
  const strange = await artifactKeys();
  const store = await openArtifactStore(
    {
      kind: 'remote',
      url: `http://127.0.0.1:${listening.port}`,
      stagingFolder: join(root, 'staging'),
    },
    systemClock,
    (grant) => strange.sign('controller', grant, 60),
  );
  await expect(store.has(`sha256:${'0'.repeat(64)}`)).rejects.toThrow(/401/);
});
