// Gauges read at every scrape: leader, watches, resources and dead letters with the checks of their numbers, builds.

import type { Caches } from '../app/caches.ts';
import { storedStates } from '../domain/lifecycle.ts';
import { isBuildFinished } from '../domain/providers/build.ts';
import type { Clock } from '../lib/clock.ts';
import type { DeadLetterStatistics } from './dead-letter-statistics.ts';
import type { Metrics, Sample } from './registry.ts';
import type { ResourceStates } from './resource-states.ts';
import type { StalledObjects } from './stalled.ts';
import type { Accounting } from './unaccounted.ts';
import type { Unsettled } from './unsettled.ts';

/** Upper bounds in seconds. */
const buildBuckets = [5, 15, 30, 60, 120, 300, 600, 1_200];

export interface StateMetrics {
  readonly caches: Pick<Caches, 'all' | 'builds'>;
  readonly led: () => readonly number[];
  readonly organizations: () => Iterable<string>;
  readonly resourceStates: ResourceStates;
  readonly accounting: Accounting;
  /** Set in a process that caches the dead letters. */
  readonly deadLetters: DeadLetterStatistics | undefined;
  readonly stalled: StalledObjects;
  readonly unsettled: Unsettled;
  readonly clock: Clock;
}

export function registerStateMetrics(metrics: Metrics, stateMetrics: StateMetrics): void {
  measureProcess(metrics, stateMetrics);
  measureInterruptions(metrics, stateMetrics);
  measureResources(metrics, stateMetrics);
  measureUnsettled(metrics, stateMetrics);
  measureStalled(metrics, stateMetrics);
  const { deadLetters } = stateMetrics;
  if (deadLetters !== undefined) measureDeadLetters(metrics, { ...stateMetrics, deadLetters });
  measureBuilds(metrics, stateMetrics);
}

function measureProcess(metrics: Metrics, { led, caches }: StateMetrics): void {
  const leader = metrics.gauge({
    name: 'fairlead_leader',
    help: 'The number of shards that this replica reconciles; the sum over all replicas should be that of all shards, 1 by default.',
    labels: [],
  });
  const silent = metrics.gauge({
    name: 'fairlead_watch_silent_seconds',
    help: 'Time since the last answer of the API server about a kind; above a few minutes, the cache may be outdated.',
    labels: ['kind'],
  });
  metrics.beforeScrape(() => {
    leader([{ labels: {}, value: led().length }]);
    const byKind = Map.groupBy(caches.all, ({ kind }) => kind.kind);
    silent(
      [...byKind].map(([kind, each]) => ({
        labels: { kind },
        value: Math.max(...each.map(({ silentMs }) => silentMs)) / 1_000,
      })),
    );
  });
}

function measureInterruptions(metrics: Metrics, { caches }: StateMetrics): void {
  const count = metrics.counter({
    name: 'fairlead_watch_interruptions_total',
    help: 'Lists and watches of a kind that failed and were retried.',
    labels: ['kind'],
  });
  // Keyed by cache, as some kinds have two.
  const counted = new Map<object, number>();
  metrics.beforeScrape(() => {
    for (const cache of caches.all) {
      const { kind, interruptions } = cache;
      count({ kind: kind.kind }, interruptions - (counted.get(cache) ?? 0));
      counted.set(cache, interruptions);
    }
  });
}

function measureResources(
  metrics: Metrics,
  { resourceStates, accounting, organizations }: StateMetrics,
): void {
  const states = metrics.gauge({
    name: 'fairlead_resources',
    help: 'Resources by state, in the cache of this process.',
    labels: ['organization', 'state'],
  });
  const applied = metrics.gauge({
    name: 'fairlead_resources_applied',
    help: 'Resources that exist, by the last count of the API server.',
    labels: ['organization'],
  });
  const unaccounted = metrics.gauge({
    name: 'fairlead_resources_unaccounted',
    help: 'Resources counted by the API server minus the sum of fairlead_resources, compared while neither changes. Should be 0; otherwise this process missed changes.',
    labels: ['organization'],
  });
  metrics.beforeScrape(() => {
    const present = new Set([...organizations(), ...resourceStates.groups()]);
    states(statesOf(present, resourceStates));
    const balances = [...accounting.balances].filter(([organization]) => present.has(organization));
    applied(
      balances.map(([organization, balance]) => ({
        labels: { organization },
        value: balance.applied,
      })),
    );
    unaccounted(
      balances.flatMap(([organization, balance]) =>
        balance.unaccounted === undefined
          ? []
          : [{ labels: { organization }, value: balance.unaccounted }],
      ),
    );
  });
}

