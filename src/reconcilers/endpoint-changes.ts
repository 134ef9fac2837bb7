// Detects when a provider gains its first endpoint or loses its last one. Thousands of resources can wait for a provider
// whose pods change with every restart: only these two changes matter to them.
import type { Provider } from '../crds/provider.ts';
import { type Key, keyFor } from '../kube/api.ts';
import { either, type KeyMap } from '../kube/controller.ts';
import { label } from '../store/kinds.ts';
import type { Endpoints } from './endpoints.ts';
import type { Pod } from './workloads.ts';

export interface EndpointChanges {
  readonly ofProvider: KeyMap<Provider>;
  readonly ofPod: KeyMap<Pod>;
}

/** @param wake returns the keys that wait for an endpoint of a provider and must look again */
export function createEndpointChanges(
  endpoints: Pick<Endpoints, 'find'>,
  wake: (namespace: string, provider: string) => Iterable<Key>,
): EndpointChanges {
  /** Providers that had an endpoint at the last look. */
  const served = new Set<Key>();

  function look(namespace: string, provider: string): Iterable<Key> {
    const key = keyFor({ namespace, name: provider });
    const isServed = endpoints.find(namespace, provider) !== undefined;
    if (isServed === served.has(key)) return [];
    if (isServed) served.add(key);
    else served.delete(key);
    return wake(namespace, provider);
  }

  return {
    ofProvider: either(({ metadata, spec }) => look(metadata.namespace ?? '', spec.provider)),
    ofPod: either(({ metadata: { namespace = '', labels = {} } }) => {
      const provider = labels[label.provider];
      // Pods of builds also have the label of their provider.
      return provider === undefined || labels[label.build] !== undefined
        ? []
        : look(namespace, provider);
    }),
  };
}
