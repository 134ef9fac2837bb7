// Keeps a cache of one kind current: its reflector lists and watches, its writer puts what they show into the cache.
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Informer, KindRef, KubeObject } from '../api.ts';
import type { StreamingClient } from '../client.ts';
import { systemTimers, type Timers } from '../timers.ts';
import { createCache, isNewer } from './cache.ts';
import { createCacheWriter } from './cache-writer.ts';
import { createCatchUp } from './catch-up.ts';
import { createGaps } from './gaps.ts';
import { createHandlers } from './handlers.ts';
import type { PageSelector } from './pages.ts';
import { createProgress } from './progress.ts';
import { type Reflector, reflect, whereOf } from './reflector.ts';
import { createRefresh } from './refresh.ts';

/** A watch without a byte for this long is reopened; a busy server sends bookmarks about once a minute. */
export const defaultInactivityMs = 45_000;
const firstBackoffMs = 1_000;
/** A relist when a watch ends after this long finds changes that the watch silently lost. */
const defaultRelistMs = 15 * 60_000;

export interface InformerOptions<T extends KubeObject = KubeObject> {
  readonly client: StreamingClient;
  readonly kind: KindRef;
  /** All namespaces when absent. */
  readonly namespace?: string;
  /** Only matching objects, such as `spec.nodeName=here`; the selected field of an object must never change. */
  readonly selector?: PageSelector;
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
  const { client, kind, log, clock, timers = systemTimers, trim = (object: T) => object } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const cache = createCache<T>();
  const catchUp = createCatchUp(kind.kind);
  const gaps = createGaps();
  const progress = createProgress(clock, catchUp);
  const handlers = createHandlers({ cache, kind: kind.kind, log, timers, signal });
  const writer = createCacheWriter({ cache, handlers, catchUp, trim });
  const refresh = createRefresh({
    ...{ client, kind, clock, catchUp, relistedObjects: options.relistedObjects },
    where: whereOf(options),
    size: () => cache.size,
    version: () => progress.version,
  });
  const reflector: Reflector<T> = {
    inactivityMs: defaultInactivityMs,
    backoffMs: firstBackoffMs,
    relistMs: defaultRelistMs,
    ...options,
    ...{ timers, writer, progress, gaps, refresh, stopping: signal },
  };
  let running: Promise<void> | undefined;

  return {
    kind,
    get: (key) => cache.get(key),
    items: (namespace) => cache.items(namespace),
    count: (namespace) => cache.count(namespace),
    get size() {
      return cache.size;
    },
    get synced() {
      return progress.isSynced;
    },
    get interrupted() {
      return progress.isInterrupted;
    },
    get interruptions() {
      return progress.interruptions;
    },
    get version() {
      return progress.version;
    },
    get silentMs() {
      return progress.silentMs;
    },
    onChange: (handler) => handlers.add(handler),
    start() {
      running ??= reflect(reflector);
      return progress.synced;
    },
    remember: (object) => writer.remember(object),
    reached(key, resourceVersion, timeoutMs) {
      const known = () => cache.get(key)?.metadata.resourceVersion;
      const isThere = () => known() !== undefined && !isNewer(resourceVersion, known());
      return catchUp.until(isThere, timeoutMs);
    },
    knows: (resourceVersion) => gaps.knows(resourceVersion),
    refresh: (timeoutMs) => refresh.refresh(timeoutMs),
    caughtUp: (wanted, timeoutMs) =>
      catchUp.until(() => !isNewer(wanted, progress.version), timeoutMs),
    attempted(timeoutMs) {
      const isOver = () => progress.isSynced || progress.isInterrupted || signal.aborted;
      return catchUp.until(isOver, timeoutMs);
    },
    async stop() {
      stopping.abort();
      catchUp.look();
      await running;
    },
  };
}
