// Keeps a cache of one kind current: list, then watch, and list or watch again after every end. There is one loop per
// informer, so there is never more than one watch.
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import {
  type Found,
  type Informer,
  type Key,
  type KindRef,
  type KubeObject,
  keyFor,
} from './api.ts';
import { type Cache, createCache, isNewer, newer, sameLife } from './cache.ts';
import { createCatchUp } from './catch-up.ts';
import type { StreamingClient } from './client.ts';
import { KubeError } from './errors.ts';
import { createGaps } from './gaps.ts';
import { createHandlers } from './handlers.ts';
import { pages, type Selector } from './pages.ts';
import { createRefresh } from './refresh.ts';
import { pause, systemTimers, type Timers } from './timers.ts';
import { type WatchEnd, type WatchEvent, watch } from './watch.ts';

/** A watch without a byte for this long is reopened; a busy server sends bookmarks about once a minute. */
export const defaultInactivityMs = 45_000;
const firstBackoffMs = 1_000;
const maxBackoffMs = 30_000;
const maxRetryAfterMs = 120_000;
/** A watch that lasted this long resets the backoff. */
const steadyMs = 10_000;
/** A watch that ends sooner without an event would otherwise be reopened many times a second. */
const minWatchMs = 1_000;
const pageTimeoutMs = 60_000;
/** A relist when a watch ends after this long finds changes that the watch silently lost. */
const defaultRelistMs = 15 * 60_000;

export interface InformerOptions<T extends KubeObject = KubeObject> {
  readonly client: StreamingClient;
  readonly kind: KindRef;
  /** All namespaces when absent. */
  readonly namespace?: string;
  /** Only matching objects, such as `spec.nodeName=here`; the selected field of an object must never change. */
  readonly selector?: Selector;
  /** Reduces an object before caching; it must keep the metadata. For objects with large parts that no reader needs. */
  readonly trim?: (object: T) => T;
  readonly log: Log;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly timers?: Timers;
  readonly inactivityMs?: number;
  /** The first backoff after a failure, in milliseconds; doubles up to 30 s. */
  readonly backoffMs?: number;
  /** Maximum age of a list when a watch is reopened; default 15 minutes. */
  readonly relistMs?: number;
  /** `refresh` lists at most this many objects again; default 500. */
  readonly relistedObjects?: number;
}

