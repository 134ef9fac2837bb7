// Tracks the size of the resources of each namespace from the cache, in bytes of JSON as etcd stores it, with config, outputs
// and all the rest but managed fields.
import type { Resource } from '../../../crds/resource.ts';
import { storedBytes } from '../../../domain/stored-size.ts';
import { type Informer, type Key, refOf } from '../../../kube/api.ts';

export interface ResourceSizes {
  /** Bytes of all resources of a namespace. */
  ofNamespace(namespace: string): number;
  /** Bytes of one cached resource; 0 when it is not cached. */
  ofResource(key: Key): number;
}

export function createResourceSizes(
  resources: Pick<Informer<Resource>, 'onChange'>,
): ResourceSizes {
  const sizes = new Map<Key, number>();
  const sums = new Map<string, number>();

  resources.onChange((key, _before, after) => {
    const { namespace = '' } = refOf(key);
    const size = after === undefined ? 0 : storedBytes(after);
    const sum = (sums.get(namespace) ?? 0) + size - (sizes.get(key) ?? 0);
    if (size === 0) sizes.delete(key);
    else sizes.set(key, size);
    if (sum === 0) sums.delete(namespace);
    else sums.set(namespace, sum);
  });

  return {
    ofNamespace: (namespace) => sums.get(namespace) ?? 0,
    ofResource: (key) => sizes.get(key) ?? 0,
  };
}
