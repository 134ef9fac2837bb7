// Implements a token bucket: saved tokens, at most the burst, plus the refill since. In any time span it permits at most
// the burst plus the rate times the span.

export interface Rate {
  /** Tokens added per second. */
  readonly perSecond: number;
  /** The maximum of saved tokens. */
  readonly burst: number;
}

export interface TokenBucket {
  /** @returns true after it has removed `count` tokens (default 1); false when there are fewer */
  take(rate: Rate, atMs: number, count?: number): boolean;
  /** Available tokens. */
  readonly level: number;
}

/**
 * Starts full. Every call passes the rate, because it changes with the number of replicas.
 * @param atMs monotonic
 */
export function createTokenBucket(begin: Rate, atMs: number): TokenBucket {
  let level = begin.burst;
  let lastMs = atMs;
  return {
    take({ perSecond, burst }, nowMs, count = 1) {
      level = Math.min(burst, level + (Math.max(0, nowMs - lastMs) / 1_000) * perSecond);
      lastMs = Math.max(lastMs, nowMs);
      if (level < count) return false;
      level -= count;
      return true;
    },
    get level() {
      return level;
    },
  };
}
