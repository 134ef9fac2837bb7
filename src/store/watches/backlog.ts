// The events that one reader of a watch has not received yet: what exists, or what it has missed, and the changes since.
import type { Resource } from '../../crds/resource.ts';
import { idOf, type Organization, projectIdOf } from '../../domain/identity.ts';
import { type Informer, type Key, keyFor } from '../../kube/api.ts';
import { isNewer } from '../../kube/informer/cache.ts';
import { type ReadingDeps, readAll } from '../resources/lists/list.ts';
import { find, resourceNotFound } from '../resources/lookup.ts';
import type { CachedChange, ResourceChanges } from './changes.ts';
import {
  createPending,
  isContained,
  noteworthy,
  type Pending,
  type PendingChange,
} from './pending.ts';
import { isSelected, type Selection, viewOf } from './selection.ts';

export interface WatchDeps extends ReadingDeps {
  readonly cache: Pick<Informer<Resource>, 'get' | 'items' | 'version' | 'caughtUp' | 'knows'>;
  readonly changes: ResourceChanges;
  readonly pendingBytes?: number;
}

/** A position comes from a change that every replica receives, usually within milliseconds. */
const catchUpMs = 4_000;
const maxPendingBytes = 1_048_576;
const position = /^[1-9][0-9]{0,19}$/;

/** The events that the reader has not received yet. */
export interface Backlog {
  readonly pending: Pending;
  /** Resolves when an event is pending, or the watch is over. */
  next(): Promise<void>;
  /** Adds what happened since a position. @returns false when that is not possible */
  resume(from: string): Promise<boolean>;
  /** @returns what exists, and the position behind it; only later changes are pending */
  exists(): Promise<ExistingResources>;
  stop(): void;
}

export function createBacklog(
  deps: WatchDeps,
  organization: Organization,
  { selection, signal }: { readonly selection: Selection; readonly signal: AbortSignal },
): Backlog {
  const { cache, changes, pendingBytes = maxPendingBytes } = deps;
  const { namespace } = organization;
  const pending = createPending(pendingBytes);
  let snapshot: string | undefined;
  let wake = () => {};

  const unsubscribe = changes.subscribe(namespace, (change) => {
    const { key, after } = change;
    const entry = entryOf(change, selection);
    if (entry === undefined) return;
    if (snapshot !== undefined && isContained(entry, after, snapshot)) return;
    pending.add(key, entry);
    wake();
  });

  function stop(): void {
    unsubscribe();
    pending.clear();
    wake();
  }

  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return {
    pending,
    stop,
    next() {
      if (pending.size > 0 || pending.overflown || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
    async resume(from) {
      if (!position.test(from)) return false;
      const isReached = await cache.caughtUp(from, catchUpMs).then(
        () => true,
        () => false,
      );
      const isKnown = isReached && cache.knows(from);
      const missed = isKnown ? missedSince(deps, namespace, { selection, from }) : undefined;
      if (missed === undefined) return false;
      pending.clear();
      for (const [key, entry] of missed) pending.add(key, entry);
      return !pending.overflown;
    },
    async exists() {
      snapshot = undefined;
      pending.clear();
      const { latest } = changes;
      const read = await readExisting(deps, organization, selection);
      snapshot = read.version;
      pending.forgetUntil(read.version, (key) => cache.get(key));
      const at = read.found.reduce(
        (known, { metadata }) => newerOf(known, metadata.resourceVersion),
        latest,
      );
      return { keys: read.found.map((each) => keyOrResource(deps, each)), at };
    },
  };
}

export interface ExistingResources {
  /** A key of the cache, or an object that the cache does not have yet. */
  readonly keys: (Key | Resource)[];
  readonly at: string | undefined;
}

/** Keys instead of objects: a slow reader must not keep old states in memory. */
function keyOrResource({ cache }: WatchDeps, resource: Resource): Key | Resource {
  const key = keyFor(resource.metadata);
  const known = cache.get(key);
  const isKnown = known !== undefined && !isOlderVersion(known, resource);
  return isKnown ? key : resource;
}

function isOlderVersion({ metadata }: Resource, than: Resource): boolean {
  return isNewer(than.metadata.resourceVersion, metadata.resourceVersion);
}

export function newerOf(left: string | undefined, right: string | undefined): string | undefined {
  return isNewer(right, left) ? right : left;
}

/** @returns what exists, and a version: it contains no later change */
async function readExisting(
  deps: WatchDeps,
  organization: Organization,
  selection: Selection,
): Promise<{ readonly found: readonly Resource[]; readonly version: string }> {
  const { address, filter } = selection;
  if (address === undefined) {
    return await readAll(deps, organization, filter);
  }
  const found = await find(deps.client, organization, address);
  if (found === undefined || viewOf(found, selection) !== 'record') throw resourceNotFound(address);
  return { found: [found], version: found.metadata.resourceVersion ?? '' };
}

function entryOf(
  { before, after, found }: CachedChange,
  selection: Selection,
): PendingChange | undefined {
  const noted = noteworthy({ before, after }, selection);
  const resource = after ?? before;
  if (noted === undefined || resource === undefined) return undefined;
  const { version, by } = found;
  return { resourceId: idOf(resource.spec), version, exact: by === 'watch', ...noted };
}

/** @returns the entries in the order of their versions; undefined when deletions are missing */
function missedSince(
  { cache, changes }: WatchDeps,
  namespace: string,
  { selection, from }: { readonly selection: Selection; readonly from: string },
): readonly (readonly [Key, PendingChange])[] | undefined {
  const deleted = changes.deletedSince(namespace, from);
  if (deleted === undefined) return undefined;
  const missed = new Map<Key, PendingChange>();
  for (const { key, tuple, projectId, version, exact } of deleted) {
    if (!isSelected({ ...tuple, projectId }, selection)) continue;
    missed.set(key, { resourceId: idOf(tuple), version, exact, isKnown: true });
  }
  for (const resource of cache.items(namespace)) {
    const { resourceVersion: version } = resource.metadata;
    if (version === undefined || !isNewer(version, from)) continue;
    const projectId = projectIdOf(resource);
    if (!isSelected({ ...resource.spec, projectId }, selection)) continue;
    // An own write is cached before the changes that precede it.
    const exact = !isNewer(version, cache.version);
    const entry = { resourceId: idOf(resource.spec), version, exact, isKnown: true };
    missed.set(keyFor(resource.metadata), entry);
  }
  return [...missed].sort(([, left], [, right]) => (isNewer(left.version, right.version) ? 1 : -1));
}
