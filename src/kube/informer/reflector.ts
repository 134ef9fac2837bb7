// The loop of an informer: lists one kind, then watches it, and lists or watches again after every end. There is one loop per
// informer, so there is never more than one watch.
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type FoundVersion, type Key, type KindRef, type KubeObject, keyFor } from '../api.ts';
import type { StreamingClient } from '../client.ts';
import { KubeError } from '../errors.ts';
import { pause, type Timers } from '../timers.ts';
import type { CacheWriter } from './cache-writer.ts';
import type { Gaps } from './gaps.ts';
import { type PageSelector, pages } from './pages.ts';
import type { CacheProgress } from './progress.ts';
import type { Refresh } from './refresh.ts';
import { type WatchEnd, type WatchEvent, watch } from './watch.ts';

const maxBackoffMs = 30_000;
const maxRetryAfterMs = 120_000;
/** A watch that lasted this long resets the backoff. */
const steadyMs = 10_000;
/** A watch that ends sooner without an event would otherwise be reopened many times a second. */
const minWatchMs = 1_000;
const pageTimeoutMs = 60_000;

/** The parts that the loop works with. */
export interface Reflector<T extends KubeObject> {
  readonly client: StreamingClient;
  readonly kind: KindRef;
  /** All namespaces when absent. */
  readonly namespace?: string | undefined;
  readonly selector?: PageSelector | undefined;
  readonly log: Log;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly timers: Timers;
  readonly inactivityMs: number;
  /** The first backoff after a failure. */
  readonly backoffMs: number;
  /** Maximum age of a list when a watch is reopened. */
  readonly relistMs: number;
  readonly writer: CacheWriter<T>;
  readonly progress: CacheProgress;
  readonly gaps: Gaps;
  readonly refresh: Refresh;
  /** Ends the loop. */
  readonly stopping: AbortSignal;
}

/** Whether the cache can be trusted when a watch begins. */
type ReflectorStep = 'resume' | 'relist';

/** Lists and watches until it is stopped. */
export async function reflect<T extends KubeObject>(reflector: Reflector<T>): Promise<void> {
  let next: ReflectorStep = 'relist';
  while (!reflector.stopping.aborted) next = await turn(reflector, next === 'relist');
}

/** Runs one watch, after a list when the cache is not trusted. @returns whether the cache can be trusted afterwards */
async function turn<T extends KubeObject>(
  reflector: Reflector<T>,
  relist: boolean,
): Promise<ReflectorStep> {
  const { refresh, timers, random, progress, relistMs } = reflector;
  try {
    if (relist) await listObjects(reflector);
  } catch (thrown) {
    await backOff(reflector, thrown);
    return 'relist';
  }
  if (refresh.wantsList) return 'relist';
  const end = await watchOnce(reflector);
  // A small spread even after an orderly end: relists of many replicas must not hit the server at once.
  if (end.orderly) await pause(timers, 100 * random(), wakes(reflector));
  else await backOff(reflector, end.error);
  const isOld = progress.listAgeMs >= relistMs;
  return isOld || refresh.wantsList ? 'relist' : end.next;
}

async function listObjects<T extends KubeObject>(reflector: Reflector<T>): Promise<void> {
  const { refresh, writer, gaps, progress, log, kind } = reflector;
  const complete = refresh.beginList();
  // Only a complete list proves removals: an incomplete one throws here.
  const { seen, version } = await putPages(reflector);
  writer.keepOnly(seen, { version, by: 'list' });
  gaps.add(progress.version, version);
  if (!progress.isSynced) log.debug({ kind: kind.kind, objects: seen.size }, 'Informer synced');
  progress.listed(version);
  complete();
}

/**
 * Holds one page besides the cache, and keeps the cached object of what has not changed.
 * @returns the keys of all listed objects, and the version of the list
 */
