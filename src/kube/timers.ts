// Timers as an interface, so that tests of queues and leases need not wait. Complements the Clock of domain/.

/** Maximum timer delay of the platform; a longer one would fire at once. */
const maxMs = 2 ** 31 - 1;

export interface Timers {
  /**
   * Calls back once, after `ms` milliseconds. It may be early or late: callers that need an exact time check the clock.
   * @returns a function that cancels it
   */
  after(ms: number, callback: () => void): () => void;
}

export const systemTimers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), maxMs));
    return () => clearTimeout(timer);
  },
};

/** For what nobody waits for when the process ends. */
export const backgroundTimers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), maxMs)).unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms` milliseconds, or as soon as the signal is aborted; it never rejects. */
export function pause(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timers.after(ms, end);
    signal?.addEventListener('abort', end);
  });
}
