import { expect, it } from 'vitest';
import { measureObservations } from '../../../src/metrics/observations.ts';
import { createMetrics } from '../../../src/metrics/registry.ts';
import type { ObservationAge } from '../../../src/reconcilers/observation/meter.ts';
import { readExposition } from '../../support/runner/exposition.ts';

const subject = (provider: string, namespace = 'fl-a') => ({
  namespace,
  provider,
  type: 'database',
});

function setUp(led: readonly number[] = [0]) {
  const metrics = createMetrics();
  const meter = measureObservations(metrics, { led: () => led });
  return { meter, read: async () => readExposition(await metrics.scrape()) };
}

it('counts observations by outcome, and the corrections that follow', async () => {
  const { meter, read } = setUp();
  meter.observed(subject('postgres'), 'in_sync', 0.2);
  meter.observed(subject('postgres'), 'in_sync', 0.4);
  meter.observed(subject('postgres', 'fl-b'), 'in_sync', 2);
  meter.observed(subject('postgres'), 'not_observed', 30);
  meter.corrected(subject('postgres'));
  const { value } = await read();
  const labels = { organization: 'fl-a', provider: 'postgres', type: 'database' };
  const counted = (outcome: string) => value('fairlead_observations_total', { ...labels, outcome });
  expect(counted('in_sync')).toBe(2);
  expect(counted('not_observed')).toBe(1);
  expect(value('fairlead_corrections_total', labels)).toBe(1);
  const time = 'fairlead_observation_duration_seconds';
  expect(value(`${time}_count`, { outcome: 'in_sync' })).toBe(3);
  expect(value(`${time}_bucket`, { outcome: 'in_sync', le: '0.5' })).toBe(2);
  expect(value(`${time}_sum`, { outcome: 'not_observed' })).toBe(30);
});

it('keeps the series of the first fifty types of an organization, and counts the others as one', async () => {
  const { meter, read } = setUp();
  for (let index = 0; index < 60; index += 1) meter.corrected(subject(`p-${index}`));
  meter.corrected(subject('p-0'));
  meter.corrected(subject('p-59', 'fl-b'));
  const { series, value } = await read();
  const all = series.filter(({ name }) => name === 'fairlead_corrections_total');
  expect(all).toHaveLength(52);
  const counted = (organization: string, provider: string) =>
    value('fairlead_corrections_total', { organization, provider });
  expect([counted('fl-a', 'p-0'), counted('fl-a', 'other'), counted('fl-b', 'p-59')]).toEqual([
    2, 10, 1,
  ]);
});

it('shows the oldest observation of each type, in the shards that the process leads', async () => {
  const led = [0, 2];
  const { meter, read } = setUp(led);
  const ages = (...seconds: readonly number[]): ObservationAge[] =>
    seconds.map((each) => ({ ...subject('postgres'), seconds: each }));
  const elsewhere = { ...subject('postgres', 'fl-b'), seconds: 7 };
  meter.oldest(0, () => [...ages(5, 90, 0), elsewhere]);
  meter.oldest(1, () => ages(1_000));
  const name = 'fairlead_observation_age_seconds';
  const age = async (organization: string) => (await read()).value(name, { organization });
  expect([await age('fl-a'), await age('fl-b')]).toEqual([90, 7]);
  // The next term of the shard, with caches of its own.
  meter.oldest(0, () => ages(3));
  expect([await age('fl-a'), await age('fl-b')]).toEqual([3, undefined]);
  led.pop();
  led.splice(0, 1, 1);
  expect(await age('fl-a')).toBe(1_000);
});
