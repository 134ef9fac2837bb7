import { expect, it } from 'vitest';
import type { Answer, OutgoingEvent } from '../../../src/events/protocol.ts';
import { createWorkqueue } from '../../../src/kube/queue/workqueue.ts';
import { controllerMeter, measuredDispatch, requestObserver } from '../../../src/metrics/flow.ts';
import { createMetrics, type Metrics } from '../../../src/metrics/registry.ts';
import { readExposition } from '../../support/runner/exposition.ts';
import { manualTime } from '../../support/runner/manual-time.ts';

const { signal } = new AbortController();
const scraped = async (metrics: Metrics) => readExposition(await metrics.scrape());

const failure = { kind: 'failed', code: 'X', message: 'x' } as const;
const answers: Readonly<Record<string, Answer>> = {
  succeeded: { kind: 'succeeded', outputs: {} },
  later: { kind: 'later', retryAfterMs: 1_000 },
  failed: { ...failure, terminal: false },
  terminal: { ...failure, terminal: true },
  unanswered: { ...failure, terminal: false, unanswered: true },
};

it.each(Object.entries(answers))('counts a delivery that %s', async (outcome, answer) => {
  const metrics = createMetrics();
  const time = manualTime();
  const dispatch = measuredDispatch(metrics, time.clock, async () => {
    time.pass(200);
    return await Promise.resolve(answer);
  });
  const event = { type: 'UPDATE' } as OutgoingEvent;
  expect(await dispatch(event, { url: 'http://127.0.0.1:9' }, signal)).toBe(answer);
  const read = await scraped(metrics);
  expect(read.value('fairlead_event_attempts_total', { type: 'UPDATE', outcome })).toBe(1);
  expect(read.value('fairlead_event_duration_seconds_sum', { type: 'UPDATE' })).toBeCloseTo(0.2);
});

it('counts the events of a provider that end a process', async () => {
  const metrics = createMetrics();
  const { processEnded } = controllerMeter(metrics);
  for (const key of ['fl-acme/box', 'fl-acme/box', 'fl-acme/crane']) processEnded(key);
  const read = await scraped(metrics);
  const labels = { organization: 'fl-acme', provider: 'box' };
  expect(read.value('fairlead_provider_process_ends_total', labels)).toBe(2);
});

it('counts the processes of a provider that end without an event to blame', async () => {
  const metrics = createMetrics();
  const { processesRestarted } = controllerMeter(metrics);
  processesRestarted('fl-acme/box', 2);
  processesRestarted('fl-acme/box', 1);
  const read = await scraped(metrics);
  const labels = { organization: 'fl-acme', provider: 'box' };
  expect(read.value('fairlead_provider_process_restarts_total', labels)).toBe(3);
});

it('counts requests by pattern, and times them', async () => {
  const metrics = createMetrics();
  const observe = requestObserver(metrics);
  const route = '/resources/{resource_id}';
  observe({ method: 'GET', route, status: '200', ms: 30 });
  observe({ method: 'GET', route, status: '200', ms: 30 });
  observe({ method: 'GET', route: 'none', status: '404', ms: 1 });
  const read = await scraped(metrics);
  expect(read.value('fairlead_http_requests_total', { route, status: '200' })).toBe(2);
  const bucket = (le: string) =>
    read.value('fairlead_http_request_duration_seconds_bucket', { route, le });
  expect([bucket('0.025'), bucket('0.05'), bucket('+Inf')]).toEqual([0, 2, 2]);
});

it('[I7] counts unknown methods as one', async () => {
  const metrics = createMetrics();
  const observe = requestObserver(metrics);
  for (const method of ['PROPFIND', 'M-SEARCH', 'TRACE']) {
    observe({ method, route: '/health', status: '405', ms: 1 });
  }
  const read = await scraped(metrics);
  const counted = read.series.filter(({ name }) => name === 'fairlead_http_requests_total');
  expect(counted).toHaveLength(1);
  expect(read.value('fairlead_http_requests_total', { method: 'other' })).toBe(3);
});

it('reads the queue of the current term, and observes reconciliations', async () => {
  const metrics = createMetrics();
  const meter = controllerMeter(metrics);
  const time = manualTime();
  const queue = () => createWorkqueue({ ...time, random: () => 0 });
  const earlier = queue();
  earlier.add('left behind');
  meter.queue('resource', 0, earlier);
  const present = queue();
  meter.queue('resource', 0, present);
  present.add('fl-acme/a');
  present.add('fl-acme/b');
  time.pass(3_000);
  meter.reconciled('resource', 'settled', 4);
  const read = await scraped(metrics);
  const reconciler = 'resource';
  expect(read.value('fairlead_queue_depth', { reconciler })).toBe(2);
  expect(read.value('fairlead_queue_oldest_seconds', { reconciler })).toBe(3);
  const organization = 'fl-acme';
  expect(read.value('fairlead_organization_queue_depth', { organization })).toBe(2);
  expect(read.value('fairlead_organization_queue_oldest_seconds', { organization })).toBe(3);
  const ended = { reconciler, ending: 'settled' };
  expect(read.value('fairlead_reconcile_duration_seconds_count', ended)).toBe(1);
});

it('describes every metric, and has process metrics', async () => {
  const metrics = createMetrics();
  requestObserver(metrics)({ method: 'GET', route: '"\\\n', status: '200', ms: 1 });
  const read = await scraped(metrics);
  const base = (name: string) => name.replace(/_(?:bucket|sum|count)$/, '');
  for (const { name } of read.series) {
    expect(read.described.has(name) || read.described.has(base(name)), name).toBe(true);
  }
  expect(read.value('fairlead_http_requests_total', { route: '"\\\n' })).toBe(1);
  expect(read.value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
});
