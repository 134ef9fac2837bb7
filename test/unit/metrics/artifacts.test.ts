import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ArtifactStore } from '../../../src/domain/providers/artifact.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { measuredArtifacts } from '../../../src/metrics/artifacts.ts';
import { createMetrics, type Metrics } from '../../../src/metrics/registry.ts';
import { openArtifactStore } from '../../../src/providers/artifacts/index.ts';
import { readExposition } from '../../support/runner/exposition.ts';

let folder: string;
let metrics: Metrics;
let store: ArtifactStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-artifacts-'));
  metrics = createMetrics();
  const files = await openArtifactStore({ kind: 'filesystem', folder }, systemClock);
  store = measuredArtifacts(metrics, systemClock, files);
});

afterEach(() => rm(folder, { recursive: true }));

async function* bytes() {
  yield await Promise.resolve(Buffer.from('code'));
}

async function read(pieces: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  let all = '';
  for await (const piece of pieces ?? []) all += Buffer.from(piece).toString();
  return all;
}

async function counted(operation: string, ending: string): Promise<number | undefined> {
  const { value } = readExposition(await metrics.scrape());
  return value('fairlead_artifact_duration_seconds_count', { operation, ending });
}

it('counts the operations of the artifact store, without changing results', async () => {
  const staged = await store.put(bytes(), { maxBytes: 10 });
  const { digest, size } = await staged.commit();
  expect(size).toBe(4);
  const opened = await store.open(digest);
  expect(await read(opened?.bytes)).toBe('code');
  expect(await store.has(digest)).toBe(true);
  await store.link(digest, 'fl-a');
  expect(await store.isLinked(digest, 'fl-a')).toBe(true);
  await store.delete(digest);
  expect(await store.has(digest)).toBe(false);
  for (const operation of ['receive', 'commit', 'open', 'link', 'delete']) {
    expect(await counted(operation, 'done'), operation).toBe(1);
  }
  expect(await counted('look', 'done')).toBe(3);
});

it('counts failed operations', async () => {
  await expect(store.put(bytes(), { maxBytes: 3 })).rejects.toThrow();
  expect(await counted('receive', 'failed')).toBe(1);
});
