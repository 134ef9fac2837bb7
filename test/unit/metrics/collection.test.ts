import { expect, it } from 'vitest';
import type { CollectionReport } from '../../../src/domain/providers/artifact.ts';
import { collectionObserver } from '../../../src/metrics/collection.ts';
import { createMetrics } from '../../../src/metrics/registry.ts';
import { readExposition } from '../../support/runner/exposition.ts';
import { manualTime } from '../../support/runner/manual-time.ts';

const report: CollectionReport = {
  outcome: 'done',
  waiting: { count: 3, bytes: 300 },
  due: { count: 2, bytes: 200 },
  trash: { count: 1, bytes: 100 },
  removed: { count: 4, bytes: 400 },
  restored: { count: 5, bytes: 500 },
};

it('reports what waits, what was removed and when', async () => {
  const metrics = createMetrics();
  const { clock } = manualTime(new Date(1_000_000));
  const observer = collectionObserver(metrics, clock);
  const read = async () => readExposition(await metrics.scrape());
  expect((await read()).value('fairlead_artifact_collections_total', { outcome: 'failed' })).toBe(
    0,
  );
  for (let pass = 0; pass < 2; pass += 1) {
    observer.passed('done');
    observer.found(report);
  }
  const { value } = await read();
  expect(value('fairlead_artifact_collections_total', { outcome: 'done' })).toBe(2);
  expect(value('fairlead_artifact_collection_timestamp_seconds')).toBe(1_000);
  expect(value('fairlead_artifacts_unreferenced', { state: 'waiting' })).toBe(3);
  expect(value('fairlead_artifacts_unreferenced', { state: 'due' })).toBe(2);
  expect(value('fairlead_artifacts_unreferenced_bytes', { state: 'trash' })).toBe(100);
  expect(value('fairlead_artifacts_removed_total')).toBe(8);
  expect(value('fairlead_artifacts_removed_bytes_total')).toBe(800);
  expect(value('fairlead_artifacts_restored_total')).toBe(10);
});

it('reports nothing that waits once another process collects', async () => {
  const metrics = createMetrics();
  const observer = collectionObserver(metrics, manualTime().clock);
  observer.found(report);
  observer.found(undefined);
  const { value } = readExposition(await metrics.scrape());
  expect(value('fairlead_artifacts_unreferenced', { state: 'waiting' })).toBeUndefined();
  expect(value('fairlead_artifacts_removed_total')).toBe(4);
});
