// Tracks the size of the resources of each namespace from the cache, as JSON with config, outputs and all the rest.
import type { Resource } from '../../crds/resource.ts';
import { type Informer, type Key, refOf } from '../../kube/api.ts';

export interface ResourceSizes {
  /** Characters of all resources of a namespace. */
  ofNamespace(namespace: string): number;
  /** Characters of one cached resource; 0 when it is not cached. */
  ofResource(key: Key): number;
}

export function createResourceSizes(
  resources: Pick<Informer<Resource>, 'onChange'>,
): ResourceSizes {
  const sizes = new Map<Key, number>();
  const sums = new Map<string, number>();

  resources.onChange((key, _before, after) => {
    const { namespace = '' } = refOf(key);
    const size = after === undefined ? 0 : sizeOf(after);
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

export function sizeOf(resource: Resource): number {
  return JSON.stringify(resource).length;
}
