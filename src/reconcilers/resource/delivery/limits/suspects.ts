// Limits events that may end their process to one at a time for each provider. Their pod runs each in a process of its own; when the whole
// pod dies nevertheless, such as by the memory of its container, no other suspect was in it. All other events go on meanwhile.
import { deliveryLimits } from '../../../../domain/providers/delivery-limits.ts';
import type { Key } from '../../../../kube/api.ts';
import type { DeliveryLimit } from '../gate.ts';

export interface SuspectLimit extends Required<Pick<DeliveryLimit, 'enter' | 'leave' | 'forget'>> {
  /** @returns the number of keys that wait */
  waiting(provider: Key): number;
}

export function createSuspectLimit({
  onFree,
}: {
  readonly onFree: (key: Key) => void;
}): SuspectLimit {
  /** Providers with a suspect under way, and the keys that wait for it, in order. */
  const lines = new Map<Key, Set<Key>>();

  return {
    enter(request) {
      const { provider, key, isForced = false } = request;
      const isSuspect = deliveryLimits.suspects.groupOf(request) !== undefined;
      if (!isSuspect || isForced) return { enter: 'free' };
      const line = lines.get(provider);
      if (line === undefined) {
        lines.set(provider, new Set());
        return { enter: 'go' };
      }
      line.add(key);
      return { enter: 'queued' };
    },
    leave({ provider }) {
      const line = lines.get(provider);
      lines.delete(provider);
      // All of them: one whose event has ended meanwhile does not enter again.
      for (const key of line ?? []) onFree(key);
    },
    forget({ provider, key }) {
      lines.get(provider)?.delete(key);
    },
    waiting: (provider) => lines.get(provider)?.size ?? 0,
  };
}
