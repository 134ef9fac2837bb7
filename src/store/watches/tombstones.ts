// Keeps the latest deletions of resources, so that a client that was away receives those that it missed. The oldest give way.
import type { ResourceTuple } from '../../domain/identity.ts';
import type { Key } from '../../kube/api.ts';
import { isNewer } from '../../kube/informer/cache.ts';

export interface Tombstone {
  readonly namespace: string;
  readonly key: Key;
  readonly tuple: ResourceTuple;
  readonly projectId: string;
  /** The version of the deletion, or of the list that no longer had the resource. */
  readonly version: string;
  /** True if `version` is that of the deletion. */
  readonly exact: boolean;
}

export interface Tombstones {
  /** Marks the version from which on every deletion is added. Has no effect later. */
  begin(version: string): void;
  /** @param tombstone not older than those added before */
  add(tombstone: Tombstone): void;
  /**
   * @returns the latest deletion of each resource of a namespace after a version; undefined when older ones may be
   *   missing
   */
  since(namespace: string, version: string): readonly Tombstone[] | undefined;
}

export function createTombstones(limit: number): Tombstones {
  const ring: Tombstone[] = [];
  /** The index of the oldest, once the ring is full. */
  let oldest = 0;
  let complete: string | undefined;

  function* newestFirst(): Iterable<Tombstone> {
    for (let count = 1; count <= ring.length; count += 1) {
      const each = ring[(oldest + ring.length - count) % ring.length];
      if (each !== undefined) yield each;
    }
  }

  return {
    begin(version) {
      complete ??= version;
    },
    add(tombstone) {
      if (ring.length < limit) {
        ring.push(tombstone);
        return;
      }
      complete = ring[oldest]?.version;
      ring[oldest] = tombstone;
      oldest = (oldest + 1) % limit;
    },
    since(namespace, version) {
      if (complete === undefined || isNewer(complete, version)) return undefined;
      const found = new Map<Key, Tombstone>();
      for (const each of newestFirst()) {
        if (!isNewer(each.version, version)) break;
        if (each.namespace === namespace && !found.has(each.key)) found.set(each.key, each);
      }
      return [...found.values()];
    },
  };
}
