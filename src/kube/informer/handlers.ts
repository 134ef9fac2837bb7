// The handlers of an informer: each receives every change of every object. A throw delays that key for that handler only.
import type { Log } from '../../lib/log.ts';
import type { ChangeHandler, FoundVersion, Key, KubeObject } from '../api.ts';
import type { Timers } from '../timers.ts';
import type { Cache } from './cache.ts';

const retryMs = 1_000;

export interface Handlers<T> {
  /** @returns a function that removes the handler */
  add(handler: ChangeHandler<T>): () => void;
  /**
   * Calls every handler with the object cached under the key now.
   * @param before the state that handlers received last
   */
  changed(key: Key, before: T | undefined, found: FoundVersion): void;
}

interface HandlersOptions<T extends KubeObject> {
  readonly cache: Pick<Cache<T>, 'get' | 'entries'>;
  /** Kind of the informer, for the log. */
  readonly kind: string;
  readonly log: Log;
  readonly timers: Timers;
  /** Stops retries. */
  readonly signal: AbortSignal;
}

type HandledChange<T> = readonly [before?: T | undefined, found?: FoundVersion | undefined];

export function createHandlers<T extends KubeObject>(options: HandlersOptions<T>): Handlers<T> {
  const { cache, kind, log, timers, signal } = options;
  const handlers = new Set<ChangeHandler<T>>();

  function call(handler: ChangeHandler<T>, key: Key, [before, found]: HandledChange<T>): void {
    try {
      handler(key, before, cache.get(key), found);
    } catch (thrown) {
      log.error({ error: thrown, kind, key }, 'Informer handler failed; retrying');
      timers.after(retryMs, () => {
        if (!signal.aborted && handlers.has(handler)) call(handler, key, [before, found]);
      });
    }
  }

  return {
    add(handler) {
      handlers.add(handler);
      for (const [key] of cache.entries()) call(handler, key, []);
      return () => handlers.delete(handler);
    },
    changed(key, before, found) {
      for (const handler of handlers) call(handler, key, [before, found]);
    },
  };
}
