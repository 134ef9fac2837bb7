// Limits concurrent work per key, such as an organization.
import pLimit, { type LimitFunction } from 'p-limit';

export interface KeyedSemaphore {
  /** Runs `work` in call order once fewer than the allowed number run for the key. @throws the error of `work` */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

interface KeyLimit {
  readonly limit: LimitFunction;
  /** Number of running and waiting calls. */
  calls: number;
}

/** @param concurrency maximum concurrent work per key */
export function createKeyedSemaphore(concurrency: number): KeyedSemaphore {
  const entries = new Map<string, KeyLimit>();
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