async function putPages<T extends KubeObject>(
  reflector: Reflector<T>,
): Promise<{ readonly seen: ReadonlySet<Key>; readonly version: string }> {
  const { client, kind, writer, stopping: signal } = reflector;
  const seen = new Set<Key>();
  let first: string | undefined;
  const options = { ...whereOf(reflector), signal, timeoutMs: pageTimeoutMs };
  for await (const { items, resourceVersion } of pages<T>(client, kind, options)) {
    // A watch from the first page's version also delivers changes made while the other pages were read.
    first ??= resourceVersion;
    for (const object of items) {
      seen.add(keyFor(object.metadata));
      writer.put(object, { version: first, by: 'list' });
    }
  }
  return { seen, version: first ?? '' };
}

/** Which objects of the kind are listed. */
export function whereOf({
  namespace,
  selector,
}: Pick<Reflector<never>, 'namespace' | 'selector'>): PageSelector & {
  readonly namespace?: string;
} {
  return { ...selector, ...(namespace !== undefined && { namespace }) };
}

/** @returns how the watch ended; one that ended almost at once is never orderly */
async function watchOnce<T extends KubeObject>(reflector: Reflector<T>): Promise<WatchEnd> {
  const { client, kind, namespace, selector, inactivityMs, clock, random } = reflector;
  const { progress, refresh } = reflector;
  const signal = wakes(reflector);
  const beganAt = clock.monotonic();
  let eventful = false;
  const options = {
    kind,
    namespace,
    ...(selector !== undefined && { selector }),
    resourceVersion: progress.version,
    inactivityMs,
    // Five to ten minutes, spread so that the watches of many replicas do not end together.
    timeoutSeconds: refresh.watchSeconds(Math.round(300 + 300 * random())),
    signal,
  };
  const end = await watch<T>(client, options, {
    onOpen: progress.opened,
    onEvent(event) {
      eventful = true;
      applyEvent(reflector, event);
    },
  });
  if (signal.aborted) return { next: 'resume', orderly: true };
  const lastedMs = clock.monotonic() - beganAt;
  if (lastedMs > steadyMs) progress.lasted();
  return lastedMs < minWatchMs && !eventful ? { ...end, orderly: false } : end;
}

function applyEvent<T extends KubeObject>(
  { writer, progress }: Reflector<T>,
  event: WatchEvent<T>,
): void {
  progress.received();
  if (event.type === 'BOOKMARK') {
    progress.reached(event.resourceVersion);
    return;
  }
  const version = event.object.metadata.resourceVersion ?? progress.version;
  const found: FoundVersion = { version, by: 'watch' };
  if (event.type === 'DELETED') writer.remove(keyFor(event.object.metadata), found);
  else writer.put(event.object, found);
  progress.reached(version);
}

/** A failure that heals with the first retry, after about a second, is nothing to warn of. */
const failuresBeforeWarning = 2;

async function backOff<T extends KubeObject>(
  reflector: Reflector<T>,
  error: unknown,
): Promise<void> {
  const { stopping, progress, log, kind, timers } = reflector;
  if (stopping.aborted) return;
  progress.failed();
  const { failures } = progress;
  const { reason, retryAfterMs = 0 } = error instanceof KubeError ? error : {};
  if (failures === failuresBeforeWarning || failures % 10 === 0) {
    log.warn({ kind: kind.kind, failures, reason }, 'A watch was interrupted; retrying');
  }
  const wait = Math.max(backoffOf(reflector), Math.min(retryAfterMs, maxRetryAfterMs));
  await pause(timers, wait, wakes(reflector));
}

function backoffOf<T extends KubeObject>({ progress, backoffMs, random }: Reflector<T>): number {
  const ceiling = Math.min(maxBackoffMs, backoffMs * 2 ** Math.min(progress.failures - 1, 10));
  return ceiling * (0.5 + random() / 2);
}

/** @returns what ends the waiting of the loop: it stops, or is to be refreshed */
function wakes<T extends KubeObject>({ stopping, refresh }: Reflector<T>): AbortSignal {
  return AbortSignal.any([stopping, refresh.interrupted]);
}
