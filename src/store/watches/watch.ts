// Follows the resources of an organization for one reader: what exists, or what the reader has missed, and then every change.
// What exists is read from the API server, so it contains every acknowledged write; changes come from the cache.
import type { Resource } from '../../crds/resource.ts';
import { idOf, type Organization } from '../../domain/identity.ts';
import { type Informer, type Key, keyFor } from '../../kube/api.ts';
import { isNewer } from '../../kube/cache.ts';
import type { ResourceRecord } from '../records.ts';
import { type ReadingDeps, readAll } from '../resources/list.ts';
import { find, notFound } from '../resources/lookup.ts';
import { resourceRecord } from '../resources/state.ts';
import type { Change, ResourceChanges } from './changes.ts';
import { createPending, type Entry, isContained, noteworthy } from './pending.ts';
import { isSelected, type Selection, viewOf } from './selection.ts';

export type ResourceEvent =
  | {
      readonly type: 'upsert';
      readonly id: string | undefined;
      /** Equal for equal records: many readers receive the same one. */
      readonly source: object;
      readonly record: () => ResourceRecord;
    }
  | {
      readonly type: 'deleting' | 'deleted';
      readonly id: string | undefined;
      readonly resourceId: string;
    }
  /** Everything that existed at the beginning, or was missed, has been sent. */
  | { readonly type: 'synced'; readonly id: string | undefined }
  /** What the reader knows is void; everything that exists follows. */
  | { readonly type: 'reset' };

export interface WatchDeps extends ReadingDeps {
  readonly cache: Pick<Informer<Resource>, 'get' | 'items' | 'version' | 'caughtUp' | 'knows'>;
  readonly changes: ResourceChanges;
  readonly pendingBytes?: number;
}

export interface Watch {
  /** Ends when the signal of the request is aborted, or the process stops. @throws FairleadError */
  readonly events: AsyncIterable<readonly ResourceEvent[]>;
  /** A position to go on from while there is no event; undefined while some are on their way. */
  readonly position: string | undefined;
}

interface Options {
  readonly selection: Selection;
  /** A position from an earlier watch. */
  readonly since: string | undefined;
  readonly signal: AbortSignal;
}

/** A position comes from a change that every replica receives, usually within milliseconds. */
const catchUpMs = 4_000;
const maxPendingBytes = 1_048_576;
const batch = 32;
const position = /^[1-9][0-9]{0,19}$/;

/**
 * Resolves when the first events are known.
 * @throws FairleadError `resource_not_found` when the only selected resource does not exist; KubeError
 */
export async function watchResources(
  deps: WatchDeps,
  organization: Organization,
  { selection, since, signal }: Options,
): Promise<Watch> {
  const { cache, changes, pendingBytes = maxPendingBytes } = deps;
  const { namespace } = organization;
  const pending = createPending(pendingBytes);
  let snapshot: string | undefined;
  let isLive = false;
  /** The last position that the reader received. */
  let received: string | undefined;
  let wake = () => {};

  function receive(change: Change): void {
    const { key, after } = change;
    const entry = entryOf(change, selection);
    if (entry === undefined) return;
    if (snapshot !== undefined && isContained(entry, after, snapshot)) return;
    pending.add(key, entry);
    wake();
  }

  function nextChange(): Promise<void> {
    if (pending.size > 0 || pending.overflown || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      wake = resolve;
    });
  }

  /** @returns false when that is not possible */
  async function resume(from: string): Promise<boolean> {
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
  }

  /** @returns what exists, and the position behind it */
  async function exists(): Promise<Existing> {
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
    return { keys: read.found.map((each) => held(deps, each)), at };
  }

  function* present({ keys, at }: Existing): Iterable<readonly ResourceEvent[]> {
    for (let index = 0; index < keys.length; index += batch) {
      yield keys.slice(index, index + batch).flatMap((each) => {
        const resource = typeof each === 'string' ? cache.get(each) : each;
        // One that is gone or has changed since is pending, too.
        return viewOf(resource, selection) === 'record' && resource ? [upsert(resource)] : [];
      });
      keys.fill('', index, index + batch);
    }
    yield [{ type: 'synced', id: at }];
  }

  function* missing(): Iterable<readonly ResourceEvent[]> {
    for (let entries = pending.take(batch); entries.length > 0; entries = pending.take(batch)) {
      yield entries.flatMap(([key, entry]) => eventOf(cache.get(key), entry, selection));
    }
  }

  async function* follow(first: Existing | undefined): AsyncGenerator<readonly ResourceEvent[]> {
    if (since !== undefined && first !== undefined) yield [{ type: 'reset' }];
    if (first !== undefined) yield* present(first);
    else {
      yield* missing();
      // After a list, the newest change of this replica may be older than the reader's position.
      if (!pending.overflown) yield [{ type: 'synced', id: newerOf(changes.latest, since) }];
    }
    while (!signal.aborted) {
      if (pending.overflown) {
        const again = await exists();
        yield [{ type: 'reset' }];
        yield* present(again);
      }
      yield* missing();
      isLive = true;
      await nextChange();
      isLive = false;
    }
  }

  async function* noting(
    events: AsyncIterable<readonly ResourceEvent[]>,
  ): AsyncGenerator<readonly ResourceEvent[]> {
    for await (const all of events) {
      for (const each of all) {
        if (each.type === 'reset') received = undefined;
        else received = each.id ?? received;
      }
      yield all;
    }
  }

  const end = changes.subscribe(namespace, receive);
  const stop = () => {
    end();
    pending.clear();
    wake();
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    const isResumed = since !== undefined && (await resume(since));
    const first = isResumed ? undefined : await exists();
    return {
      events: noting(follow(first)),
      get position() {
        const { latest } = changes;
        return isLive && pending.size === 0 && isNewer(latest, received) ? latest : undefined;
      },
    };
  } catch (thrown) {
    stop();
    throw thrown;
  }
}

