// Time as an interface, so that tests of rules and timers need not wait.

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
