import { describe, expect, test } from 'vitest';
import type { Key } from '../../../../src/kube/api.ts';
import { createWorkqueue, type WorkqueueOptions } from '../../../../src/kube/queue/workqueue.ts';
import { manualTime } from '../../../support/runner/manual-time.ts';

function queueWith(options: Partial<WorkqueueOptions> = {}) {
  const time = manualTime();
  const queue = createWorkqueue({
    clock: time.clock,
    timers: time.timers,
    random: () => 1,
    ...options,
  });
  /** Hands every key that is ready to one worker at a time, in order. */
  async function serveAll(): Promise<Key[]> {
    const served: Key[] = [];
    while (queue.depth > 0) {
      const key = await queue.get();
      if (key === undefined) break;
      served.push(key);
      queue.done(key);
    }
    return served;
  }
  return { queue, time, serveAll };
}

/** The current value of a promise; undefined while it is pending. */
async function soFar<T>(promise: Promise<T>): Promise<T | undefined> {
  return await Promise.race([promise, Promise.resolve(undefined)]);
}

describe('a key', () => {
  test('is queued once, however often it is added', async () => {
    const { queue, serveAll } = queueWith();
    for (let i = 0; i < 5; i += 1) queue.add('a/x');
    expect(queue.depth).toBe(1);
    expect(await serveAll()).toEqual(['a/x']);
  });

  test('is never with two workers: an addition during the work waits until it is done', async () => {
    const { queue } = queueWith();
    queue.add('a/x');
    expect(await queue.get()).toBe('a/x');
    queue.add('a/x');
    const second = queue.get();
    expect(await soFar(second)).toBeUndefined();
    expect(queue.depth).toBe(1);
    queue.done('a/x');
    expect(await second).toBe('a/x');
  });

  test('that is released twice is not taken from its new worker', async () => {
    const { queue } = queueWith();
    queue.add('a/x');
    await queue.get();
    queue.done('a/x');
    queue.done('a/x');
    expect(queue.inProgress).toBe(0);
    queue.add('a/x');
    expect(await queue.get()).toBe('a/x');
  });

  test('goes to a waiting worker', async () => {
    const { queue } = queueWith();
    const got = queue.get();
    queue.add('a/x');
    expect(await got).toBe('a/x');
  });
});

describe('groups', () => {
  test('take turns, so that 5,000 keys of one delay the key of another by a single turn', async () => {
    const { queue, serveAll } = queueWith();
    for (let i = 0; i < 5_000; i += 1) queue.add(`busy/${i}`);
    queue.add('quiet/one');
    const served = await serveAll();
    expect(served.indexOf('quiet/one')).toBe(1);
    expect(served).toHaveLength(5_001);
    expect(served.filter((key) => key.startsWith('busy')).slice(0, 3)).toEqual([
      'busy/0',
      'busy/1',
      'busy/2',
    ]);
  });

  test('with endless keys do not get every turn', async () => {
    const { queue } = queueWith();
    queue.add('hot/x');
    for (const key of ['a/1', 'a/2', 'b/1']) queue.add(key);
    const served: (Key | undefined)[] = [];
    for (let i = 0; i < 6; i += 1) {
      const key = await queue.get();
      served.push(key);
      if (key === 'hot/x') queue.add('hot/x');
      queue.done(key ?? '');
    }
    expect(served).toEqual(['hot/x', 'a/1', 'b/1', 'hot/x', 'a/2', 'hot/x']);
  });

  test('use at most as many workers as they leave free', async () => {
    const { queue } = queueWith({ workers: 4 });
    for (const key of ['a/1', 'a/2', 'a/3']) queue.add(key);
    expect([await queue.get(), await queue.get()]).toEqual(['a/1', 'a/2']);
    const third = queue.get();
    const fourth = queue.get();
    expect(await soFar(third)).toBeUndefined();
    for (const key of ['b/1', 'b/2']) queue.add(key);
    expect(await third).toBe('b/1');
    expect(await soFar(fourth)).toBeUndefined();
    queue.done('a/1');
    // One for each of them: of two that are free, each may have a second one, and takes turns.
    expect(await fourth).toBe('a/3');
    const next = queue.get();
    expect(await soFar(next)).toBeUndefined();
    queue.done('a/2');
    expect(await next).toBe('b/2');
  });

  test('that were skipped get turns when a worker becomes free', async () => {
    const { queue } = queueWith({ workers: 3 });
    for (const key of ['a/1', 'b/1', 'b/2']) queue.add(key);
    expect([await queue.get(), await queue.get()]).toEqual(['a/1', 'b/1']);
    const third = queue.get();
    expect(await soFar(third)).toBeUndefined();
    queue.done('a/1');
    expect(await third).toBe('b/2');
  });

  test('are the namespaces, and single keys without one', () => {
    const { queue, time } = queueWith();
    for (const key of ['a/1', 'organization']) queue.add(key);
    time.pass(1_000);
    queue.add('a/2');
    time.pass(500);
    expect(queue.byGroup()).toEqual(
      new Map([
        ['a', { depth: 2, oldestMs: 1_500 }],
        ['organization', { depth: 1, oldestMs: 1_500 }],
      ]),
    );
  });
});

