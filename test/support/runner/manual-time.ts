// Provides manual time: a Clock and Timers that agree with each other and advance only on command.

import type { Timers } from '../../../src/kube/timers.ts';
import type { Clock } from '../../../src/lib/clock.ts';

export interface ManualTime {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Advances time, and calls every timer at its moment. */
  pass(ms: number): void;
  /** Advances time without calling timers, as when the process is stopped or its loop is blocked. */
  freeze(ms: number): void;
  /** Moves only the wall clock. */
  setWallClock(at: Date): void;
  readonly armed: number;
}

export function manualTime(start = new Date('2026-01-01T00:00:00.000Z')): ManualTime {
  let elapsed = 0;
  let wallClockOffset = start.getTime();
  const timers = new Set<{ at: number; callback: () => void }>();

  function earliest(until: number): { at: number; callback: () => void } | undefined {
    let first: { at: number; callback: () => void } | undefined;
    for (const timer of timers) {
      if (timer.at <= until && (first === undefined || timer.at < first.at)) first = timer;
    }
    return first;
  }

  return {
    clock: { now: () => new Date(wallClockOffset + elapsed), monotonic: () => elapsed },
    timers: {
      after(ms, callback) {
        const timer = { at: elapsed + ms, callback };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
    pass(ms) {
      const until = elapsed + ms;
      for (let next = earliest(until); next !== undefined; next = earliest(until)) {
        timers.delete(next);
        elapsed = Math.max(elapsed, next.at);
        next.callback();
      }
      elapsed = until;
    },
    freeze(ms) {
      elapsed += ms;
    },
    setWallClock(at) {
      wallClockOffset = at.getTime() - elapsed;
    },
    get armed() {
      return timers.size;
    },
  };
}