interface Existing {
  /** A key of the cache, or an object that the cache does not have yet. */
  readonly keys: (Key | Resource)[];
  readonly at: string | undefined;
}

/** Keys instead of objects: a slow reader must not keep old states in memory. */
function held({ cache }: WatchDeps, resource: Resource): Key | Resource {
  const key = keyFor(resource.metadata);
  const known = cache.get(key);
  const isKnown = known !== undefined && !isOlder(known, resource);
  return isKnown ? key : resource;
}

function isOlder({ metadata }: Resource, than: Resource): boolean {
  return isNewer(than.metadata.resourceVersion, metadata.resourceVersion);
}

function newerOf(left: string | undefined, right: string | undefined): string | undefined {
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
  if (found === undefined || viewOf(found, selection) !== 'record') throw notFound(address);
  return { found: [found], version: found.metadata.resourceVersion ?? '' };
}

function entryOf({ before, after, found }: Change, selection: Selection): Entry | undefined {
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
): readonly (readonly [Key, Entry])[] | undefined {
  const deleted = changes.deletedSince(namespace, from);
  if (deleted === undefined) return undefined;
  const missed = new Map<Key, Entry>();
  for (const { key, tuple, project, version, exact } of deleted) {
    if (!isSelected({ ...tuple, project }, selection)) continue;
    missed.set(key, { resourceId: idOf(tuple), version, exact, isKnown: true });
  }
  for (const resource of cache.items(namespace)) {
    const { resourceVersion: version } = resource.metadata;
    if (version === undefined || !isNewer(version, from)) continue;
    if (!isSelected(resource.spec, selection)) continue;
    // An own write is cached before the changes that precede it.
    const exact = !isNewer(version, cache.version);
    const entry = { resourceId: idOf(resource.spec), version, exact, isKnown: true };
    missed.set(keyFor(resource.metadata), entry);
  }
  return [...missed].sort(([, left], [, right]) => (isNewer(left.version, right.version) ? 1 : -1));
}

function eventOf(
  current: Resource | undefined,
  { resourceId, version, exact, isKnown }: Entry,
  selection: Selection,
): readonly ResourceEvent[] {
  const id = exact ? version : undefined;
  const view = viewOf(current, selection);
  if (view === 'record' && current !== undefined) return [{ ...upsert(current), id }];
  if (!isKnown) return [];
  return [{ type: view === 'leaving' ? 'deleting' : 'deleted', id, resourceId }];
}

function upsert(source: Resource): Extract<ResourceEvent, { type: 'upsert' }> {
  return { type: 'upsert', id: undefined, source, record: () => resourceRecord(source) };
}
