// A cache of one kind that stays true: list, then watch, and after every kind of ending list or watch again. There is one
// loop per informer, so there is never more than one watch. Handlers hear keys; what they throw delays only that key.
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { type Informer, type Key, type KindRef, type KubeObject, keyFor } from './api.ts';
import { type Cache, createCache, isNewer } from './cache.ts';
import type { StreamingClient } from './client.ts';
import { hasReason, KubeError } from './errors.ts';
import { pause, systemTimers, type Timers } from './timers.ts';
import { type WatchEnd, watch } from './watch.ts';

/** A watch without a byte for this long is opened again; bookmarks of a busy server come about once a minute. */
export const defaultInactivityMs = 45_000;
const listPage = 500;
const firstBackoffMs = 1_000;
const longestBackoffMs = 30_000;
const handlerRetryMs = 1_000;

export interface InformerOptions {
  readonly client: StreamingClient;
  readonly kind: KindRef;
  readonly log: Log;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly timers?: Timers;
  readonly inactivityMs?: number;
  /** The first wait after a failure, in milliseconds; doubled up to 30 s. */
  readonly backoffMs?: number;
}

type Handler<T> = (key: Key, object: T) => void;

export function createInformer<T extends KubeObject>(options: InformerOptions): Informer<T> {
  const { client, kind, log, clock, random, timers = systemTimers } = options;
  const cache: Cache<T> = createCache<T>();
  const handlers = new Set<Handler<T>>();
  const waiters = new Set<() => void>();
  const stopping = new AbortController();
  const synced = Promise.withResolvers<void>();
  let isSynced = false;
  let heardAt = clock.monotonic();
  let version = '';
  let failures = 0;
  let running: Promise<void> | undefined;

  function tell(handler: Handler<T>, key: Key, object: T): void {
    try {
      handler(key, object);
    } catch (thrown) {
      log.error(
        { error: thrown, kind: kind.kind, key },
        'An informer handler threw; it is called again',
      );
      timers.after(handlerRetryMs, () => {
        if (!stopping.signal.aborted) tell(handler, key, cache.get(key) ?? object);
      });
    }
  }

  function changed(key: Key, object: T): void {
    for (const handler of handlers) tell(handler, key, object);
    for (const look of waiters) look();
  }

  function put(object: T): void {
    const key = keyFor(object.metadata);
    const known = cache.get(key);
    // One's own write may be here before the events that led to it.
    if (
      known !== undefined &&
      sameLife(known, object) &&
      !isNewer(object.metadata.resourceVersion, known.metadata.resourceVersion)
    )
      return;
    cache.set(object);
    changed(key, object);
  }

  function remove(key: Key): void {
    const known = cache.get(key);
    if (known === undefined) return;
    cache.delete(key);
    changed(key, known);
  }

  async function list(): Promise<void> {
    const listed = new Map<Key, T>();
    let first: string | undefined;
    let next: string | undefined;
    do {
      const page = await client.list<T>(kind, {
        limit: listPage,
        signal: stopping.signal,
        timeoutMs: 60_000,
        ...(next === undefined ? {} : { continue: next }),
      });
      // The first page's version: a watch from it also shows what changed while the others were read.
      first ??= page.resourceVersion;
      for (const item of page.items) listed.set(keyFor(item.metadata), item);
      next = page.continue;
    } while (next !== undefined);
    for (const key of [...cache.keys()]) if (!listed.has(key)) remove(key);
    for (const item of listed.values()) put(item);
    version = first;
    heardAt = clock.monotonic();
    if (!isSynced) log.debug({ kind: kind.kind, objects: cache.size }, 'Informer synced');
    isSynced = true;
    synced.resolve();
  }

  function watchOnce(): Promise<WatchEnd> {
    return watch<T>(
      client,
      {
        kind,
        resourceVersion: version,
        inactivityMs: options.inactivityMs ?? defaultInactivityMs,
        // Five to ten minutes, spread so that the watches of many replicas do not end together.
        timeoutSeconds: Math.round(300 + 300 * random()),
        signal: stopping.signal,
      },
      (event) => {
        heardAt = clock.monotonic();
        failures = 0;
        if (event.type === 'BOOKMARK') {
          version = event.resourceVersion;
          return;
        }
        version = event.object.metadata.resourceVersion ?? version;
        if (event.type === 'DELETED') remove(keyFor(event.object.metadata));
        else put(event.object);
      },
    );
  }

  async function backOff(error: KubeError | undefined): Promise<void> {
    failures += 1;
    const ceiling = Math.min(
      longestBackoffMs,
      (options.backoffMs ?? firstBackoffMs) * 2 ** Math.min(failures - 1, 10),
    );
    const jittered = ceiling * (0.5 + random() / 2);
    const wait = Math.max(jittered, error?.retryAfterMs ?? 0);
    if (failures === 1 || failures % 10 === 0) {
      log.warn(
        { kind: kind.kind, failures, reason: error?.reason },
        'A watch was interrupted; it goes on',
      );
    }
    await pause(timers, wait, stopping.signal);
  }

  async function loop(): Promise<void> {
    let relist = true;
    while (!stopping.signal.aborted) {
      try {
        if (relist) await list();
        const end = await watchOnce();
        relist = end.next === 'relist';
        if (!end.orderly) await backOff(end.error);
        // Even after a good end a little spread: a relist of many replicas must not hit the server at once.
        else await pause(timers, 100 * random(), stopping.signal);
      } catch (thrown) {
        // Only a list throws. An expired continue token means: begin again.
        relist = true;
        if (!hasReason(thrown, 'gone'))
          await backOff(thrown instanceof KubeError ? thrown : undefined);
      }
    }
  }

  return {
    kind,
    get: (key) => cache.get(key),
    items: (namespace) => cache.items(namespace),
    get size() {
      return cache.size;
    },
    get synced() {
      return isSynced;
    },
    get silentMs() {
      return clock.monotonic() - heardAt;
    },
    onChange(handler) {
      handlers.add(handler);
      for (const object of cache.items()) tell(handler, keyFor(object.metadata), object);
    },
    start() {
      running ??= loop();
      return synced.promise;
    },
    remember(object) {
      const known = cache.get(keyFor(object.metadata));
      if (known === undefined || !sameLife(known, object)) return;
      if (isNewer(object.metadata.resourceVersion, known.metadata.resourceVersion))
        cache.set(object);
    },
    reached(key, resourceVersion, timeoutMs) {
      return reached({ cache, waiters }, { key, resourceVersion, timeoutMs });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

function sameLife(left: KubeObject, right: KubeObject): boolean {
  return left.metadata.uid === right.metadata.uid;
}

async function reached<T extends KubeObject>(
  { cache, waiters }: { cache: Cache<T>; waiters: Set<() => void> },
  { key, resourceVersion, timeoutMs }: { key: Key; resourceVersion: string; timeoutMs: number },
): Promise<void> {
  const there = () => {
    const known = cache.get(key)?.metadata.resourceVersion;
    return known !== undefined && !isNewer(resourceVersion, known);
  };
  if (there()) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = () => {
    if (there()) resolve();
  };
  const late = new KubeError({ reason: 'timeout', message: 'The cache did not catch up in time' });
  const timer = setTimeout(() => reject(late), timeoutMs);
  waiters.add(look);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    waiters.delete(look);
  }
}
