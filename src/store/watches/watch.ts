// Follows the resources of an organization for one reader: what exists, or what the reader has missed, and then every change.
// Existing resources are read from the API server, so that every acknowledged write is in them; changes come from the cache.
import type { Resource } from '../../crds/resource.ts';
import type { Organization } from '../../domain/identity.ts';
import { isNewer } from '../../kube/informer/cache.ts';
import type { ResourceRecord } from '../records.ts';
import { resourceRecord } from '../resources/state.ts';
import {
  type Backlog,
  createBacklog,
  type ExistingResources,
  newerOf,
  type WatchDeps,
} from './backlog.ts';
import type { PendingChange } from './pending.ts';
import { type Selection, viewOf } from './selection.ts';

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
  /** The state of the reader is void; everything that exists follows. */
  | { readonly type: 'reset' };

export interface Watch {
  /** Ends when the signal of the request is aborted, or the process stops. @throws FairleadError */
  readonly events: AsyncIterable<readonly ResourceEvent[]>;
  /** A position to go on from while there is no event; undefined while some are on their way. */
  readonly position: string | undefined;
}

interface ReaderOptions {
  readonly selection: Selection;
  /** A position from an earlier watch. */
  readonly since: string | undefined;
  readonly signal: AbortSignal;
}

const batch = 32;

/**
 * Resolves when the first events are known.
 * @throws FairleadError `resource_not_found` when the only selected resource does not exist; KubeError
 */
export async function watchResources(
  deps: WatchDeps,
  organization: Organization,
  { selection, since, signal }: ReaderOptions,
): Promise<Watch> {
  const { changes } = deps;
  const backlog = createBacklog(deps, organization, { selection, signal });
  try {
    const isResumed = since !== undefined && (await backlog.resume(since));
    const first = isResumed ? undefined : await backlog.exists();
    const reader = createReader(deps, backlog, { selection, since, signal });
    return {
      events: reader.events(first),
      get position() {
        const { latest } = changes;
        const isUpToDate = reader.isWaiting() && backlog.pending.size === 0;
        return isUpToDate && isNewer(latest, reader.received()) ? latest : undefined;
      },
    };
  } catch (thrown) {
    backlog.stop();
    throw thrown;
  }
}

interface WatchReader {
  /** @param first what exists; undefined: the reader goes on from its position */
  events(first: ExistingResources | undefined): AsyncGenerator<readonly ResourceEvent[]>;
  /** Returns whether everything has been sent. */
  isWaiting(): boolean;
  /** Returns the last position that was sent. */
  received(): string | undefined;
}

function createReader(
  { cache, changes }: WatchDeps,
  { pending, next, exists }: Backlog,
  { selection, since, signal }: ReaderOptions,
): WatchReader {
  let isWaiting = false;
  let received: string | undefined;

  function* present({ keys, at }: ExistingResources): Iterable<readonly ResourceEvent[]> {
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
      yield entries.flatMap(([key, entry]) => eventsFor(cache.get(key), entry, selection));
    }
  }

  async function* follow(
    first: ExistingResources | undefined,
  ): AsyncGenerator<readonly ResourceEvent[]> {
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
      isWaiting = true;
      await next();
      isWaiting = false;
    }
  }

  return {
    async *events(first) {
      for await (const all of follow(first)) {
        for (const each of all) {
          if (each.type === 'reset') received = undefined;
          else received = each.id ?? received;
        }
        yield all;
      }
    },
    isWaiting: () => isWaiting,
    received: () => received,
  };
}

function eventsFor(
  current: Resource | undefined,
  { resourceId, version, exact, isKnown }: PendingChange,
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
