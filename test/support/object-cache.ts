// Implements the informer interface for followers and sources, over objects that a test puts and removes.
import { type ChangeHandler, type Key, type KubeObject, keyFor } from '../../src/kube/api.ts';

export function objectCache<T extends KubeObject>(...objects: readonly T[]) {
  const all = new Map<Key, T>(objects.map((object) => [keyFor(object.metadata), object]));
  const handlers = new Set<ChangeHandler<T>>();
  const changed = (key: Key, before: T | undefined) => {
    for (const handler of handlers) handler(key, before, all.get(key));
  };
  return {
    objects: all as ReadonlyMap<Key, T>,
    start: () => Promise.resolve(),
    get: (key: Key) => all.get(key),
    items: (namespace?: string) =>
      [...all.values()].filter(
        ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
      ),
    onChange(handler: ChangeHandler<T>) {
      for (const [key, object] of all) handler(key, undefined, object);
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
    put(object: T) {
      const key = keyFor(object.metadata);
      const before = all.get(key);
      all.set(key, object);
      changed(key, before);
    },
    remove(key: Key) {
      const before = all.get(key);
      if (before === undefined) return;
      all.delete(key);
      changed(key, before);
    },
  };
}
