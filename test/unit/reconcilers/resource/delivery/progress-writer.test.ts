// When the progress of a delivery is written, what of it, and when it ends.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Reason } from '../../../../../src/crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../../../src/crds/resource.ts';
import { createProgressWriter } from '../../../../../src/reconcilers/resource/delivery/progress-writer.ts';
import * as status from '../../../../../src/reconcilers/resource/status/status.ts';
import { held } from '../../../../../src/reconcilers/resource/status/status.ts';
import {
  aClaim,
  contentOfResource,
  inFlight,
  now,
  observing,
  secondsLater,
} from '../../../../support/fixtures/builders.ts';

const event = aClaim({ sequence: 7 });
const claimed = inFlight({ sequence: 7 });
let present: Resource;
let writes: ResourceStatus[];
let race: (() => Promise<void>) | undefined;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  present = claimed;
  writes = [];
  race = undefined;
});
afterEach(() => vi.useRealTimers());

function writer(spacingMs = 50) {
  return createProgressWriter({
    resources: { get: () => present },
    claims: {
      async writeStatus(resource, status) {
        await race?.();
        writes.push(status);
        present = { ...resource, status };
        return present;
      },
    },
    clock: { monotonic: () => performance.now() },
    pace: { firstMs: 5_000, everyMs: 10_000, spacingMs },
  });
}

const begin = (observed = observing(claimed)) => writer().begin(event, observed);
const seconds = (count: number) => vi.advanceTimersByTimeAsync(1_000 * count);
const written = () => writes.map(({ event: last }) => last?.progress);

it('a short delivery costs no write', async () => {
  const delivery = begin();
  delivery.report('done=1, total=2');
  await seconds(4.9);
  await delivery.end();
  await seconds(60);
  expect(writes).toEqual([]);
});

it('the last report is written after five seconds, then every ten when it has changed', async () => {
  const delivery = begin();
  for (let done = 1; done <= 60; done += 1) {
    delivery.report(`done=${Math.min(done, 30)}, total=60`);
    await seconds(1);
  }
  expect(written().map((progress) => progress?.done)).toEqual([5, 15, 25, 30]);
});

it('nothing but the progress changes', async () => {
  begin().report('done=1, total=2, message="Copying"');
  await seconds(5);
  const progress = { done: 1, total: 2, message: 'Copying' };
  expect(writes).toEqual([{ ...claimed.status, event: { ...claimed.status?.event, progress } }]);
});

it('secrets are masked before they are stored', async () => {
  const schema = { properties: { name: { type: 'string', sensitive: true } } };
  begin(observing(claimed, { schema })).report('done=1, message="Copying orders"');
  await seconds(5);
  expect(written()).toEqual([{ done: 1, message: 'Copying [masked]' }]);
});

it.each([
  ['the event has ended', inFlight({ sequence: 7 }, { status: { state: 'ready' } })],
  ['another delivery follows', inFlight({ sequence: 8 })],
  ['another event is claimed', inFlight({ id: 'evt-2', sequence: 7 })],
  ['it is stored already', inFlight({ sequence: 7, progress: { done: 1 } })],
])('nothing is written when %s', async (_why, meanwhile) => {
  const delivery = begin();
  present = meanwhile;
  delivery.report('done=1');
  await seconds(60);
  expect(writes).toEqual([]);
});

it('what does not fit is ignored', async () => {
  const delivery = begin();
  delivery.report('done=5, total=1');
  await seconds(20);
  delivery.report('done=1, total=5');
  await seconds(20);
  expect(written()).toEqual([{ done: 1, total: 5 }]);
});

it('a lost race is ignored, and the next report is written', async () => {
  race = () => Promise.reject(new Error('conflict'));
  const delivery = begin();
  delivery.report('done=1');
  await seconds(6);
  race = undefined;
  delivery.report('done=2');
  await seconds(10);
  expect(written()).toEqual([{ done: 2 }]);
});

it('the end waits for the write under way, and prevents the next', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  race = () => promise;
  const delivery = begin();
  delivery.report('done=1');
  await seconds(5);
  delivery.report('done=2');
  let hasEnded = false;
  const end = delivery.end().then(() => {
    hasEnded = true;
  });
  await seconds(1);
  expect(hasEnded).toBe(false);
  resolve();
  await end;
  await seconds(60);
  expect(written()).toEqual([{ done: 1 }]);
});

it('the more deliveries report, the less often each is written', async () => {
  const many = writer(1_000);
  const deliveries = Array.from({ length: 20 }, () => many.begin(event, observing(claimed)));
  for (let second = 0; second < 45; second += 1) {
    for (const [at, each] of deliveries.entries()) each.report(`done=${at}.${second}`);
    await seconds(1);
  }
  expect(writes.length, 'after 5, 25 and 45 seconds').toBe(3 * 20);
});

it('the progress of an attempt ends with it', () => {
  const resource = inFlight();
  const content = contentOfResource(resource);
  const config = {};
  const reported = aClaim({ sequence: 7, progress: { done: 1, total: 2 } });
  const due = secondsLater(2);
  const ends = [
    status.deferred(resource, { event: reported, message: '', context: undefined, due }, now),
    status.retrying(resource, { event: reported, error: 'X: no', due }, now),
    status.failed(
      resource,
      { event: reported, error: 'X: no', reason: Reason.ProviderFailed },
      now,
    ),
    status.succeeded(resource, { event: reported, outputs: {}, config, content }, now),
    held(resource, { event: reported, error: 'X: no', due, isRefused: false }, now),
    status.cancellationFailed(resource, { event: reported, error: 'X: no' }, now),
  ];
  expect(ends.map(({ event: last }) => last?.progress)).toEqual(ends.map(() => undefined));
});
