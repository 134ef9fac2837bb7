// Stops asking a provider that does not answer: an apply waits for the answer, and is accepted without it.
import type { Clock } from '../../lib/clock.ts';

export interface Circuit {
  /** @returns false for a minute after three requests in a row that were not answered */
  isClosed(key: string): boolean;
  /** After that minute, one more that is not answered counts as the three. */
  record(key: string, isAnswered: boolean): void;
}

const unansweredInARow = 3;
const openMs = 60_000;
/** Providers that do not answer; the one that was asked first is forgotten for another one. */
const maxKnown = 10_000;

interface Silence {
  readonly count: number;
  readonly until: number;
}

export function createCircuit(clock: Pick<Clock, 'monotonic'>): Circuit {
  const silent = new Map<string, Silence>();
  return {
    isClosed: (key) => clock.monotonic() >= (silent.get(key)?.until ?? -Infinity),
    record(key, isAnswered) {
      const { count = 0 } = silent.get(key) ?? {};
      silent.delete(key);
      if (isAnswered) return;
      const until = count + 1 < unansweredInARow ? -Infinity : clock.monotonic() + openMs;
      silent.set(key, { count: count + 1, until });
      const [oldest] = silent.keys();
      if (silent.size > maxKnown && oldest !== undefined) silent.delete(oldest);
    },
  };
}
