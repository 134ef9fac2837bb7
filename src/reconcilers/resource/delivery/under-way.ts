// Deliveries that run without a worker: their pass ends, and their end brings the key back.
import type { Key } from '../../../kube/api.ts';
import type { Clock } from '../../../lib/clock.ts';

export interface DeliveriesUnderWay {
  /** @throws the failure of the last delivery of this key, once: the pass fails, and is retried with backoff */
  has(key: Key): boolean;
  /** Runs a delivery, and then hands the key to `onEnd`. */
  run(key: Key, delivery: LongDelivery): void;
  /** Ends the handler of the delivery of a key, if its type permits that. */
  cancel(key: Key): void;
  /** Gives up the delivery of a key when it has run that long. @returns the milliseconds that are left */
  giveUpAfter(key: Key, ms: number): number;
  /** @returns the keys of the deliveries under way, and whether each ends with an answer */
  endings(): readonly (readonly [Key, Promise<boolean>])[];
}

/**
 * @param givenUp aborted when nobody waits for the answer any more; then it counts as one that did not come in time
 * @param deletion aborted when the resource is deleted; the delivery goes on
 */
type LongDelivery = (givenUp: AbortSignal, deletion: AbortSignal) => Promise<unknown>;

interface UnderWay {
  readonly began: number;
  readonly givenUp: AbortController;
  readonly deletion: AbortController;
  readonly ended: Promise<boolean>;
}

export function createDeliveriesUnderWay({
  clock,
  onEnd,
}: {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly onEnd: (key: Key) => void;
}): DeliveriesUnderWay {
  const underWay = new Map<Key, UnderWay>();
  const failures = new Map<Key, unknown>();

  return {
    has(key) {
      if (failures.has(key)) {
        const failure = failures.get(key);
        failures.delete(key);
        throw failure;
      }
      return underWay.has(key);
    },
    run(key, delivery) {
      const givenUp = new AbortController();
      const deletion = new AbortController();
      const end = () => {
        underWay.delete(key);
        onEnd(key);
      };
      const answered = () => {
        end();
        return true;
      };
      const ended = delivery(givenUp.signal, deletion.signal).then(answered, (failure: unknown) => {
        failures.set(key, failure);
        end();
        return false;
      });
      underWay.set(key, { began: clock.monotonic(), givenUp, deletion, ended });
    },
    cancel: (key) => underWay.get(key)?.deletion.abort(),
    giveUpAfter(key, ms) {
      const found = underWay.get(key);
      if (found === undefined) return 0;
      const left = Math.max(0, found.began + ms - clock.monotonic());
      if (left === 0) found.givenUp.abort();
      return left;
    },
    endings: () => Array.from(underWay, ([key, { ended }]) => [key, ended] as const),
  };
}
