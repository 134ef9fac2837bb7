// The life of a controller: starting when its sources are ready, working, stopping.
import { describe, expect, test } from 'vitest';
import { type Background, type Key, type Outcome, settled } from '../../../src/kube/api.ts';
import { KubeError } from '../../../src/kube/errors.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
  controllerOf,
  never,
  source,
} from '../../support/servers/controllers/controller-under-test.ts';

describe('starting', () => {
  test('waits for every source, because missing objects look deleted', async () => {
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

  test('queues existing objects behind changed ones', async () => {
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

  test('starts nothing with an aborted signal', async () => {
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
  test('runs the configured number of reconciliations in parallel, on different keys', async () => {
    const gate = Promise.withResolvers<void>();
    const under = new Set<Key>();
    let max = 0;
    const { controller, queue, endings } = controllerOf(
      async (key) => {
        expect(under.has(key)).toBe(false);
        under.add(key);
        max = Math.max(max, under.size);
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
    expect(max).toBe(3);
    await controller.stop();
  });

  test('continues with other keys after a reconciler threw synchronously', async () => {
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

  test('yields to the event loop during a sweep', async () => {
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
  test('aborts running reconciliations and waits for them; their errors are not failures', async () => {
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

  test.each([
    ['Without abort, lets running reconciliations continue for a while', undefined, 0],
    [
      'having lost the lease, aborts them at once',
      new KubeError({ reason: 'aborted', message: 'lost' }),
      1,
    ],
  ])('%s', async (_what, reason, aborted) => {
    const abort = new AbortController();
    let aborts = 0;
    const { controller, queue, time } = controllerOf(
      (_key, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborts += 1;
            reject(signal.reason as Error);
          });
        }),
      { patienceMs: 2_000, graceMs: 5_000 },
    );
    await controller.start(abort.signal);
    queue.add('a/x');
    await eventually(() => expect(queue.inProgress).toBe(1));
    abort.abort(reason);
    expect(aborts).toBe(aborted);
    time.pass(2_000);
    await controller.stop();
    expect(queue.inProgress).toBe(0);
  });

  test.each([
    { title: 'waits for work in the background', patient: true },
    { title: 'ends work in the background after its patience', patient: false },
  ])('$title', async ({ patient }) => {
    const done = Promise.withResolvers<void>();
    let wasAborted: boolean | undefined;
    const background: Background = {
      size: () => 3,
      async finish(signal) {
        signal.addEventListener('abort', () => done.resolve());
        await done.promise;
        wasAborted = signal.aborted;
      },
    };
    const reconcile = () => Promise.resolve(settled);
    const { controller, time } = controllerOf(reconcile, {
      reconciler: { name: 'thing', reconcile, background },
      patienceMs: 2_000,
      graceMs: 5_000,
    });
    await controller.start(never);
    expect(controller.background).toBe(3);
    const stopped = controller.stop();
    time.pass(1_999);
    expect(wasAborted).toBeUndefined();
    if (patient) done.resolve();
    else time.pass(1);
    await stopped;
    expect(wasAborted).toBe(!patient);
  });

  test('stops waiting for a reconciliation that ignores its signal', async () => {
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