describe('a sweep', () => {
  test('waits for changes', async () => {
    const { queue, serveAll } = queueWith();
    queue.add('a/1', 'sweep');
    queue.add('a/2', 'sweep');
    queue.add('b/1');
    expect(await serveAll()).toEqual(['b/1', 'a/1', 'a/2']);
  });

  test('does not delay a changed key', async () => {
    const { queue, serveAll } = queueWith();
    for (const key of ['a/1', 'a/2', 'a/3']) queue.add(key, 'sweep');
    queue.add('a/3');
    queue.add('a/3', 'sweep');
    expect(await serveAll()).toEqual(['a/3', 'a/1', 'a/2']);
  });

  test('gets every eighth turn, so that changes cannot starve it', async () => {
    const { queue, serveAll } = queueWith();
    queue.add('swept/1', 'sweep');
    for (let i = 0; i < 100; i += 1) queue.add(`storm/${i}`);
    expect((await serveAll()).indexOf('swept/1')).toBe(7);
  });
});

describe('a delay', () => {
  const tables: { reason: string; ask: number[]; due: number }[] = [
    { reason: 'a later time does not postpone an earlier one', ask: [100, 500], due: 100 },
    { reason: 'an earlier time wins', ask: [500, 100], due: 100 },
    {
      reason: 'a delay beyond the maximum of a timer',
      ask: [2 ** 33],
      due: 2 ** 33,
    },
  ];
  test.each(tables)('ends at the earliest requested time: $reason', ({ ask, due }) => {
    const { queue, time } = queueWith();
    for (const ms of ask) queue.addAfter('a/x', ms);
    time.pass(due - 1);
    expect(queue.depth).toBe(0);
    time.pass(1);
    expect(queue.depth).toBe(1);
    time.pass(2 ** 34);
    expect([queue.depth, queue.delayed]).toEqual([1, 0]);
  });

  test('ends when the key is added', async () => {
    const { queue, time, serveAll } = queueWith();
    queue.addAfter('a/x', 1_000);
    queue.add('a/x');
    expect(await serveAll()).toEqual(['a/x']);
    time.pass(2_000);
    expect(queue.depth).toBe(0);
  });

  test('of 0 is none', () => {
    const { queue } = queueWith();
    queue.addAfter('a/x', 0);
    queue.addAfter('a/y', -5);
    expect(queue.depth).toBe(2);
  });

  test('is independent of the wall clock', () => {
    const { queue, time } = queueWith();
    queue.addAfter('a/x', 1_000);
    time.setWallClock(new Date('2030-01-01T00:00:00Z'));
    time.pass(999);
    expect(queue.depth).toBe(0);
    time.setWallClock(new Date('2020-01-01T00:00:00Z'));
    time.pass(1);
    expect(queue.depth).toBe(1);
  });

  test('uses one timer for any number of keys', () => {
    const { queue, time } = queueWith();
    for (let i = 0; i < 1_000; i += 1) queue.addAfter(`a/${i}`, 1_000 + ((i * 7_919) % 1_000));
    expect(time.armed).toBe(1);
    time.pass(2_000);
    expect([queue.depth, time.armed]).toEqual([1_000, 0]);
  });
});

describe('the backoff of a key', () => {
  function delays(random: () => number, times: number): number[] {
    const { queue, time } = queueWith({ random });
    const measured: number[] = [];
    for (let i = 0; i < times; i += 1) {
      const start = time.clock.monotonic();
      queue.addRateLimited('a/x');
      while (queue.depth === 0) time.pass(1);
      measured.push(time.clock.monotonic() - start);
      void queue.get();
      queue.done('a/x');
    }
    return measured;
  }

  test('doubles from 100 ms to 30 s', () => {
    const atMost = delays(() => 1, 11);
    expect(atMost).toEqual([
      100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000,
    ]);
  });

  test('is never shorter than half, so that failing keys are spread', () => {
    expect(delays(() => 0, 4)).toEqual([50, 100, 200, 400]);
  });

  test('restarts after a reset, and is separate for every key', () => {
    const { queue } = queueWith();
    expect([queue.addRateLimited('a/x'), queue.addRateLimited('a/x')]).toEqual([1, 2]);
    expect(queue.addRateLimited('a/y')).toBe(1);
    queue.forget('a/x');
    expect(queue.addRateLimited('a/x')).toBe(1);
  });
});

describe('shutting down', () => {
  test('ends all waiting, accepts nothing more and resolves after the last worker is done', async () => {
    const { queue, time } = queueWith();
    queue.add('a/1');
    await queue.get();
    const idle = queue.get();
    queue.addAfter('a/2', 10);
    queue.add('a/1');
    let drained = false;
    const shut = queue.shutDown().then(() => {
      drained = true;
    });
    queue.add('a/3');
    queue.addRateLimited('a/4');
    time.pass(60_000);
    expect(await idle).toBeUndefined();
    expect([queue.depth, queue.delayed, time.armed, drained]).toEqual([0, 0, 0, false]);
    queue.done('a/1');
    await shut;
    expect(await queue.get()).toBeUndefined();
  });
});

test('the oldest age is that of the longest waiting key', async () => {
  const { queue, time, serveAll } = queueWith();
  queue.add('a/1', 'sweep');
  time.pass(300);
  queue.add('a/2');
  queue.add('a/1');
  time.pass(200);
  expect(queue.oldestMs()).toBe(500);
  await serveAll();
  expect(queue.oldestMs()).toBe(0);
});
