import { describe, expect, test } from 'vitest';
import type { Key } from '../../../src/kube/api.ts';
import { createWorkqueue, type WorkqueueOptions } from '../../../src/kube/workqueue.ts';
import { manualTime } from '../../support/manual-time.ts';

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

/** What a promise holds by now; undefined while it is pending. */
async function soFar<T>(promise: Promise<T>): Promise<T | undefined> {
  return await Promise.race([promise, Promise.resolve(undefined)]);
}

describe('a key', () => {
  test('waits once, however often it is added, because a pass looks at everything', async () => {
    const { queue, serveAll } = queueWith();
    for (let i = 0; i < 5; i += 1) queue.add('a/x');
    expect(queue.depth).toBe(1);
    expect(await serveAll()).toEqual(['a/x']);
  });

  test('is never with two workers: what is added during the work waits until it is done', async () => {
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

  test('that is given back twice is not taken from the worker who has it by then', async () => {
    const { queue } = queueWith();
    queue.add('a/x');
    await queue.get();
    queue.done('a/x');
    queue.done('a/x');
    expect(queue.inProgress).toBe(0);
    queue.add('a/x');
    expect(await queue.get()).toBe('a/x');
  });

  test('goes to a worker that was waiting for one', async () => {
    const { queue } = queueWith();
    const got = queue.get();
    queue.add('a/x');
    expect(await got).toBe('a/x');
  });
});

describe('groups', () => {
  test('take turns, so that 5,000 keys of one delay the one key of another by a single turn', async () => {
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

  test('that always have one more key do not get every turn', async () => {
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

  test('have no more workers than they leave free', async () => {
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

  test('that were passed over have turns when somebody else gives a worker back', async () => {
    const { queue } = queueWith({ workers: 3 });
    for (const key of ['a/1', 'b/1', 'b/2']) queue.add(key);
    expect([await queue.get(), await queue.get()]).toEqual(['a/1', 'b/1']);
    const third = queue.get();
    expect(await soFar(third)).toBeUndefined();
    queue.done('a/1');
    expect(await third).toBe('b/2');
  });

  test('are the namespaces, and single keys where there is none', () => {
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

describe('the sweep', () => {
  test('waits for fresh edits', async () => {
    const { queue, serveAll } = queueWith();
    queue.add('a/1', 'sweep');
    queue.add('a/2', 'sweep');
    queue.add('b/1');
    expect(await serveAll()).toEqual(['b/1', 'a/1', 'a/2']);
  });

  test('loses a key that is edited, and never the other way round', async () => {
    const { queue, serveAll } = queueWith();
    for (const key of ['a/1', 'a/2', 'a/3']) queue.add(key, 'sweep');
    queue.add('a/3');
    queue.add('a/3', 'sweep');
    expect(await serveAll()).toEqual(['a/3', 'a/1', 'a/2']);
  });

  test('gets every eighth turn, so that a storm of edits cannot hold it up for ever', async () => {
    const { queue, serveAll } = queueWith();
    queue.add('swept/1', 'sweep');
    for (let i = 0; i < 100; i += 1) queue.add(`storm/${i}`);
    expect((await serveAll()).indexOf('swept/1')).toBe(7);
  });
});

describe('a delay', () => {
  const tables: { reason: string; ask: number[]; due: number }[] = [
    { reason: 'a later moment does not put an earlier one off', ask: [100, 500], due: 100 },
    { reason: 'an earlier moment comes first', ask: [500, 100], due: 100 },
    {
      reason: 'more than a platform timer can hold is waited for',
      ask: [2 ** 33],
      due: 2 ** 33,
    },
  ];
  test.each(tables)('ends at the earliest moment asked for: $reason', ({ ask, due }) => {
    const { queue, time } = queueWith();
    for (const ms of ask) queue.addAfter('a/x', ms);
    time.pass(due - 1);
    expect(queue.depth).toBe(0);
    time.pass(1);
    expect(queue.depth).toBe(1);
    time.pass(2 ** 34);
    expect([queue.depth, queue.delayed]).toEqual([1, 0]);
  });

  test('is over when the key is added, because that pass will say when to look again', async () => {
    const { queue, time, serveAll } = queueWith();
    queue.addAfter('a/x', 1_000);
    queue.add('a/x');
    expect(await serveAll()).toEqual(['a/x']);
    time.pass(2_000);
    expect(queue.depth).toBe(0);
  });

  test('of nothing is none', () => {
    const { queue } = queueWith();
    queue.addAfter('a/x', 0);
    queue.addAfter('a/y', -5);
    expect(queue.depth).toBe(2);
  });

  test('is not moved by setting the wall clock', () => {
    const { queue, time } = queueWith();
    queue.addAfter('a/x', 1_000);
    time.setWallClock(new Date('2030-01-01T00:00:00Z'));
    time.pass(999);
    expect(queue.depth).toBe(0);
    time.setWallClock(new Date('2020-01-01T00:00:00Z'));
    time.pass(1);
    expect(queue.depth).toBe(1);
  });

  test('costs one timer for any number of keys', () => {
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

  test('is never shorter than half, so that failing keys do not come back at once', () => {
    expect(delays(() => 0, 4)).toEqual([50, 100, 200, 400]);
  });

  test('begins anew once forgotten, and is its own for every key', () => {
    const { queue } = queueWith();
    expect([queue.addRateLimited('a/x'), queue.addRateLimited('a/x')]).toEqual([1, 2]);
    expect(queue.addRateLimited('a/y')).toBe(1);
    queue.forget('a/x');
    expect(queue.addRateLimited('a/x')).toBe(1);
  });
});

describe('getting', () => {
  test('ends with nothing when the signal is aborted, and the next key goes to another', async () => {
    const { queue } = queueWith();
    const abort = new AbortController();
    const left = queue.get(abort.signal);
    const stays = queue.get();
    abort.abort();
    expect(await left).toBeUndefined();
    queue.add('a/x');
    expect(await stays).toBe('a/x');
    expect(await queue.get(AbortSignal.abort())).toBeUndefined();
  });
});

describe('shutting down', () => {
  test('ends all waiting, takes nothing more and resolves once the last worker is done', async () => {
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

test('the oldest age is that of the key that waits longest, fresh or not', async () => {
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
