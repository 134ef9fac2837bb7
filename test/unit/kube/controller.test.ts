import { describe, expect, test } from 'vitest';
import type { Log, LogFields } from '../../../src/domain/log.ts';
import { silentLog } from '../../../src/domain/log.ts';
import { again, type Key, type Outcome, settled, waitUntil } from '../../../src/kube/api.ts';
import {
  type ControllerOptions,
  createController,
  type Ending,
  type Source,
} from '../../../src/kube/controller.ts';
import { KubeError, type KubeReason } from '../../../src/kube/errors.ts';
import { createWorkqueue, type Lane } from '../../../src/kube/workqueue.ts';
import { eventually } from '../../support/eventually.ts';
import { manualTime } from '../../support/manual-time.ts';

interface Entry extends LogFields {
  readonly level: string;
}

function recordingLog(entries: Entry[]): Log {
  const at = (level: string) => (fields: LogFields, message: string) =>
    void entries.push({ ...fields, level, message });
  return { ...silentLog, debug: at('debug'), warn: at('warn'), error: at('error') };
}

/** A controller over keys that the test adds, with time that the test lets pass. */
function controllerOf(
  reconcile: (key: Key, signal: AbortSignal) => Promise<Outcome>,
  options: Partial<ControllerOptions> = {},
) {
  const time = manualTime();
  const queue = createWorkqueue({ clock: time.clock, timers: time.timers, random: () => 1 });
  const endings: Ending[] = [];
  const entries: Entry[] = [];
  const controller = createController({
    reconciler: { name: 'thing', reconcile },
    sources: [],
    queue,
    clock: time.clock,
    timers: time.timers,
    log: recordingLog(entries),
    observer: { reconciled: (_name, ending) => void endings.push(ending) },
    ...options,
  });
  return { controller, queue, time, endings, entries };
}

function source(existing: readonly Key[], ready: Promise<void> = Promise.resolve()) {
  let tell: (keys: Iterable<Key>, lane: Lane) => void = () => undefined;
  const of: Source = {
    ready: () => ready,
    subscribe(enqueue) {
      tell = enqueue;
      enqueue(existing, 'sweep');
      return () => {
        tell = () => undefined;
      };
    },
  };
  return { of, change: (key: Key) => tell([key], 'fresh') };
}

const never = new AbortController().signal;
const throws = (reason: KubeReason) => () =>
  Promise.reject(new KubeError({ reason, message: 'no' }));