function measureUnsettled(metrics: Metrics, { unsettled, clock }: StateMetrics): void {
  const oldest = metrics.gauge({
    name: 'fairlead_unsettled_oldest_seconds',
    help: 'Time since work began on the oldest resource that is not settled, by state and reason.',
    labels: ['organization', 'state', 'reason'],
  });
  metrics.beforeScrape(() => {
    const now = clock.now().getTime();
    oldest(
      unsettled.oldest().map(({ since, ...labels }) => ({
        labels,
        value: Math.max(0, now - since.getTime()) / 1_000,
      })),
    );
  });
}

function measureStalled(metrics: Metrics, { stalled }: StateMetrics): void {
  const objects = metrics.gauge({
    name: 'fairlead_stalled_objects',
    help: 'Objects that need intervention, by kind and reason of the condition Stalled. Resources with a dead letter and failed builds are not counted.',
    labels: ['organization', 'kind', 'reason'],
  });
  metrics.beforeScrape(() =>
    objects(stalled.groups().map(({ count: value, ...labels }) => ({ labels, value }))),
  );
}

function* statesOf(present: Iterable<string>, resourceStates: ResourceStates): Iterable<Sample> {
  for (const organization of present) {
    for (const state of storedStates) {
      yield { labels: { organization, state }, value: resourceStates.count(organization, state) };
    }
  }
}

function measureDeadLetters(
  metrics: Metrics,
  {
    deadLetters,
    organizations,
    clock,
  }: StateMetrics & { readonly deadLetters: DeadLetterStatistics },
): void {
  const labels = ['organization'];
  const waiting = metrics.gauge({
    name: 'fairlead_dead_letters',
    help: 'Dead letters by provider and error code (the fifty most frequent of each, the rest as other). superseded: the resource has changed or was deleted since.',
    labels: [...labels, 'provider', 'reason', 'superseded'],
  });
  const oldest = metrics.gauge({
    name: 'fairlead_dead_letter_oldest_age_seconds',
    help: 'Age of the oldest dead letter that is not superseded.',
    labels: [...labels, 'provider'],
  });
  const withoutDeadLetter = metrics.gauge({
    name: 'fairlead_failed_without_dead_letter',
    help: 'Resources that failed permanently and have no dead letter. Should be 0; resources whose dead letter was deleted are not counted.',
    labels,
  });
  const unfailed = metrics.gauge({
    name: 'fairlead_dead_letters_without_failure',
    help: 'Dead letters that are superseded but not yet marked so. Should soon return to 0.',
    labels,
  });
  metrics.beforeScrape(() => {
    const report = deadLetters.read();
    const now = clock.now().getTime();
    const ofEach = (counts: ReadonlyMap<string, number>) =>
      [...new Set([...organizations(), ...counts.keys()])].map((organization) => ({
        labels: { organization },
        value: counts.get(organization) ?? 0,
      }));
    waiting(
      report.groups.map(({ count, superseded, ...rest }) => ({
        labels: { ...rest, superseded: String(superseded) },
        value: count,
      })),
    );
    oldest(
      report.oldest.map(({ organization, provider, failedAt }) => ({
        labels: { organization, provider },
        value: Math.max(0, now - failedAt.getTime()) / 1_000,
      })),
    );
    withoutDeadLetter(ofEach(report.failedWithoutDeadLetter));
    unfailed(ofEach(report.deadLettersWithoutFailure));
  });
}

/** Measures only builds that were seen under way: an earlier process counted the others. */
function measureBuilds(metrics: Metrics, { caches: { builds }, clock }: StateMetrics): void {
  const time = metrics.histogram({
    name: 'fairlead_build_duration_seconds',
    help: 'Time from a push to the end of its build, by final phase.',
    labels: ['phase'],
    buckets: buildBuckets,
  });
  const underWay = new Set<string>();
  builds.onChange((key, _before, build) => {
    const { metadata, status } = build ?? {};
    const phase = status?.phase ?? 'pending';
    if (build === undefined) underWay.delete(key);
    else if (!isBuildFinished(phase)) underWay.add(key);
    else if (underWay.delete(key)) {
      const began = Date.parse(metadata?.creationTimestamp ?? '');
      const ended = status?.finishedAt === undefined ? clock.now() : new Date(status.finishedAt);
      time({ phase }, Math.max(0, ended.getTime() - began) / 1_000);
    }
  });
}
