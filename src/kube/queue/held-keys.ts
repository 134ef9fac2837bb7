// The keys that are with a worker, and how many of the workers each group holds.
import type { Key } from '../api.ts';

interface HeldKeys {
  readonly size: number;
  has(key: Key): boolean;
  add(key: Key): void;
  /** @returns false when no worker held the key */
  delete(key: Key): boolean;
  /** A group may hold as many workers as it leaves free, so that a new group finds one. */
  mayTake(group: string): boolean;
}

interface HeldKeysOptions {
  readonly groupOf: (key: Key) => string;
  readonly workers: number;
}

export function createHeldKeys({ groupOf, workers }: HeldKeysOptions): HeldKeys {
  const held = new Set<Key>();
  const workersOf = new Map<string, number>();

  function count(group: string, change: 1 | -1): void {
    const number = (workersOf.get(group) ?? 0) + change;
    if (number === 0) workersOf.delete(group);
    else workersOf.set(group, number);
  }

  return {
    get size() {
      return held.size;
    },
    has: (key) => held.has(key),
    add(key) {
      held.add(key);
      count(groupOf(key), 1);
    },
    delete(key) {
      if (!held.delete(key)) return false;
      count(groupOf(key), -1);
      return true;
    },
    mayTake: (group) => (workersOf.get(group) ?? 0) < workers - held.size,
  };
}
