// Distributes the changes of the cache of Resources to the readers of their namespace: one handler for all of them.
import type { Resource } from '../../crds/resource.ts';
import { projectIdOf, type ResourceTuple } from '../../domain/identity.ts';
import { type FoundVersion, type Informer, type Key, refOf } from '../../kube/api.ts';
import { isNewer } from '../../kube/informer/cache.ts';

/** Per replica, of all organizations. */
const keptDeletions = 10_000;

export interface CachedChange {
  readonly key: Key;
  readonly before: Resource | undefined;
  readonly after: Resource | undefined;
  readonly found: FoundVersion;
}

export interface ResourceChanges {
  /** Calls `receive`, which must not throw, with every change in a namespace. @returns a function that ends it */
  subscribe(namespace: string, receive: (change: CachedChange) => void): () => void;
  /** @returns the deletions after a version; undefined when older ones may be missing */
  deletedSince(namespace: string, version: string): readonly Tombstone[] | undefined;
  /**
   * The newest version of a change that has been distributed with all changes before it. Other replicas receive that change
   * too, so a client can go on there; the version of a list or a bookmark may be one that they never receive.
   */
  readonly latest: string | undefined;
}

export function createResourceChanges(
  cache: Pick<Informer<Resource>, 'onChange' | 'version'>,
  limit = keptDeletions,
): ResourceChanges {
  const tombstones = createTombstones(limit);
  const readers = new Map<string, Set<(change: CachedChange) => void>>();
  let latest: string | undefined;
  let newest: string | undefined;

  /** A version counts when the cache has reached it: a list has no order, and one's own writes are cached early. */
  function advance(version: string | undefined): void {
    if (newest !== undefined && !isNewer(newest, cache.version)) latest = newest;
    if (isNewer(version, newest)) newest = version;
  }

  cache.onChange((key, before, after, found) => {
    if (found === undefined) return;
    tombstones.begin(found.version);
    advance(found.by === 'watch' ? found.version : after?.metadata.resourceVersion);
    if (before !== undefined && after === undefined)
      tombstones.add(tombstoneOf(key, before, found));
    const { namespace = '' } = refOf(key);
    const change = { key, before, after, found };
    for (const receive of readers.get(namespace) ?? []) receive(change);
  });

  return {
    subscribe(namespace, receive) {
      const there = readers.get(namespace) ?? new Set();
      readers.set(namespace, there.add(receive));
      return () => {
        there.delete(receive);
        if (there.size === 0 && readers.get(namespace) === there) readers.delete(namespace);
      };
    },
    deletedSince: (namespace, version) => tombstones.since(namespace, version),
    get latest() {
      advance(undefined);
      return latest;
    },
  };
}

function tombstoneOf(key: Key, gone: Resource, { version, by }: FoundVersion): Tombstone {
  const { provider, resource, name } = gone.spec;
  const { namespace = '' } = refOf(key);
  const tuple = { provider, resource, name };
  return { namespace, key, tuple, projectId: projectIdOf(gone), version, exact: by === 'watch' };
}

// Keeps the latest deletions of resources, so that a client that was away receives those that it missed. The oldest give way.

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

interface Tombstones {
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
