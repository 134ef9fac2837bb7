// Limits how many events of a type, and of a provider, are delivered at a time, as they declare. All events of a namespace are sent by
// the leader of its shard, so the limits hold across the pods of a provider. Types take turns: none waits for the queue of another.

import { deliveryLimits } from '../../../../domain/providers/delivery-limits.ts';
import type { Key } from '../../../../kube/api.ts';
import { createFairQueue, type FairQueue } from '../../../../lib/fair-queue.ts';
import type { DeliveryLimit, DeliveryRequest } from '../gate.ts';

const declared = [deliveryLimits.provider, deliveryLimits.type] as const;

/** A key that has its slot keeps it until `leave`, and is handed out together with it. */
export interface DeclaredLimit extends Required<Pick<DeliveryLimit, 'enter' | 'leave' | 'forget'>> {
  readonly isKept: true;
  /** For what only reads: it takes slots that nobody waits for, and waits for none. */
  readonly beside: DeliveryLimit;
  /** @returns the number of keys that wait */
  waiting(provider: Key): number;
}

interface DeclaredLimitOptions {
  readonly onFree: (key: Key) => void;
  /** @returns the events of a provider at a time; undefined without a limit */
  readonly providerLimit: (provider: Key) => number | undefined;
}

export function createDeclaredLimit({
  onFree,
  providerLimit,
}: DeclaredLimitOptions): DeclaredLimit {
  /** The requests of keys that have a slot, and of those that wait. */
  const taken = new Map<Key, DeliveryRequest>();
  const waiting = new Map<Key, DeliveryRequest>();
  const queues = new Map<string, FairQueue<Key>>();
  /** Slots taken, by provider and by type. */
  const counts = new Map<string, number>();
  const typeLimits = new Map<string, number | undefined>();

  /** The limit of the version that is served now. */
  function follow(request: DeliveryRequest): void {
    const type = deliveryLimits.type.groupOf(request);
    if (request.limit === undefined) typeLimits.delete(type);
    else typeLimits.set(type, request.limit);
  }

  function hasRoom(provider: string, type: string): boolean {
    const event = { provider, type };
    const limits = {
      provider: providerLimit(provider),
      type: typeLimits.get(deliveryLimits.type.groupOf(event)),
    };
    return declared.every(
      ({ groupOf, atOnce }) => (counts.get(groupOf(event)) ?? 0) < (atOnce(limits) ?? Infinity),
    );
  }

  function queueOf(provider: string): FairQueue<Key> {
    const known = queues.get(provider);
    if (known !== undefined) return known;
    const made = createFairQueue<Key>({
      groupOf: (key) => waiting.get(key)?.type ?? '',
      mayTake: (type) => hasRoom(provider, type),
    });
    queues.set(provider, made);
    return made;
  }

  function count(request: DeliveryRequest, change: 1 | -1): void {
    for (const { groupOf } of declared) {
      const group = groupOf(request);
      const next = (counts.get(group) ?? 0) + change;
      if (next === 0) counts.delete(group);
      else counts.set(group, next);
    }
  }

  function take(request: DeliveryRequest): void {
    unqueue(request.key);
    taken.set(request.key, request);
    count(request, 1);
  }

  function unqueue(key: Key): void {
    const request = waiting.get(key);
    if (request === undefined) return;
    const queue = queueOf(request.provider);
    queue.delete(key);
    waiting.delete(key);
    if (queue.size === 0) queues.delete(request.provider);
  }

  /** With the slot, which no other takes before the key comes. */
  function handOut(provider: string): void {
    const queue = queues.get(provider);
    if (queue === undefined) return;
    queue.release();
    for (let key = queue.take(); key !== undefined; key = queue.take()) {
      const request = waiting.get(key);
      waiting.delete(key);
      if (request === undefined) continue;
      taken.set(key, request);
      count(request, 1);
      onFree(key);
    }
    if (queue.size === 0) queues.delete(provider);
  }

  /** Gives back the slot of a key, or its place in the line. */
  function leave({ key }: Pick<DeliveryRequest, 'key'>): void {
    unqueue(key);
    const request = taken.get(key);
    if (request === undefined) return;
    taken.delete(key);
    count(request, -1);
    handOut(request.provider);
  }

  return {
    enter(request) {
      const { key, provider, type, isForced } = request;
      follow(request);
      if (taken.has(key)) return { enter: 'go' };
      if (isForced || hasRoom(provider, type)) {
        take(request);
        return { enter: 'go' };
      }
      waiting.set(key, request);
      queueOf(provider).add(key);
      return { enter: 'queued' };
    },
    leave,
    forget: leave,
    isKept: true,
    beside: {
      enter(request) {
        const { provider, type } = request;
        follow(request);
        if (queues.has(provider) || !hasRoom(provider, type)) return { enter: 'busy' };
        take(beside(request));
        return { enter: 'go' };
      },
      leave: (request) => leave(beside(request)),
    },
    waiting: (provider) => queues.get(provider)?.size ?? 0,
  };
}

/** The event of the same resource has a slot of its own. */
function beside(request: DeliveryRequest): DeliveryRequest {
  return { ...request, key: `${request.key} beside` };
}
