// A view of an informer that covers some namespaces: several controllers of one process share the cache and the watch.
import type { Informer, Key, KubeObject } from '../api.ts';
import { refOf } from '../api.ts';

/**
 * @param owns decides by namespace, and for cluster-scoped objects by name
 * @returns an informer whose handlers and whole lists cover only those objects; other reads are those of the whole cache
 */
export function partialInformer<T extends KubeObject>(
  informer: Informer<T>,
  owns: (namespace: string) => boolean,
): Informer<T> {
  const ownsKey = (key: Key) => {
    const { namespace, name } = refOf(key);
    return owns(namespace ?? name);
  };
  function* items(namespace?: string): Iterable<T> {
    for (const object of informer.items(namespace)) {
      const { namespace: within, name } = object.metadata;
      if (namespace !== undefined || owns(within ?? name)) yield object;
    }
  }
  const overridden: Pick<Informer<T>, 'items' | 'onChange'> = {
    items,
    onChange: (handler) =>
      informer.onChange((key, ...change) => {
        if (ownsKey(key)) handler(key, ...change);
      }),
  };
  // Its other properties are getters, which a spread would read only once.
  return Object.assign(Object.create(informer) as Informer<T>, overridden);
}
