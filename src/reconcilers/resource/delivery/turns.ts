// Limits how many events of a type, and of a provider, are delivered at a time, as they declare. All events of a namespace are sent by
// the leader of its shard, so the limits hold across the pods of a provider. Types take turns: none waits for the queue of another.
import type { Key } from '../../../kube/api.ts';
import { createFairQueue, type FairQueue } from '../../../lib/fair-queue.ts';

/** An event of a type of a provider. */
export interface SlotRequest {
  /** `namespace/name`. */
  readonly provider: string;
  readonly type: string;
  /** Events of the type at a time; undefined without a limit. */
  readonly limit: number | undefined;
  /** A forced deletion does not wait. */
  readonly isForced: boolean;
}

export interface Turns {
  /**
   * A key that has its turn keeps it until `leave`.
   * @returns false when it waits; then it is handed to `onFree` together with its turn
   */
  enter(key: Key, request: SlotRequest): boolean;
  /** Takes a turn only when nobody waits for it. @returns false when there is none; then the key does not wait either */
  enterIfFree(key: Key, request: SlotRequest): boolean;
  /** Gives back the turn of a key, or its place in the queue. Call it also for a key that does not want its turn any more. */
  leave(key: Key): void;
  /** @returns the number of keys that wait */
  waiting(provider: string): number;
}

interface TurnOptions {
  readonly onFree: (key: Key) => void;
  /** @returns the events of a provider at a time; undefined without a limit */
  readonly providerLimit: (provider: string) => number | undefined;
}

export function createTurns({ onFree, providerLimit }: TurnOptions): Turns {
  /** The requests of keys that have a slot, and of those that wait. */
  const taken = new Map<Key, SlotRequest>();
  const waiting = new Map<Key, SlotRequest>();
  const queues = new Map<string, FairQueue<Key>>();
  /** Turns taken, by provider and by type. */
  const counts = new Map<string, number>();
  const typeLimits = new Map<string, number | undefined>();

  /** The limit of the version that is served now. */
  function follow(request: SlotRequest): void {
    if (request.limit === undefined) typeLimits.delete(slotType(request));
    else typeLimits.set(slotType(request), request.limit);
  }

  function hasRoom(provider: string, type: string): boolean {
    const of = (name: string, limit = Infinity) => (counts.get(name) ?? 0) < limit;
    const named = slotType({ provider, type });
    return of(provider, providerLimit(provider)) && of(named, typeLimits.get(named));
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

  function count(request: SlotRequest, change: 1 | -1): void {
    for (const name of [request.provider, slotType(request)]) {
      const next = (counts.get(name) ?? 0) + change;
      if (next === 0) counts.delete(name);
      else counts.set(name, next);
    }
  }

  function take(key: Key, request: SlotRequest): void {
    unqueue(key);
    taken.set(key, request);
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

  /** With the turn, which no other takes before the key comes. */
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

  return {
    enter(key, request) {
      const { provider, type, isForced } = request;
      follow(request);
      if (taken.has(key)) return true;
      if (isForced || hasRoom(provider, type)) {
        take(key, request);
        return true;
      }
      waiting.set(key, request);
      queueOf(provider).add(key);
      return false;
    },
    enterIfFree(key, request) {
      const { provider, type } = request;
      follow(request);
      if (queues.has(provider) || !hasRoom(provider, type)) return false;
      take(key, request);
      return true;
    },
    leave(key) {
      unqueue(key);
      const request = taken.get(key);
      if (request === undefined) return;
      taken.delete(key);
      count(request, -1);
      handOut(request.provider);
    },
    waiting: (provider) => queues.get(provider)?.size ?? 0,
  };
}

function slotType({ provider, type }: Pick<SlotRequest, 'provider' | 'type'>): string {
  return `${provider}/${type}`;
}
