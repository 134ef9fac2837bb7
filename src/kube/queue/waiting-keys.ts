// The keys that wait for a worker: groups take turns, and fresh edits precede the sweep without starving it.
import { createFairQueue, type FairQueue } from '../../lib/fair-queue.ts';
import type { Key } from '../api.ts';

/** `fresh`: something changed, or is due. `sweep`: queued only because this process has just started. */
export type Priority = 'fresh' | 'sweep';

export interface Waiting {
  readonly priority: Priority;
  /** On the monotonic clock. */
  readonly since: number;
}

interface WaitingKeys extends Iterable<readonly [Key, Waiting]> {
  readonly size: number;
  get(key: Key): Waiting | undefined;
  /** A waiting key keeps its place, unless its priority changes. */
  add(key: Key, entry: Waiting): void;
  /** @returns the next key of a group that may have a worker; it no longer waits */
  take(): Key | undefined;
  /** A worker is free again: groups that could not take one may take it. */
  released(): void;
  clear(): void;
}

/** While both queues have keys, every n-th comes from the sweep, so that a storm of edits cannot starve it. */
const sweepShare = 8;

export function createWaitingKeys(options: {
  groupOf: (key: Key) => string;
  /** Whether the group may have one more worker. */
  mayTake: (group: string) => boolean;
}): WaitingKeys {
  const waiting = new Map<Key, Waiting>();
  const queues: Readonly<Record<Priority, FairQueue<Key>>> = {
    fresh: createFairQueue<Key>(options),
    sweep: createFairQueue<Key>(options),
  };
  let freshInARow = 0;

  return {
    get size() {
      return waiting.size;
    },
    [Symbol.iterator]: () => waiting[Symbol.iterator](),
    get: (key) => waiting.get(key),
    add(key, entry) {
      const known = waiting.get(key);
      if (known?.priority === entry.priority) return;
      if (known !== undefined) queues[known.priority].delete(key);
      waiting.set(key, entry);
      queues[entry.priority].add(key);
    },
    take() {
      const sweepFirst = freshInARow >= sweepShare - 1;
      for (const priority of sweepFirst
        ? (['sweep', 'fresh'] as const)
        : (['fresh', 'sweep'] as const)) {
        const key = queues[priority].take();
        if (key === undefined) continue;
        freshInARow = priority === 'fresh' ? freshInARow + 1 : 0;
        waiting.delete(key);
        return key;
      }
      return undefined;
    },
    released() {
      queues.fresh.release();
      queues.sweep.release();
    },
    clear() {
      for (const [key, { priority }] of waiting) queues[priority].delete(key);
      waiting.clear();
    },
  };
}
