// How many events one provider is sent at a time, so that a slow one holds its own lane and nobody else's worker.
import type { Key } from '../../kube/api.ts';

/** Events under way to one provider of one organization. Handlers mostly wait for others, so a few dozen cost little. */
export const defaultLaneWidth = 32;

export interface Lanes {
  /** @returns false when the lane is full; the key is then handed to `onFree` once there is room */
  enter(lane: string, key: Key): boolean;
  leave(lane: string): void;
}

export function createLanes({
  width,
  onFree,
}: {
  width: number;
  onFree: (key: Key) => void;
}): Lanes {
  const busy = new Map<string, number>();
  const queued = new Map<string, Set<Key>>();
  return {
    enter(lane, key) {
      const under = busy.get(lane) ?? 0;
      if (under < width) {
        busy.set(lane, under + 1);
        return true;
      }
      const queue = queued.get(lane) ?? new Set();
      queued.set(lane, queue.add(key));
      return false;
    },
    leave(lane) {
      const under = (busy.get(lane) ?? 1) - 1;
      if (under > 0) busy.set(lane, under);
      else busy.delete(lane);
      const queue = queued.get(lane);
      const next = queue?.values().next().value;
      if (next === undefined) return;
      queue?.delete(next);
      if (queue?.size === 0) queued.delete(lane);
      onFree(next);
    },
  };
}
