// Collects the changes that one reader has not received yet, one per resource: a slow reader receives only the last state.
import type { Resource } from '../../crds/resource.ts';
import type { Key } from '../../kube/api.ts';
import { isNewer } from '../../kube/informer/cache.ts';
import type { CachedChange } from './changes.ts';
import { type Selection, viewOf } from './selection.ts';

export interface PendingChange {
  /** The `id` of the record. */
  readonly resourceId: string;
  readonly version: string;
  /** True if the version is that of the change, and every earlier change is sent before. */
  readonly exact: boolean;
  /** True if the reader may know the resource. */
  readonly isKnown: boolean;
}

export interface Pending {
  readonly size: number;
  /** True once there were more changes than it holds; it is empty then, until it is cleared. */
  readonly overflown: boolean;
  add(key: Key, entry: PendingChange): void;
  has(key: Key): boolean;
  /** Removes and returns the oldest ones. */
  take(count: number): readonly (readonly [Key, PendingChange])[];
  /** Removes those that a snapshot of this version contains. The reader may know the others from it. */
  forgetUntil(version: string, currentOf: (key: Key) => Resource | undefined): void;
  clear(): void;
}

/** The size of an entry without its strings. */
const entryBytes = 128;

export function createPending(maxBytes: number): Pending {
  const entries = new Map<Key, PendingChange>();
  let bytes = 0;
  let overflown = false;

  function remove(key: Key): PendingChange | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    bytes -= entrySize(key, entry);
    return entry;
  }

  return {
    get size() {
      return entries.size;
    },
    get overflown() {
      return overflown;
    },
    has: (key) => entries.has(key),
    add(key, entry) {
      if (overflown) return;
      // Behind all others, because their versions are older.
      const isKnown = remove(key)?.isKnown ?? entry.isKnown;
      entries.set(key, { ...entry, isKnown });
      bytes += entrySize(key, entry);
      if (bytes <= maxBytes) return;
      overflown = true;
      entries.clear();
      bytes = 0;
    },
    take(count) {
      const taken: (readonly [Key, PendingChange])[] = [];
      for (const each of entries) {
        if (taken.length === count) break;
        taken.push(each);
      }
      for (const [key] of taken) remove(key);
      return taken;
    },
    forgetUntil(version, currentOf) {
      for (const [key, entry] of entries) {
        if (isContained(entry, currentOf(key), version)) remove(key);
        else entries.set(key, { ...entry, isKnown: true });
      }
    },
    clear() {
      entries.clear();
      bytes = 0;
      overflown = false;
    },
  };
}

function entrySize(key: Key, { resourceId, version }: PendingChange): number {
  return entryBytes + key.length + resourceId.length + version.length;
}

/** @returns whether a snapshot of a version contains a change, after which the resource is `current` */
export function isContained(
  { version, exact }: Pick<PendingChange, 'version' | 'exact'>,
  current: Resource | undefined,
  snapshot: string,
): boolean {
  // The version of a list is that of no change; the version of the object is.
  const own = exact ? undefined : current?.metadata.resourceVersion;
  return !isNewer(own ?? version, snapshot);
}

/** @returns whether the reader must receive a change, and whether it may know the resource; undefined when neither */
export function noteworthy(
  { before, after }: Pick<CachedChange, 'before' | 'after'>,
  selection: Selection,
): { readonly isKnown: boolean } | undefined {
  const seen = viewOf(before, selection);
  const now = viewOf(after, selection);
  if (seen === 'none' && now !== 'record') return undefined;
  if (seen === 'leaving' && now === 'leaving') return undefined;
  return { isKnown: seen !== 'none' };
}
