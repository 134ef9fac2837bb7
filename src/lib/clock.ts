// Time as an interface, so that tests of rules and timers need not wait; and moments as text.

/** Wall-clock time for records, monotonic milliseconds for durations and leases. */
export interface Clock {
  now(): Date;
  /** Milliseconds from an arbitrary origin; never decreases when the wall clock is set. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};

/** @returns a moment in whole seconds, such as `2026-01-31T10:00:00Z`, which the API server supports */
export function isoSecond(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}