describe('how a pass ends decides what happens to its key', () => {
  const now = new Date('2026-01-01T00:00:00Z').getTime();
  const table: {
    reason: string;
    reconcile: () => Promise<Outcome>;
    ending: Ending;
    after: { delayed: number; backoff: number };
  }[] = [
    {
      reason: 'settled: nothing more, and its failures are forgotten',
      reconcile: () => Promise.resolve(settled),
      ending: 'settled',
      after: { delayed: 0, backoff: 1 },
    },
    {
      reason: 'waiting: it comes back at that moment, and its failures are forgotten',
      reconcile: () => Promise.resolve(waitUntil(new Date(now + 5_000))),
      ending: 'waitUntil',
      after: { delayed: 1, backoff: 1 },
    },
    {
      reason: 'an invalid date is a failure, not a loop that spins',
      reconcile: () => Promise.resolve(waitUntil(new Date(Number.NaN))),
      ending: 'failed',
      after: { delayed: 1, backoff: 3 },
    },
    {
      reason: 'a version that was overtaken: again after a short wait',
      reconcile: throws('conflict'),
      ending: 'stale',
      after: { delayed: 1, backoff: 3 },
    },
    {
      reason: 'an object that is there already: the view was old',
      reconcile: throws('alreadyExists'),
      ending: 'stale',
      after: { delayed: 1, backoff: 3 },
    },
    {
      reason: 'an API server that is away: backs off',
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

  test('again: it is looked at once more at once', async () => {
    let passes = 0;
    const { controller, queue, endings } = controllerOf(() => {
      passes += 1;
      return Promise.resolve(passes < 3 ? again : settled);
    });
    await controller.start(never);
    queue.add('a/x');
    await eventually(() => expect(endings).toEqual(['again', 'again', 'settled']));
    await controller.stop();
  });

  test('what was waited for comes at its moment, by the clock that cannot be set', async () => {
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

describe('what is logged', () => {
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

  test('is a failure of the moment as a warning, ever more rarely', async () => {
    expect(await levels(throws('unavailable'), 9)).toEqual([
      'warn 1',
      'warn 2',
      'warn 4',
      'warn 8',
    ]);
  });

  test('is a defect as an error', async () => {
    expect(await levels(() => Promise.reject(new TypeError('x')), 1)).toEqual(['error 1']);
  });

  test('is nothing about a lost race, unless it is lost again and again', async () => {
    expect(await levels(throws('conflict'), 9)).toEqual(['warn 8']);
  });
});

describe('starting', () => {
  test('waits for every source, because half a view looks like missing objects', async () => {
    const gate = Promise.withResolvers<void>();
    const seen: Key[] = [];
    const first = source(['a/1']);
    const second = source(['b/1'], gate.promise);
    const { controller } = controllerOf(
      (key) => {
        seen.push(key);
        return Promise.resolve(settled);
      },
      { sources: [first.of, second.of] },
    );
    const started = controller.start(never);
    await new Promise(setImmediate);
    expect(seen).toEqual([]);
    gate.resolve();
    await started;
    await eventually(() => expect(seen).toEqual(['a/1', 'b/1']));
    await controller.stop();
  });

  test('puts what exists behind what changes', async () => {
    const seen: Key[] = [];
    const gate = Promise.withResolvers<void>();
    const things = source(['a/1', 'a/2', 'a/3']);
    const { controller } = controllerOf(
      async (key) => {
        seen.push(key);
        await gate.promise;
        return settled;
      },
      { sources: [things.of], concurrency: 1 },
    );
    await controller.start(never);
    await eventually(() => expect(seen).toEqual(['a/1']));
    things.change('b/1');
    gate.resolve();
    await eventually(() => expect(seen).toEqual(['a/1', 'b/1', 'a/2', 'a/3']));
    await controller.stop();
  });

  test('after the signal was aborted starts nothing', async () => {
    const { controller, queue } = controllerOf(() => Promise.resolve(settled), {
      sources: [source(['a/1'], new Promise<void>(() => undefined)).of],
    });
    await controller.start(AbortSignal.abort());
    expect(await queue.get()).toBeUndefined();
  });

  test('ends when the signal is aborted while sources are not ready', async () => {
    const abort = new AbortController();
    const { controller, queue } = controllerOf(() => Promise.resolve(settled), {
      sources: [source(['a/1'], new Promise<void>(() => undefined)).of],
    });
    const started = controller.start(abort.signal);
    abort.abort();
    await started;
    expect(queue.depth).toBe(0);
  });
});

describe('working', () => {
  test('has as many passes at a time as told, each on another key', async () => {
    const gate = Promise.withResolvers<void>();
    const under = new Set<Key>();
    let most = 0;
    const { controller, queue, endings } = controllerOf(
      async (key) => {
        expect(under.has(key)).toBe(false);
        under.add(key);
        most = Math.max(most, under.size);
        await gate.promise;
        under.delete(key);
        return settled;
      },
      { concurrency: 3 },
    );
    await controller.start(never);
    for (let i = 0; i < 10; i += 1) queue.add(`a/${i}`);
    await eventually(() => expect(under.size).toBe(3));
    gate.resolve();
    await eventually(() => expect(endings).toHaveLength(10));
    expect(most).toBe(3);
    await controller.stop();
  });

  test('goes on with other keys after a pass threw, even where it should have rejected', async () => {
    const seen: Key[] = [];
    const { controller, queue } = controllerOf((key) => {
      seen.push(key);
      if (key === 'a/bad') throw new TypeError('thrown, not rejected');
      return Promise.resolve(settled);
    });
    await controller.start(never);
    queue.add('a/bad');
    queue.add('a/good');
    await eventually(() => expect(seen).toEqual(['a/bad', 'a/good']));
    await controller.stop();
  });

  test('leaves the event loop its turns during a sweep that never waits', async () => {
    const clock = { now: () => new Date(), monotonic: () => performance.now() };
    const { controller, queue, endings } = controllerOf(
      () => {
        const until = performance.now() + 1;
        while (performance.now() < until);
        return Promise.resolve(settled);
      },
      { clock, concurrency: 1 },
    );
    for (let i = 0; i < 200; i += 1) queue.add(`a/${i}`, 'sweep');
    await controller.start(never);
    let doneAtFirstTurn = -1;
    setTimeout(() => {
      doneAtFirstTurn = endings.length;
    }, 0);
    await eventually(() => expect(endings).toHaveLength(200));
    expect(doneAtFirstTurn).toBeLessThan(100);
    await controller.stop();
  });
});

describe('stopping', () => {
  test('aborts the passes under way and waits for them; what they throw is no failure', async () => {
    const abort = new AbortController();
    const { controller, queue, endings, entries } = controllerOf(
      (_key, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    );
    await controller.start(abort.signal);
    queue.add('a/x');
    await eventually(() => expect(queue.inProgress).toBe(1));
    abort.abort();
    await controller.stop();
    expect([queue.inProgress, endings, entries]).toEqual([0, ['aborted'], []]);
  });

  test('does not wait for ever for a pass that ignores its signal', async () => {
    const { controller, queue, time, entries } = controllerOf(
      () => new Promise<Outcome>(() => undefined),
      { graceMs: 5_000 },
    );
    await controller.start(never);
    queue.add('a/x');
    await eventually(() => expect(queue.inProgress).toBe(1));
    const stopped = controller.stop();
    time.pass(5_000);
    await stopped;
    expect(entries).toMatchObject([{ level: 'warn', passes: 1 }]);
  });
});
