// Virtual time for simulations: a Clock and Timers that advance from event to event. Real code runs between two events until
// nothing of it is ready, so that hours pass in seconds and a run with the same numbers gives the same result.

import type { Timers } from '../../src/kube/timers.ts';
import type { Clock } from '../../src/lib/clock.ts';

export interface VirtualTime {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Milliseconds since the start. */
  readonly now: number;
  /** Calls back after `ms` milliseconds; events of one moment in the order of these calls. */
  after(ms: number, callback: () => void): void;
  /** Advances time until the condition holds, no event is left, or the time is over. */
  runUntil(condition: () => boolean, limitMs?: number): Promise<void>;
}

export interface VirtualTimeOptions {
  /**
   * Events within this many milliseconds run before the promises that they resolve: faster, at the price of answers that are
   * seen this much later.
   */
  readonly resolutionMs?: number;
}

interface Event {
  readonly at: number;
  readonly order: number;
  callback: (() => void) | undefined;
}

const start = Date.parse('2026-01-01T00:00:00.000Z');

export function createVirtualTime({ resolutionMs = 0 }: VirtualTimeOptions = {}): VirtualTime {
  const heap: Event[] = [];
  let now = 0;
  let order = 0;

  function add(ms: number, callback: () => void): Event {
    order += 1;
    const event = { at: now + Math.max(0, ms), order, callback };
    push(heap, event);
    return event;
  }

  function runBatch(): void {
    const until = (heap[0]?.at ?? now) + resolutionMs;
    for (let next = heap[0]; next !== undefined && next.at <= until; next = heap[0]) {
      pop(heap);
      now = next.at;
      next.callback?.();
    }
  }

  return {
    clock: { now: () => new Date(start + now), monotonic: () => now },
    timers: {
      after(ms, callback) {
        const event = add(ms, callback);
        return () => {
          // It stays in the heap and does nothing.
          event.callback = undefined;
        };
      },
    },
    get now() {
      return now;
    },
    after: (ms, callback) => void add(ms, callback),
    async runUntil(condition, limitMs = Number.POSITIVE_INFINITY) {
      await quiet();
      while (heap.length > 0 && !condition() && now < limitMs) {
        runBatch();
        await quiet();
      }
    },
  };
}

/**
 * Resolves when no promise and no immediate is ready. The first step lets promises run that may wait for an immediate, as the
 * workers of a controller do; the second one comes after those.
 */
async function quiet(): Promise<void> {
  await new Promise<void>((done) => process.nextTick(done));
  await new Promise<void>((done) => setImmediate(done));
}

function isBefore(left: Event, right: Event): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}

function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || isBefore(parent, event)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = event;
}

function pop(heap: Event[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    const [left, right] = [heap[child], heap[child + 1]];
    if (left === undefined) break;
    if (right !== undefined && isBefore(right, left)) child += 1;
    const least = heap[child];
    if (least === undefined || isBefore(last, least)) break;
    heap[at] = least;
    at = child;
  }
  heap[at] = last;
}
