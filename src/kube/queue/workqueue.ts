// A fair queue of keys, never objects. A key waits at most once, is with at most one worker, and has at most one due time,
// the earliest requested. Groups (organizations) are served round-robin; fresh edits precede the sweep. The queue is a hint:
// its content can be rebuilt from the cluster.
import type { Clock } from '../../lib/clock.ts';
import { type Key, refOf } from '../api.ts';
import { systemTimers, type Timers } from '../timers.ts';
import { createDelays } from './delays.ts';
import { createHeldKeys } from './held-keys.ts';
import { createWaitingKeys, type Priority, type Waiting } from './waiting-keys.ts';

export type { Priority } from './waiting-keys.ts';

export interface Workqueue {
  /** A waiting key keeps its place; `fresh` moves it out of the sweep. */
  add(key: Key, priority?: Priority): void;
  /** Adds the key `ms` milliseconds from now, unless it is available earlier anyway. */
  addAfter(key: Key, ms: number): void;
  /** Adds the key after a backoff that doubles with every call until `forget`. @returns the number of these calls */
  addRateLimited(key: Key): number;
  /** Resets the backoff of this key. */
  forget(key: Key): void;
  /** @returns the next key, which must be returned with `done`; undefined once the queue is shut */
  get(): Promise<Key | undefined>;
  /** Ends the work on a key; if it was added meanwhile, it waits again. */
  done(key: Key): void;
  /** Accepts and returns no more keys, and drops those that wait. @returns a promise that resolves when no key is worked on */
  shutDown(): Promise<void>;
  /** Number of keys that wait for a worker, including those added again during their work. */
  readonly depth: number;
  readonly delayed: number;
  readonly inProgress: number;
  /** Waiting time of the longest waiting key in milliseconds; 0 when none waits. */
  oldestMs(): number;
  /** The groups that have keys waiting. */
  byGroup(): Map<string, GroupDepth>;
}

interface GroupDepth {
  /** Number of keys that wait for a worker, including those added again during their work. */
  readonly depth: number;
  /** Waiting time of the longest waiting key in milliseconds; 0 when all were added again during their work. */
  readonly oldestMs: number;
}

export interface WorkqueueOptions {
  readonly clock: Clock;
  readonly timers?: Timers;
  /** @returns a number in [0, 1) */
  readonly random: () => number;
  /** The group of a key for fair scheduling; default: its namespace, and the key itself when it has none. */
  readonly groupOf?: (key: Key) => string;
  /**
   * Number of concurrent workers. A group may hold as many of these workers as it leaves free: one group alone holds half,
   * two a third each, and a new group finds a free one, as long as there are fewer groups than workers. Default: unlimited.
   */
  readonly workers?: number;
  readonly backoff?: { readonly baseMs: number; readonly capMs: number } | undefined;
}

export function createWorkqueue({
  clock,
  timers = systemTimers,
  random,
  groupOf = (key) => refOf(key).namespace ?? key,
  workers = Number.POSITIVE_INFINITY,
  backoff = { baseMs: 100, capMs: 30_000 },
}: WorkqueueOptions): Workqueue {
  const held = createHeldKeys({ groupOf, workers });
  const waiting = createWaitingKeys({ groupOf, mayTake: held.mayTake });
  /** Added during their work; they wait again after `done`. */
  const dirty = new Map<Key, Waiting>();
  const failures = new Map<Key, number>();
  /** Workers that wait for a key. */
  const getters = new Set<(key: Key | undefined) => void>();
  const delays = createDelays({ clock, timers, onDue: (key) => add(key) });
  let shut = false;
  const idle = Promise.withResolvers<void>();

  function add(key: Key, priority: Priority = 'fresh'): void {
    if (shut) return;
    // A pass now observes everything, and requests its next time itself.
    delays.delete(key);
    if (held.has(key)) {
      dirty.set(key, merge(dirty.get(key), priority));
      return;
    }
    waiting.add(key, merge(waiting.get(key), priority));
    handOut();
  }

  function merge(known: Waiting | undefined, priority: Priority): Waiting {
    if (known === undefined) return { priority, since: clock.monotonic() };
    return priority === 'fresh' && known.priority === 'sweep' ? { ...known, priority } : known;
  }

  function take(): Key | undefined {
    const key = waiting.take();
    if (key !== undefined) held.add(key);
    return key;
  }

  function handOut(): void {
    for (const getter of getters) {
      const key = take();
      if (key === undefined) return;
      getters.delete(getter);
      getter(key);
    }
  }

  function addAfter(key: Key, ms: number): void {
    if (shut || waiting.get(key) !== undefined || dirty.has(key)) return;
    if (ms > 0) delays.set(key, ms);
    else add(key);
  }

  return {
    add,
    addAfter,
    addRateLimited(key) {
      const failed = (failures.get(key) ?? 0) + 1;
      if (shut) return failed;
      failures.set(key, failed);
      const ceiling = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(failed - 1, 30));
      // Half fixed, half random: keys that failed together return apart, and none returns at once.
      addAfter(key, (ceiling * (1 + random())) / 2);
      return failed;
    },
    forget: (key) => void failures.delete(key),
    get() {
      const key = shut ? undefined : take();
      if (key !== undefined || shut) return Promise.resolve(key);
      return new Promise((resolve) => {
        getters.add(resolve);
      });
    },
    done(key) {
      if (!held.delete(key)) return;
      waiting.released();
      const again = dirty.get(key);
      dirty.delete(key);
      if (again !== undefined) waiting.add(key, again);
      handOut();
      if (shut && held.size === 0) idle.resolve();
    },
    shutDown() {
      shut = true;
      delays.clear();
      dirty.clear();
      waiting.clear();
      for (const getter of getters) getter(undefined);
      getters.clear();
      if (held.size === 0) idle.resolve();
      return idle.promise;
    },
    get depth() {
      return waiting.size + dirty.size;
    },
    get delayed() {
      return delays.size;
    },
    get inProgress() {
      return held.size;
    },
    oldestMs: () => oldestMs(waiting, clock.monotonic()),
    byGroup: () => depths({ waiting, dirty, groupOf }, clock.monotonic()),
  };
}

function oldestMs(waiting: Iterable<readonly [Key, Waiting]>, now: number): number {
  let oldest = now;
  for (const [, { since }] of waiting) oldest = Math.min(oldest, since);
  return now - oldest;
}

interface Counted {
  readonly waiting: Iterable<readonly [Key, Waiting]>;
  readonly dirty: ReadonlyMap<Key, Waiting>;
  readonly groupOf: (key: Key) => string;
}

function depths({ waiting, dirty, groupOf }: Counted, now: number): Map<string, GroupDepth> {
  const groups = new Map<string, GroupDepth>();
  const note = (key: Key, ms: number) => {
    const group = groupOf(key);
    const { depth = 0, oldestMs: oldest = 0 } = groups.get(group) ?? {};
    groups.set(group, { depth: depth + 1, oldestMs: Math.max(oldest, ms) });
  };
  for (const [key, { since }] of waiting) note(key, now - since);
  for (const key of dirty.keys()) note(key, 0);
  return groups;
}
