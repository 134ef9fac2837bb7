// The endings of a reconcile pass, and their effect on the key and the log.
import { describe, expect, test } from 'vitest';
import {
  again,
  eventKind,
  type KindRef,
  type Outcome,
  settled,
  waitUntil,
} from '../../../src/kube/api.ts';
import type { PassEnding } from '../../../src/kube/pass.ts';
import { noteWrite } from '../../../src/kube/writes.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
  controllerOf,
  never,
  throws,
} from '../../support/servers/controllers/controller-under-test.ts';

describe('the result of a reconciliation decides what happens to its key', () => {
  const now = new Date('2026-01-01T00:00:00Z').getTime();
  const table: {
    reason: string;
    reconcile: () => Promise<Outcome>;
    ending: PassEnding;
    after: { delayed: number; backoff: number };
  }[] = [
    {
      reason: 'settled: no requeue, and the backoff is reset',
      reconcile: () => Promise.resolve(settled),
      ending: 'settled',
      after: { delayed: 0, backoff: 1 },
    },
    {
      reason: 'waiting: requeued at that time, and the backoff is reset',
      reconcile: () => Promise.resolve(waitUntil(new Date(now + 5_000))),
      ending: 'waitUntil',
      after: { delayed: 1, backoff: 1 },
    },
    {
      reason: 'an invalid date is a failure, not a busy loop',
      reconcile: () => Promise.resolve(waitUntil(new Date(Number.NaN))),
      ending: 'failed',
      after: { delayed: 1, backoff: 3 },
    },
    {
      reason: 'a version conflict: requeued after a short delay',
      reconcile: throws('conflict'),
      ending: 'stale',
      after: { delayed: 1, backoff: 3 },
    },
    {
      reason: 'an existing object: the cache was stale',
      reconcile: throws('alreadyExists'),
      ending: 'stale',
      after: { delayed: 1, backoff: 3 },
    },
    {
      reason: 'an unreachable API server: backoff',
      reconcile: throws('unavailable'),
      ending: 'failed',
      after: { delayed: 1, backoff: 3 },
    },
  ];
  test.each(table)('$reason', async ({ reconcile, ending, after }) => {
    const { controller, queue, endings } = controllerOf(reconcile);
    await controller.start(never);
    queue.addRateLimited('a/x');
    queue.add('a/x');
    await eventually(() => expect(endings).toEqual([ending]));
    expect([queue.depth, queue.delayed]).toEqual([0, after.delayed]);
    expect(queue.addRateLimited('a/x')).toBe(after.backoff);
    await controller.stop();
  });

  const written = (kind: Pick<KindRef, 'group'>) => {
    noteWrite(kind);
    return Promise.resolve(again);
  };

  test('again: the key is reconciled again at once after a write', async () => {
    let passes = 0;
    const { controller, queue, endings } = controllerOf(() => {
      passes += 1;
      return passes < 3 ? written({ group: 'example.io' }) : Promise.resolve(settled);
    });
    await controller.start(never);
    queue.add('a/x');
    await eventually(() => expect(endings).toEqual(['again', 'again', 'settled']));
    await controller.stop();
  });

  test.each<[string, () => Promise<Outcome>]>([
    ['without a write', () => Promise.resolve(again)],
    ['after an Event alone', () => written(eventKind)],
  ])('again %s: the key waits longer and longer', async (_how, reconcile) => {
    const { controller, queue, time, endings } = controllerOf(reconcile);
    await controller.start(never);
    queue.add('a/x');
    for (const [pass, ms] of [100, 200, 400].entries()) {
      await eventually(() => expect(endings).toHaveLength(pass + 1));
      time.pass(ms - 1);
      expect([queue.depth, queue.delayed]).toEqual([0, 1]);
      time.pass(1);
    }
    await eventually(() => expect(endings).toHaveLength(4));
    expect(new Set(endings)).toEqual(new Set(['unchanged']));
    await controller.stop();
  });

  test('a delay ends at its time on the monotonic clock', async () => {
    const due: Outcome[] = [waitUntil(new Date('2026-01-01T00:01:00Z')), settled];
    const { controller, queue, time, endings } = controllerOf(() =>
      Promise.resolve(due.shift() ?? settled),
    );
    await controller.start(never);
    queue.add('a/x');
    await eventually(() => expect(endings).toEqual(['waitUntil']));
    time.setWallClock(new Date('2026-01-01T05:00:00Z'));
    time.pass(59_999);
    expect(queue.delayed).toBe(1);
    time.pass(1);
    await eventually(() => expect(endings).toEqual(['waitUntil', 'settled']));
    await controller.stop();
  });
});

describe('the log', () => {
  async function levels(reconcile: () => Promise<Outcome>, passes: number): Promise<string[]> {
    const { controller, queue, time, endings, entries } = controllerOf(reconcile);
    await controller.start(never);
    queue.add('a/x');
    for (let i = 1; i <= passes; i += 1) {
      await eventually(() => expect(endings).toHaveLength(i));
      time.pass(30_000);
    }
    await controller.stop();
    return entries.map(({ level, failures }) => `${level} ${String(failures)}`);
  }

  test('has a transient failure as a warning, at growing intervals', async () => {
    expect(await levels(throws('unavailable'), 9)).toEqual([
      'warn 1',
      'warn 2',
      'warn 4',
      'warn 8',
    ]);
  });

  test('has a defect as an error', async () => {
    expect(await levels(() => Promise.reject(new TypeError('x')), 1)).toEqual(['error 1']);
  });

  test('has no write conflict unless it repeats', async () => {
    expect(await levels(throws('conflict'), 9)).toEqual(['warn 8']);
  });
});
