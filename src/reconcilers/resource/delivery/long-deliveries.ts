// Deliveries of types with a long limit. They run without a worker: their pass ends, and their end brings the key back. They have
// slots of their own, so that neither a provider nor an organization fills itself or others with them.

import { type Key, refOf } from '../../../kube/api.ts';
import type { Clock } from '../../../lib/clock.ts';
import { createFairQueue } from '../../../lib/fair-queue.ts';

/** Half of the concurrent deliveries to one pod of a provider: its other types keep the other half. */
const perPod = 16;
/** Each holds a config and outputs in memory, and a connection. */
const perOrganization = 64;
const inTotal = 512;

export interface LongDeliveries {
  /** @throws the failure of the last delivery of this key, once: the pass fails, and is retried with backoff */
  isUnderWay(key: Key): boolean;
  /** @returns false when all slots are taken; the key is handed to `onFree` once one is free */
  enter(provider: string, key: Key): boolean;
  leave(provider: string): void;
  /** Runs a delivery in the slot that `enter` gave, and then hands the key to `onFree`. */
  run(provider: string, key: Key, delivery: LongDelivery): void;
  /** Ends the handler of the delivery of a key, if its type permits that. */
  cancel(key: Key): void;
  /** Gives up the delivery of a key when it has run that long. @returns the milliseconds that are left */
  giveUpAfter(key: Key, ms: number): number;
  /** @returns the keys of the deliveries under way, and whether each ends with an answer */
  endings(): readonly (readonly [Key, Promise<boolean>])[];
  /** @returns the number of keys that wait for a slot */
  waiting(provider: string): number;
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

interface LongDeliveryOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly onFree: (key: Key) => void;
  /** @returns the number of pods of a provider, at least 1 */
  readonly podsOf?: (provider: string) => number;
  readonly width?: { perPod: number; perOrganization: number; inTotal: number };
}

export function createLongDeliveries({
  clock,
  onFree,
  podsOf = () => 1,
  width = { perPod, perOrganization, inTotal },
}: LongDeliveryOptions): LongDeliveries {
  const underWay = new Map<Key, UnderWay>();
  const failures = new Map<Key, unknown>();
  /** Slots taken, by provider (`namespace/name`) and by namespace. */
  const taken = new Map<string, number>();
  /** The providers of keys that wait. */
  const providerOf = new Map<Key, string>();
  const waitingAt = new Map<string, number>();
  let total = 0;
  const waiting = createFairQueue<Key>({
    groupOf: (key) => providerOf.get(key) ?? '',
    mayTake: hasRoom,
  });

  function hasRoom(provider: string): boolean {
    const free = width.inTotal - total;
    const ofOrganization = taken.get(refOf(provider).namespace ?? '') ?? 0;
    // An organization may hold as many as it leaves free, so that a new one always finds a slot.
    return (
      (taken.get(provider) ?? 0) < width.perPod * podsOf(provider) &&
      ofOrganization < Math.min(width.perOrganization, free)
    );
  }

  function count(provider: string, change: 1 | -1): void {
    total += change;
    for (const holder of [provider, refOf(provider).namespace ?? '']) {
      const held = (taken.get(holder) ?? 0) + change;
      if (held === 0) taken.delete(holder);
      else taken.set(holder, held);
    }
  }

  function queue(key: Key, provider: string): void {
    unqueue(key);
    providerOf.set(key, provider);
    waitingAt.set(provider, (waitingAt.get(provider) ?? 0) + 1);
    waiting.add(key);
  }

  function unqueue(key: Key): void {
    const provider = providerOf.get(key);
    if (provider === undefined) return;
    providerOf.delete(key);
    const left = (waitingAt.get(provider) ?? 0) - 1;
    if (left > 0) waitingAt.set(provider, left);
    else waitingAt.delete(provider);
  }

  /** Hands out as many keys as there are slots. They enter again, if they still want to. */
  function handOut(): void {
    waiting.release();
    const handed: string[] = [];
    for (let key = waiting.take(); key !== undefined; key = waiting.take()) {
      const provider = providerOf.get(key) ?? '';
      unqueue(key);
      count(provider, 1);
      handed.push(provider);
      onFree(key);
    }
    for (const provider of handed) count(provider, -1);
  }

  function leave(provider: string): void {
    count(provider, -1);
    handOut();
  }

  return {
    isUnderWay(key) {
      if (failures.has(key)) {
        const failure = failures.get(key);
        failures.delete(key);
        throw failure;
      }
      return underWay.has(key);
    },
    enter(provider, key) {
      waiting.delete(key);
      if (!hasRoom(provider)) {
        queue(key, provider);
        return false;
      }
      unqueue(key);
      count(provider, 1);
      return true;
    },
    leave,
    waiting: (provider) => waitingAt.get(provider) ?? 0,
    run(provider, key, delivery) {
      const givenUp = new AbortController();
      const deletion = new AbortController();
      const end = () => {
        underWay.delete(key);
        leave(provider);
        onFree(key);
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
