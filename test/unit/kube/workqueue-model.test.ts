import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Key } from '../../../src/kube/api.ts';
import {
  createWorkqueue,
  type Priority,
  type Workqueue,
} from '../../../src/kube/queue/workqueue.ts';
import { type ManualTime, manualTime } from '../../support/runner/manual-time.ts';

/** A model of the queue: sets of keys and their times. */
interface Model {
  ready: Map<Key, Priority>;
  processing: Set<Key>;
  dirty: Map<Key, Priority>;
  delayed: Map<Key, number>;
  now: number;
}
interface Real {
  queue: Workqueue;
  time: ManualTime;
}
type Command = fc.AsyncCommand<Model, Real>;

function modelAdd(model: Model, key: Key, priority: Priority): void {
  model.delayed.delete(key);
  const into = model.processing.has(key) ? model.dirty : model.ready;
  into.set(key, into.get(key) === 'fresh' ? 'fresh' : priority);
}

function modelAddAfter(model: Model, key: Key, ms: number): void {
  if (model.ready.has(key) || model.dirty.has(key)) return;
  const due = model.now + ms;
  model.delayed.set(key, Math.min(due, model.delayed.get(key) ?? due));
}

function compare(model: Model, { queue }: Real): void {
  expect(queue.depth).toBe(model.ready.size + model.dirty.size);
  expect(queue.inProgress).toBe(model.processing.size);
  expect(queue.delayed).toBe(model.delayed.size);
}

function command(name: string, run: (model: Model, real: Real) => void | Promise<void>): Command {
  return {
    check: () => true,
    toString: () => name,
    async run(model, real) {
      await run(model, real);
      compare(model, real);
    },
  };
}

const keys = fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c');
const queues = fc.constantFrom<Priority>('fresh', 'sweep');
const commands = [
  fc.tuple(keys, queues).map(([key, priority]) =>
    command(`add(${key}, ${priority})`, (model, { queue }) => {
      modelAdd(model, key, priority);
      queue.add(key, priority);
    }),
  ),
  fc.tuple(keys, fc.integer({ min: 1, max: 1_000 })).map(([key, ms]) =>
    command(`addAfter(${key}, ${ms})`, (model, { queue }) => {
      modelAddAfter(model, key, ms);
      queue.addAfter(key, ms);
    }),
  ),
  fc.constant(
    command('get', async (model, { queue }) => {
      if (model.ready.size === 0) return;
      const key = await queue.get();
      expect([...model.ready.keys()]).toContain(key);
      expect(model.processing).not.toContain(key);
      if (key === undefined) return;
      model.ready.delete(key);
      model.processing.add(key);
    }),
  ),
  keys.map((key) =>
    command(`done(${key})`, (model, { queue }) => {
      queue.done(key);
      if (!model.processing.delete(key)) return;
      const priority = model.dirty.get(key);
      model.dirty.delete(key);
      if (priority !== undefined) model.ready.set(key, priority);
    }),
  ),
  fc.integer({ min: 1, max: 700 }).map((ms) =>
    command(`pass(${ms})`, (model, { time }) => {
      time.pass(ms);
      model.now += ms;
      for (const [key, due] of model.delayed) {
        if (due <= model.now) modelAdd(model, key, 'fresh');
      }
    }),
  ),
];

test('any sequence of additions, delays and work keeps the guarantees of the queue', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 200 }), async (sequence) => {
      await fc.asyncModelRun(() => {
        const time = manualTime();
        const queue = createWorkqueue({ clock: time.clock, timers: time.timers, random: () => 0 });
        const model: Model = {
          ready: new Map(),
          processing: new Set(),
          dirty: new Map(),
          delayed: new Map(),
          now: 0,
        };
        return { model, real: { queue, time } };
      }, sequence);
    }),
    { numRuns: 300 },
  );
});

test('no key waits for more turns than there are groups before its own group is served', async () => {
  const additions = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(30)), {
    minLength: 1,
    maxLength: 120,
  });
  await fc.assert(
    fc.asyncProperty(additions, async (added) => {
      const time = manualTime();
      const queue = createWorkqueue({ clock: time.clock, timers: time.timers, random: () => 0 });
      for (const [group, name] of added) queue.add(`${group}/${name}`);
      const lastServed = new Map<string, number>();
      for (let turn = 0; queue.depth > 0; turn += 1) {
        for (const group of queue.byGroup().keys()) {
          expect(turn - (lastServed.get(group) ?? -1)).toBeLessThanOrEqual(4);
        }
        const key = (await queue.get()) ?? '';
        lastServed.set(key.split('/')[0] ?? '', turn);
        queue.done(key);
      }
    }),
  );
});

test('[I7] slow groups leave a worker to a new group', async () => {
  const crowds = fc
    .integer({ min: 2, max: 24 })
    .chain((workers) => fc.tuple(fc.constant(workers), fc.integer({ min: 1, max: workers - 1 })));
  await fc.assert(
    fc.asyncProperty(crowds, fc.nat(40), async ([workers, groups], more) => {
      const time = manualTime();
      const queue = createWorkqueue({
        ...{ clock: time.clock, timers: time.timers, random: () => 0 },
        workers,
      });
      const working = staffOf(queue, workers);
      for (let group = 0; group < groups; group += 1) {
        for (let n = 0; n <= more; n += 1) queue.add(`colluding-${group}/${n}`);
        await working.settled();
      }
      // One round: each pass that is under way ends once, and its key waits again at once.
      for (const key of working.keys()) {
        queue.add(key);
        working.end(key);
        await working.settled();
      }
      queue.add('newcomer/1');
      await working.settled();
      expect(working.keys()).toContain('newcomer/1');
    }),
  );
});

test('more groups than workers are each served within a bounded number of rounds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 30 }),
      async (workers, groups) => {
        const time = manualTime();
        const queue = createWorkqueue({
          ...{ clock: time.clock, timers: time.timers, random: () => 0 },
          workers,
        });
        const working = staffOf(queue, workers);
        for (let group = 0; group < groups; group += 1) {
          for (let n = 0; n < 20; n += 1) queue.add(`colluding-${group}/${n}`);
        }
        queue.add('newcomer/1');
        await working.settled();
        const rounds = Math.ceil((groups + 1) / workers);
        for (let round = 0; round < rounds && !working.seen.has('newcomer/1'); round += 1) {
          for (const key of working.keys()) {
            queue.add(key);
            working.end(key);
            await working.settled();
          }
        }
        expect(working.seen).toContain('newcomer/1');
      },
    ),
  );
});

/** Workers like those of a controller, each with a key until the test ends it. */
function staffOf(queue: Workqueue, workers: number) {
  const working = new Set<Key>();
  const seen = new Set<Key>();
  const ask = () =>
    void queue.get().then((key) => {
      if (key === undefined) return;
      working.add(key);
      seen.add(key);
    });
  for (let n = 0; n < workers; n += 1) ask();
  return {
    seen,
    keys: () => [...working],
    end(key: Key) {
      working.delete(key);
      queue.done(key);
      ask();
    },
    settled: () => new Promise(setImmediate),
  };
}
