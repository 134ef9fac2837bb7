// State of redrives that this process keeps between passes: the pace and the sent events. Nothing depends on it after a
// crash: the next batch begins at once, and sent events are found under way.
import type { EventType } from '../../domain/event.ts';
import type { Key } from '../../kube/api.ts';

export interface SentDeadLetter {
  readonly eventId: string;
  readonly type: EventType;
  /** Key of the Resource. */
  readonly resource: Key;
}

/** Times are on the monotonic clock. */
export interface Remembered {
  /** Earliest time of the next batch. */
  nextBatchAt: number;
  /** Earliest time of the next pass: a pass for every change of a namespace would be too many. */
  nextPassAt: number;
  /** Uids of sent dead letters, with the send time; caches show the change a moment later. */
  readonly sent: Map<string, number>;
  /** The newest batches of each cause, newest first. */
  readonly batches: Map<string, readonly (readonly SentDeadLetter[])[]>;
}

/** Failures take some attempts: events sent two minutes ago still matter. */
const keptBatches = 120;

export function createMemory() {
  const redrives = new Map<Key, Remembered>();
  return {
    of(key: Key): Remembered {
      const found = redrives.get(key) ?? {
        nextBatchAt: Number.NEGATIVE_INFINITY,
        nextPassAt: Number.NEGATIVE_INFINITY,
        sent: new Map(),
        batches: new Map(),
      };
      redrives.set(key, found);
      return found;
    },
    forget: (key: Key) => redrives.delete(key),
  };
}

export function rememberBatch(
  { batches }: Remembered,
  cause: string,
  batch: readonly SentDeadLetter[],
) {
  batches.set(cause, [batch, ...(batches.get(cause) ?? [])].slice(0, keptBatches));
}