export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const { client, kind, namespace, selector, log, clock, random, timers = systemTimers } = options;
  const { inactivityMs = defaultInactivityMs, backoffMs: firstMs = firstBackoffMs } = options;
  const { relistMs = defaultRelistMs } = options;
  const { trim = (object: T) => object } = options;
  const cache: Cache<T> = createCache<T>();
  const catchUp = createCatchUp(kind.kind);
  const gaps = createGaps();
  /**
   * By key of own writes whose event has not arrived: the state that handlers received last. They receive the write with its
   * event.
   */
  const unheard = new Map<Key, T>();
  const stopping = new AbortController();
  const handlers = createHandlers({
    cache,
    kind: kind.kind,
    log,
    timers,
    signal: stopping.signal,
  });
  const synced = Promise.withResolvers<void>();
  let isSynced = false;
  let isInterrupted = false;
  let heardAt = clock.monotonic();
  let listedAt = heardAt;
  let version = '';
  let failures = 0;
  let interruptions = 0;
  let running: Promise<void> | undefined;
  const where = { ...selector, ...(namespace !== undefined && { namespace }) };
  const { relistedObjects } = options;
  const refresh = createRefresh({
    ...{ client, kind, where, clock, catchUp, relistedObjects },
    size: () => cache.size,
    version: () => version,
  });
  /** Ends what the loop waits for: this informer stops, or is to be refreshed. */
  const wakes = () => AbortSignal.any([stopping.signal, refresh.interrupted]);

  function changed(key: Key, known: T | undefined, found: Found): void {
    const before = unheard.get(key) ?? known;
    unheard.delete(key);
    handlers.changed(key, before, found);
    catchUp.look();
  }

  function put(object: T, found: Found): void {
    const key = keyFor(object.metadata);
    const known = cache.get(key);
    if (known !== undefined && !sameLife(known, object)) {
      remove(key, found);
      put(object, found);
      return;
    }
    // One's own write may be cached before the events that led to it.
    if (known !== undefined && !newer(object, known)) {
      if (unheard.has(key) && !newer(known, object)) changed(key, known, found);
      return;
    }
    cache.set(key, trim(object));
    changed(key, known, found);
  }

  function remove(key: Key, found: Found): void {
    const known = cache.get(key);
    if (known === undefined) return;
    cache.delete(key);
    changed(key, known, found);
  }

  /**
   * Holds one page besides the cache, and keeps the cached object of what has not changed.
   * @returns the keys of all listed objects, and the version of the list
   */
  async function putPages(): Promise<{ seen: ReadonlySet<Key>; listed: string }> {
    const { signal } = stopping;
    const seen = new Set<Key>();
    let first: string | undefined;
    const options = { ...where, signal, timeoutMs: pageTimeoutMs };
    for await (const { items, resourceVersion } of pages<T>(client, kind, options)) {
      // A watch from the first page's version also delivers changes made while the other pages were read.
      first ??= resourceVersion;
      for (const object of items) {
        seen.add(keyFor(object.metadata));
        put(object, { version: first, by: 'list' });
      }
    }
    return { seen, listed: first ?? '' };
  }

  function reach(next: string): void {
    version = next;
    catchUp.look();
  }

  async function list(): Promise<void> {
    const complete = refresh.beginList();
    // Only a complete list proves removals: an incomplete one throws here.
    const { seen, listed } = await putPages();
    const found: Found = { version: listed, by: 'list' };
    for (const [key] of [...cache.entries()]) if (!seen.has(key)) remove(key, found);
    gaps.add(version, listed);
    reach(listed);
    heardAt = clock.monotonic();
    listedAt = heardAt;
    if (!isSynced) log.debug({ kind: kind.kind, objects: cache.size }, 'Informer synced');
    isSynced = true;
    synced.resolve();
    complete();
  }

  function apply(event: WatchEvent<T>): void {
    heardAt = clock.monotonic();
    failures = 0;
    if (event.type === 'BOOKMARK') {
      reach(event.resourceVersion);
      return;
    }
    const next = event.object.metadata.resourceVersion ?? version;
    const found: Found = { version: next, by: 'watch' };
    if (event.type === 'DELETED') remove(keyFor(event.object.metadata), found);
    else put(event.object, found);
    reach(next);
  }

  /** @returns how the watch ended; one that ended almost at once is never orderly */
  async function watchOnce(): Promise<WatchEnd> {
    const woken = wakes();
    const beganAt = clock.monotonic();
    let eventful = false;
    const options = {
      kind,
      namespace,
      ...(selector !== undefined && { selector }),
      resourceVersion: version,
      inactivityMs,
      // Five to ten minutes, spread so that the watches of many replicas do not end together.
      timeoutSeconds: refresh.watchSeconds(Math.round(300 + 300 * random())),
      signal: woken,
    };
    const end = await watch<T>(client, options, {
      onOpen() {
        // Quiet watches are reopened before a bookmark arrives: then opening is the only sign of life.
        heardAt = clock.monotonic();
        isInterrupted = false;
      },
      onEvent(event) {
        eventful = true;
        apply(event);
      },
    });
    if (woken.aborted) return { next: 'resume', orderly: true };
    const lastedMs = clock.monotonic() - beganAt;
    if (lastedMs > steadyMs) failures = 0;
    return lastedMs < minWatchMs && !eventful ? { ...end, orderly: false } : end;
  }

  function backoffMs(): number {
    const ceiling = Math.min(maxBackoffMs, firstMs * 2 ** Math.min(failures - 1, 10));
    return ceiling * (0.5 + random() / 2);
  }

  async function backOff(error: unknown): Promise<void> {
    if (stopping.signal.aborted) return;
    failures += 1;
    interruptions += 1;
    isInterrupted = true;
    catchUp.look();
    const { reason, retryAfterMs = 0 } = error instanceof KubeError ? error : {};
    if (failures === 1 || failures % 10 === 0) {
      log.warn({ kind: kind.kind, failures, reason }, 'A watch was interrupted; retrying');
    }
    const wait = Math.max(backoffMs(), Math.min(retryAfterMs, maxRetryAfterMs));
    await pause(timers, wait, wakes());
  }

  /** Runs one watch, after a list when the cache is not trusted. @returns whether the cache can be trusted afterwards */
  async function turn(relist: boolean): Promise<'resume' | 'relist'> {
    try {
      if (relist) await list();
    } catch (thrown) {
      await backOff(thrown);
      return 'relist';
    }
    if (refresh.wantsList) return 'relist';
    const end = await watchOnce();
    // A small spread even after an orderly end: relists of many replicas must not hit the server at once.
    if (end.orderly) await pause(timers, 100 * random(), wakes());
    else await backOff(end.error);
    const isOld = clock.monotonic() - listedAt >= relistMs;
    return isOld || refresh.wantsList ? 'relist' : end.next;
  }

  async function loop(): Promise<void> {
    let next: 'resume' | 'relist' = 'relist';
    while (!stopping.signal.aborted) next = await turn(next === 'relist');
  }

  return {
    kind,
    get: (key) => cache.get(key),
    items: (namespace) => cache.items(namespace),
    count: (namespace) => cache.count(namespace),
    get size() {
      return cache.size;
    },
    get synced() {
      return isSynced;
    },
    get interrupted() {
      return isInterrupted;
    },
    get interruptions() {
      return interruptions;
    },
    get version() {
      return version;
    },
    get silentMs() {
      return clock.monotonic() - heardAt;
    },
    onChange: (handler) => handlers.add(handler),
    start() {
      running ??= loop();
      return synced.promise;
    },
    remember(object) {
      const key = keyFor(object.metadata);
      const known = cache.get(key);
      if (known === undefined || !sameLife(known, object) || !newer(object, known)) return;
      if (!unheard.has(key)) unheard.set(key, known);
      cache.set(key, trim(object));
      catchUp.look();
    },
    reached(key, resourceVersion, timeoutMs) {
      const known = () => cache.get(key)?.metadata.resourceVersion;
      const isThere = () => known() !== undefined && !isNewer(resourceVersion, known());
      return catchUp.until(isThere, timeoutMs);
    },
    knows: (resourceVersion) => gaps.knows(resourceVersion),
    refresh: (timeoutMs) => refresh.refresh(timeoutMs),
    caughtUp: (wanted, timeoutMs) => catchUp.until(() => !isNewer(wanted, version), timeoutMs),
    attempted(timeoutMs) {
      const isOver = () => isSynced || isInterrupted || stopping.signal.aborted;
      return catchUp.until(isOver, timeoutMs);
    },
    async stop() {
      stopping.abort();
      catchUp.look();
      await running;
    },
  };
}
