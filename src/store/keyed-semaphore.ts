// Limits concurrent work per key, such as an organization.
import pLimit, { type LimitFunction } from 'p-limit';

export interface KeyedSemaphore {
  /** Runs `work` once fewer than the allowed number run for the key, in the order of calls. @throws what `work` throws */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

interface Entry {
  readonly limit: LimitFunction;
  /** Calls that run or wait. */
  calls: number;
}

/** @param concurrency how many pieces of work of one key run at a time */
export function createKeyedSemaphore(concurrency: number): KeyedSemaphore {
  const entries = new Map<string, Entry>();
  return {
    async run(key, work) {
      const entry = entries.get(key) ?? { limit: pLimit(concurrency), calls: 0 };
      entries.set(key, entry);
      entry.calls += 1;
      try {
        return await entry.limit(work);
      } finally {
        entry.calls -= 1;
        if (entry.calls === 0) entries.delete(key);
      }
    },
  };
}
