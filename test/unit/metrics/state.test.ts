import { expect, it } from 'vitest';
import type { Build } from '../../../src/crds/build.ts';
import type { StoredState } from '../../../src/domain/lifecycle.ts';
import { createTally } from '../../../src/lib/tally.ts';
import { createMetrics } from '../../../src/metrics/registry.ts';
import { registerStateMetrics, type StateMetrics } from '../../../src/metrics/state.ts';
import type { Balance } from '../../../src/metrics/unaccounted.ts';
import { now, secondsLater } from '../../support/fixtures/builders.ts';
import { objectCache } from '../../support/fixtures/object-cache.ts';
import { readExposition } from '../../support/runner/exposition.ts';

function setUp() {
  const resourceStates = createTally<StoredState>();
  const balances = new Map<string, Balance>();
  const organizations = new Set<string>();
  const underWay: ReturnType<StateMetrics['unsettled']['oldest']>[number][] = [];
  const stalled: ReturnType<StateMetrics['stalled']['groups']>[number][] = [];
  const metrics = createMetrics();
  const builds = objectCache<Build>();
  const watched = [
    { kind: { kind: 'Build' }, silentMs: 1_500, interruptions: 2 },
    { kind: { kind: 'ConfigMap' }, silentMs: 4_000, interruptions: 3 },
    { kind: { kind: 'ConfigMap' }, silentMs: 1_000, interruptions: 0 },
  ];
  const stateMetrics = {
    caches: { all: watched, builds },
    led: () => [],
    organizations: () => organizations,
    resourceStates,
    accounting: { balances },
    deadLetters: {
      read: () => ({
        groups: [],
        oldest: [],
        failedWithoutDeadLetter: new Map(),
        deadLettersWithoutFailure: new Map(),
      }),
    },
    stalled: { groups: () => stalled },
    unsettled: { oldest: () => underWay },
    clock: { now: () => now, monotonic: () => 0 },
  };
  return {
    resourceStates,
    balances,
    organizations,
    underWay,
    stalled,
    put: (phase: string, name = 'b') => {
      const build = {
        metadata: { name, namespace: 'fl-acme', creationTimestamp: now.toISOString() },
        status: { phase, finishedAt: secondsLater(45).toISOString() },
      } as Build;
      builds.put(build);
    },
    measure: () => registerStateMetrics(metrics, stateMetrics as unknown as StateMetrics),
    scrape: async () => readExposition(await metrics.scrape()),
  };
}

it('reports measured unaccounted, in either direction', async () => {
  const { balances, organizations, measure, scrape } = setUp();
  for (const each of ['fl-lost', 'fl-ghost', 'fl-busy']) organizations.add(each);
  balances.set('fl-lost', { applied: 4, unaccounted: 1 });
  balances.set('fl-ghost', { applied: 2, unaccounted: -1 });
  balances.set('fl-busy', { applied: 9, unaccounted: undefined });
  measure();
  const read = await scrape();
  const unaccounted = (organization: string) =>
    read.value('fairlead_resources_unaccounted', { organization });
  expect([unaccounted('fl-lost'), unaccounted('fl-ghost'), unaccounted('fl-busy')]).toEqual([
    1,
    -1,
    undefined,
  ]);
  expect(read.value('fairlead_resources_applied', { organization: 'fl-busy' })).toBe(9);
});

it('reports the age of the oldest resource of each reason', async () => {
  const { underWay, measure, scrape } = setUp();
  const group = { organization: 'fl-acme', state: 'pending', reason: 'WaitingForProvider' };
  underWay.push({ ...group, since: secondsLater(-90) });
  measure();
  expect((await scrape()).value('fairlead_unsettled_oldest_seconds', group)).toBe(90);
});

it('reports stalled objects', async () => {
  const { stalled, measure, scrape } = setUp();
  const group = { organization: 'fl-acme', kind: 'Build', reason: 'Forbidden' };
  stalled.push({ ...group, count: 3 });
  measure();
  expect((await scrape()).value('fairlead_stalled_objects', group)).toBe(3);
});

it('reports every state of an organization, also at 0, until the organization is deleted', async () => {
  const { resourceStates, balances, organizations, measure, scrape } = setUp();
  organizations.add('fl-acme');
  balances.set('fl-acme', { applied: 1, unaccounted: 0 });
  resourceStates.set('fl-acme/a', 'fl-acme', 'ready');
  measure();
  const organization = 'fl-acme';
  const first = await scrape();
  expect(first.value('fairlead_resources', { organization, state: 'ready' })).toBe(1);
  expect(first.series.filter(({ name }) => name === 'fairlead_resources')).toHaveLength(6);

  resourceStates.delete('fl-acme/a');
  const empty = await scrape();
  expect(empty.value('fairlead_resources', { organization, state: 'ready' })).toBe(0);

  organizations.delete('fl-acme');
  const gone = await scrape();
  expect(gone.series.filter(({ labels }) => labels['organization'] === organization)).toEqual([]);
});

it('measures observed builds, once each', async () => {
  const { put, measure, scrape } = setUp();
  put('success', 'before this process');
  put('building', 'seen');
  measure();
  put('success', 'seen');
  put('success', 'seen');
  const read = await scrape();
  expect(read.value('fairlead_build_duration_seconds_count', { phase: 'success' })).toBe(1);
  expect(read.value('fairlead_build_duration_seconds_sum', { phase: 'success' })).toBe(45);
});

it('reports the leader, the silence of watches, and their interruptions', async () => {
  const { measure, scrape } = setUp();
  measure();
  const read = await scrape();
  expect(read.value('fairlead_leader')).toBe(0);
  expect(read.value('fairlead_watch_silent_seconds', { kind: 'Build' })).toBe(1.5);
  expect(read.value('fairlead_watch_interruptions_total', { kind: 'Build' })).toBe(2);
  const again = await scrape();
  expect(again.value('fairlead_watch_interruptions_total', { kind: 'ConfigMap' })).toBe(3);
  expect(again.value('fairlead_watch_silent_seconds', { kind: 'ConfigMap' })).toBe(4);
  expect(again.value('fairlead_watch_interruptions_total', { kind: 'Build' })).toBe(2);
});
