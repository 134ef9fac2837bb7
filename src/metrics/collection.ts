// Measures the garbage collection of artifacts, in the process that performs it.
import type { Amount, CollectionReport } from '../domain/providers/artifact.ts';
import type { Clock } from '../lib/clock.ts';
import type { CollectionObserver } from '../reconcilers/artifacts/index.ts';
import type { Metrics, Sample } from './registry.ts';

const states = ['waiting', 'due', 'trash'] as const;
const outcomes = ['done', 'foreign', 'unconfirmed', 'skipped', 'failed'] as const;

export function collectionObserver(metrics: Metrics, clock: Clock): CollectionObserver {
  const passes = metrics.counter({
    name: 'fairlead_artifact_collections_total',
    help: 'Passes of the garbage collection of artifacts by outcome; foreign: another installation uses the same place, unconfirmed: one may use it, skipped: a cache was not complete.',
    labels: ['outcome'],
  });
  const last = metrics.gauge({
    name: 'fairlead_artifact_collection_timestamp_seconds',
    help: 'Unix time of the last pass that was done, in the process that collects.',
    labels: [],
  });
  const objects = metrics.gauge({
    name: 'fairlead_artifacts_unreferenced',
    help: 'Artifacts that nothing refers to: waiting for the end of the grace period, due (in a dry run), or in the trash.',
    labels: ['state'],
  });
  const bytes = metrics.gauge({
    name: 'fairlead_artifacts_unreferenced_bytes',
    help: 'Size of the artifacts that nothing refers to.',
    labels: ['state'],
  });
  const removed = metrics.counter({
    name: 'fairlead_artifacts_removed_total',
    help: 'Artifacts that were deleted.',
    labels: [],
  });
  const removedBytes = metrics.counter({
    name: 'fairlead_artifacts_removed_bytes_total',
    help: 'Size of the artifacts that were deleted.',
    labels: [],
  });
  const restored = metrics.counter({
    name: 'fairlead_artifacts_restored_total',
    help: 'Artifacts that were moved back from the trash, because something refers to them again.',
    labels: [],
  });
  for (const outcome of outcomes) passes({ outcome }, 0);
  return {
    passed(outcome) {
      passes({ outcome });
    },
    found(report) {
      if (report !== undefined && report.outcome !== 'done') return;
      last(report === undefined ? [] : [{ labels: {}, value: clock.now().getTime() / 1_000 }]);
      objects(samplesOf(report, ({ count }) => count));
      bytes(samplesOf(report, (amount) => amount.bytes));
      removed({}, report?.removed.count ?? 0);
      removedBytes({}, report?.removed.bytes ?? 0);
      restored({}, report?.restored.count ?? 0);
    },
  };
}

function samplesOf(
  report: CollectionReport | undefined,
  pick: (amount: Amount) => number,
): readonly Sample[] {
  if (report === undefined) return [];
  return states.map((state) => ({ labels: { state }, value: pick(report[state]) }));
}
