// Proves that a cache is as new as the API server was at the request: the one barrier before a cached read leads to an effect
// that no resourceVersion protects. A watch alone proves nothing: it may be half-open, in a backoff, or at a server that lags.
import type { Clock } from '../../lib/clock.ts';
import type { Informer, KindRef, KubeClient } from '../api.ts';
import { isNewer } from './cache.ts';
import type { CatchUp } from './catch-up.ts';
import type { PageSelector } from './pages.ts';

/** A cache of at most this many objects is listed again, which takes one page and some milliseconds. */
const relisted = 500;

/**
 * A larger one opens its watch again, for this many seconds: the API server sends a bookmark two seconds before the end of a
 * watch (nextBookmarkTime in k8s.io/apiserver/pkg/storage/cacher), after all changes up to its version.
 */
const provingSeconds = 3;

/**
 * Refreshes caches at once. The first complete list of one that has just been started is awaited before. Also resolves when the
 * signal is aborted.
 * @throws KubeError, `timeout` after `timeoutMs`
 */
export async function refreshAll(
  informers: readonly Pick<Informer<never>, 'start' | 'refresh'>[],
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  if (signal.aborted) return;
  const refreshed = informers.map(async (informer) => {
    await informer.start();
    await informer.refresh(timeoutMs);
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  signal.addEventListener('abort', end, { once: true });
  try {
    await Promise.race([Promise.all(refreshed), ended]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

interface RefreshOptions {
  readonly client: Pick<KubeClient, 'list'>;
  readonly kind: KindRef;
  readonly where: PageSelector & { readonly namespace?: string };
  readonly clock: Clock;
  readonly catchUp: CatchUp;
  /** Number of cached objects. */
  readonly size: () => number;
  /** The version that the cache has reached. */
  readonly version: () => string;
  /** Default 500. */
  readonly relistedObjects?: number | undefined;
}

/** The interface of refreshes for the loop of an informer. */
export interface Refresh {
  /** Aborted when the loop must not go on watching or waiting: it lists or watches again at once. */
  readonly interrupted: AbortSignal;
  readonly wantsList: boolean;
  /** Call it before a list. @returns what to call when the list is complete */
  beginList(): () => void;
  /** @param usual when no version is to be proved @returns the length of the next watch */
  watchSeconds(usual: number): number;
  /** Resolves when the cache has every change that the API server had acknowledged before the call. @throws KubeError */
  refresh(timeoutMs: number): Promise<void>;
}

export function createRefresh(options: RefreshOptions): Refresh {
  const { client, kind, where, clock, catchUp, size, version } = options;
  const { relistedObjects = relisted } = options;
  let interrupt = new AbortController();
  let wantsList = false;
  let begun = 0;
  let completed = 0;
  let wanted: string | undefined;

  function interruptLoop(): void {
    interrupt.abort();
    interrupt = new AbortController();
  }

  async function listed(timeoutMs: number): Promise<void> {
    // A list that has begun already may miss what was acknowledged since.
    const number = begun + 1;
    wantsList = true;
    interruptLoop();
    await catchUp.until(() => completed >= number, timeoutMs);
  }

  async function proved(timeoutMs: number): Promise<void> {
    const began = clock.monotonic();
    const { resourceVersion } = await client.list(kind, { ...where, limit: 1, timeoutMs });
    if (!isNewer(resourceVersion, version())) return;
    if (wanted === undefined || isNewer(resourceVersion, wanted)) wanted = resourceVersion;
    interruptLoop();
    const left = Math.max(0, timeoutMs - (clock.monotonic() - began));
    await catchUp.until(() => !isNewer(resourceVersion, version()), left);
  }

  return {
    get interrupted() {
      return interrupt.signal;
    },
    get wantsList() {
      return wantsList;
    },
    beginList() {
      begun += 1;
      wantsList = false;
      const number = begun;
      return () => {
        completed = number;
        catchUp.look();
      };
    },
    watchSeconds(usual) {
      return wanted !== undefined && isNewer(wanted, version()) ? provingSeconds : usual;
    },
    refresh: (timeoutMs) => (size() <= relistedObjects ? listed(timeoutMs) : proved(timeoutMs)),
  };
}
