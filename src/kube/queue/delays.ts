// Delays keys with one heap and one timer, whatever their number.
import type { Clock } from '../../lib/clock.ts';
import type { Key } from '../api.ts';
import type { Timers } from '../timers.ts';

interface Delays {
  readonly size: number;
  /** Calls back for the key after `ms`. A key has one due time: the earliest requested. */
  set(key: Key, ms: number): void;
  delete(key: Key): void;
  clear(): void;
}

interface DelaysOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly onDue: (key: Key) => void;
}

interface Moment {
  readonly key: Key;
  /** On the monotonic clock: setting the wall clock must not delay work. */
  readonly due: number;
}

export function createDelays({ clock, timers, onDue }: DelaysOptions): Delays {
  const moments = new Map<Key, Moment>();
  // Also contains deleted or rescheduled entries; they are no longer the one in `moments`.
  let heap: Moment[] = [];
  let armed: { readonly due: number; readonly cancel: () => void } | undefined;

  function arm(): void {
    const first = heap[0];
    if (armed !== undefined && armed.due === first?.due) return;
    armed?.cancel();
    armed = undefined;
    if (first === undefined) return;
    const ms = Math.max(1, Math.ceil(first.due - clock.monotonic()));
    armed = { due: first.due, cancel: timers.after(ms, fire) };
  }

  function fire(): void {
    armed = undefined;
    const now = clock.monotonic();
    for (let first = heap[0]; first !== undefined && first.due <= now; first = heap[0]) {
      pop(heap);
      if (moments.get(first.key) !== first) continue;
      moments.delete(first.key);
      onDue(first.key);
    }
    arm();
  }

  function compact(): void {
    if (heap.length < 64 || heap.length < 2 * moments.size) return;
    // A sorted array is a heap.
    heap = [...moments.values()].sort((a, b) => a.due - b.due);
  }

  return {
    get size() {
      return moments.size;
    },
    set(key, ms) {
      const moment = { key, due: clock.monotonic() + ms };
      const known = moments.get(key);
      if (known !== undefined && known.due <= moment.due) return;
      moments.set(key, moment);
      pushMoment(heap, moment);
      compact();
      arm();
    },
    delete(key) {
      // The timer stays: when it fires and nothing is due, it rearms itself for the next entry.
      if (moments.delete(key)) compact();
    },
    clear() {
      moments.clear();
      heap = [];
      arm();
    },
  };
}

function pushMoment(heap: Moment[], moment: Moment): void {
  let at = heap.push(moment) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    if (!swapIfEarlier(heap, at, above)) return;
    at = above;
  }
}

function pop(heap: Moment[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const child = dueAt(heap, left + 1) < dueAt(heap, left) ? left + 1 : left;
    if (!swapIfEarlier(heap, child, at)) return;
    at = child;
  }
}

function dueAt(heap: readonly Moment[], at: number): number {
  return heap[at]?.due ?? Number.POSITIVE_INFINITY;
}

/** @returns whether the entry at `lower` was due before the one at `upper` and was swapped with it */
function swapIfEarlier(heap: Moment[], lower: number, upper: number): boolean {
  const [below, above] = [heap[lower], heap[upper]];
  if (below === undefined || above === undefined || below.due >= above.due) return false;
  heap[upper] = below;
  heap[lower] = above;
  return true;
}
