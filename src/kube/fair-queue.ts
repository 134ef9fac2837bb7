// Keys in the order they came, but taken in turns of their groups: a group with thousands of keys costs another group's
// one key a single turn. Adding, removing and taking are constant time, but for groups that may not be taken from.
import type { Key } from './api.ts';

export interface FairQueue {
  add(key: Key): void;
  delete(key: Key): void;
  /** @returns the oldest key of the group whose turn it is, or undefined when no group may be taken from */
  take(): Key | undefined;
  /** Gives the groups that were passed over, and may be taken from now, turns again. */
  release(): void;
}

export interface FairQueueOptions {
  readonly groupOf: (key: Key) => string;
  /** Whether a key of this group may be taken now; a group that may not is passed over until it is released. */
  readonly mayTake: (group: string) => boolean;
}

export function createFairQueue({ groupOf, mayTake }: FairQueueOptions): FairQueue {
  const keysOf = new Map<string, Fifo<Key>>();
  const turns = createFifo<string>();
  const held = new Set<string>();

  function nextGroup(): string | undefined {
    for (;;) {
      const group = turns.take();
      if (group === undefined || mayTake(group)) return group;
      held.add(group);
    }
  }

  return {
    add(key) {
      const group = groupOf(key);
      const keys = keysOf.get(group) ?? createFifo<Key>();
      keysOf.set(group, keys);
      keys.add(key);
      // A group that was empty goes behind all others, or one that is never idle could take every second turn.
      if (!held.has(group)) turns.add(group);
    },
    delete(key) {
      const group = groupOf(key);
      const keys = keysOf.get(group);
      keys?.delete(key);
      if (keys?.size !== 0) return;
      keysOf.delete(group);
      turns.delete(group);
      held.delete(group);
    },
    take() {
      const group = nextGroup();
      if (group === undefined) return undefined;
      const keys = keysOf.get(group);
      const key = keys?.take();
      if (keys === undefined || keys.size === 0) keysOf.delete(group);
      else turns.add(group);
      return key;
    },
    release() {
      // Only a group that has a worker is ever passed over, so there are no more of them than workers.
      for (const group of held) {
        if (!mayTake(group)) continue;
        held.delete(group);
        turns.add(group);
      }
    },
  };
}

interface Fifo<T> {
  readonly size: number;
  /** Appends a value; one that is in already keeps its place. */
  add(value: T): void;
  delete(value: T): void;
  take(): T | undefined;
}

function createFifo<T>(): Fifo<T> {
  const values = new Set<T>();
  // One live iterator: a new one would walk over the holes that taken values left behind, every time.
  let oldest = values.values();
  return {
    get size() {
      return values.size;
    },
    add: (value) => void values.add(value),
    delete: (value) => void values.delete(value),
    take() {
      if (values.size === 0) return undefined;
      let next = oldest.next();
      if (next.done === true) {
        oldest = values.values();
        next = oldest.next();
      }
      if (next.done === true) return undefined;
      values.delete(next.value);
      return next.value;
    },
  };
}
