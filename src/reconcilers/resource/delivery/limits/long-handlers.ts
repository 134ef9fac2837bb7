// Limits deliveries of types with a long limit, which run without a worker. They have slots of their own, so that neither a provider nor
// an organization fills itself or others with them.

import { type Key, refOf } from '../../../../kube/api.ts';
import { createFairQueue } from '../../../../lib/fair-queue.ts';
import type { DeliveryLimit } from '../gate.ts';

/** Half of the concurrent deliveries to one pod of a provider: its other types keep the other half. */
const perPod = 16;
/** Each holds a config and outputs in memory, and a connection. */
const perOrganization = 64;
const inTotal = 512;

export interface LongHandlerLimit
  extends Required<Pick<DeliveryLimit, 'enter' | 'leave' | 'forget'>> {
  /** @returns the number of keys that wait for a slot */
  waiting(provider: Key): number;
}

interface LongHandlerOptions {
  readonly onFree: (key: Key) => void;
  /** @returns the number of pods of a provider, at least 1 */
  readonly podsOf?: (provider: Key) => number;
  readonly width?: { perPod: number; perOrganization: number; inTotal: number };
}

export function createLongHandlerLimit({
  onFree,
  podsOf = () => 1,
  width = { perPod, perOrganization, inTotal },
}: LongHandlerOptions): LongHandlerLimit {
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

  return {
    enter({ provider, key, isLong }) {
      waiting.delete(key);
      unqueue(key);
      if (isLong !== true) return { enter: 'free' };
      if (!hasRoom(provider)) {
        queue(key, provider);
        return { enter: 'queued' };
      }
      count(provider, 1);
      return { enter: 'go' };
    },
    leave({ provider }) {
      count(provider, -1);
      handOut();
    },
    forget({ key }) {
      waiting.delete(key);
      unqueue(key);
      // A key that was handed out and does not enter passes on its slot.
      handOut();
    },
    waiting: (provider) => waitingAt.get(provider) ?? 0,
  };
}
