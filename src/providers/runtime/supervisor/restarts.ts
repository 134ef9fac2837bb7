// Children that end without an event: how long the next one waits, and when the supervisor gives up.
import { monotonicMs } from '../messages.ts';

const longestHoldMs = 30_000;
const forgottenMs = 5 * 60_000;
const maxEnds = 5;

/**
 * @param ends when children ended without an event, in milliseconds, the newest last
 * @returns until when none may be started; undefined when the supervisor gives up
 */
export function holdUntil(ends: readonly number[], now: number): number | undefined {
  const recent = ends.filter((end) => now - end < forgottenMs);
  const last = recent.at(-1);
  if (last === undefined) return now;
  if (recent.length >= maxEnds) return undefined;
  return last + Math.min(longestHoldMs, 1_000 * 2 ** (recent.length - 1));
}

export interface Restarts {
  /** A child has ended without an event. */
  note(): void;
  /** @returns how long no child may be started; Infinity when the supervisor gives up */
  holdMs(): number;
  /** @param isNoted the end that has just been is one without an event @returns whether another child may follow, now or later */
  areLeft(isNoted: boolean): boolean;
}

/**
 * @param earlyMs after the first start: a child that ends without an event within this time is the last one, unless another one serves
 * @param now milliseconds of a clock that never goes back
 */
export function createRestarts(earlyMs: number, now = monotonicMs): Restarts {
  const startedAt = now();
  let ends: readonly number[] = [];
  const holdMs = () => (holdUntil(ends, now()) ?? Infinity) - now();
  return {
    note() {
      ends = [...ends, now()].slice(-2 * maxEnds);
    },
    holdMs,
    areLeft(isNoted) {
      // Only the end that has just been: an earlier one was survived, since another child served.
      const isEarly = isNoted && now() - startedAt < earlyMs;
      return !isEarly && holdMs() < Infinity;
    },
  };
}
