// Writes what the API server shows into the cache of an informer: never an older state over a newer one, and handlers receive each
// change once, with its event.
import { type FoundVersion, type Key, type KubeObject, keyFor } from '../api.ts';
import { type Cache, newer, sameLife } from './cache.ts';
import type { CatchUp } from './catch-up.ts';
import type { Handlers } from './handlers.ts';

export interface CacheWriter<T extends KubeObject> {
  /** Stores a listed or watched state. */
  put(object: T, found: FoundVersion): void;
  remove(key: Key, found: FoundVersion): void;
  /** Removes every object but those of a complete list. */
  keepOnly(listed: ReadonlySet<Key>, found: FoundVersion): void;
  /** Stores the response of one's own write over an older state. Handlers receive it with its event. */
  remember(object: T): void;
}

interface CacheWriterOptions<T extends KubeObject> {
  readonly cache: Cache<T>;
  readonly handlers: Pick<Handlers<T>, 'changed'>;
  readonly catchUp: Pick<CatchUp, 'look'>;
  /** Reduces an object before caching. */
  readonly trim: (object: T) => T;
}

export function createCacheWriter<T extends KubeObject>(
  options: CacheWriterOptions<T>,
): CacheWriter<T> {
  const { cache, handlers, catchUp, trim } = options;
  /** By key of own writes whose event has not arrived: the state that handlers received last. */
  const unheard = new Map<Key, T>();

  function changed(key: Key, known: T | undefined, found: FoundVersion): void {
    const before = unheard.get(key) ?? known;
    unheard.delete(key);
    handlers.changed(key, before, found);
    catchUp.look();
  }

  function put(object: T, found: FoundVersion): void {
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

  function remove(key: Key, found: FoundVersion): void {
    const known = cache.get(key);
    if (known === undefined) return;
    cache.delete(key);
    changed(key, known, found);
  }

  return {
    put,
    remove,
    keepOnly(listed, found) {
      for (const [key] of [...cache.entries()]) if (!listed.has(key)) remove(key, found);
    },
    remember(object) {
      const key = keyFor(object.metadata);
      const known = cache.get(key);
      if (known === undefined || !sameLife(known, object) || !newer(object, known)) return;
      if (!unheard.has(key)) unheard.set(key, known);
      cache.set(key, trim(object));
      catchUp.look();
    },
  };
}
