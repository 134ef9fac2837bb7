// Detects when a provider gains its first endpoint or loses its last one. Thousands of resources can wait for a provider
// whose pods change with every restart: only these two changes matter to them. The end of a certificate is not one: passes meet it
// themselves, and the next endpoint is then the first one.
import type { Provider } from '../crds/provider.ts';
import { type Key, keyFor } from '../kube/api.ts';
import { either, type KeyMap } from '../kube/controller.ts';
import type { Clock } from '../lib/clock.ts';
import { label } from '../store/kinds.ts';
import type { Endpoints } from './endpoints.ts';
import type { Pod } from './workloads.ts';

/** @param wake returns the keys that wait for an endpoint of a provider and must look again */
export function createEndpointChanges(
  endpoints: Pick<Endpoints, 'servedUntil'>,
  wake: (namespace: string, provider: string) => Iterable<Key>,
  clock: Pick<Clock, 'now'>,
): { ofProvider: KeyMap<Provider>; ofPod: KeyMap<Pod> } {
  /** Until when providers had an endpoint, as of the last look. */
  const served = new Map<Key, number>();

  function look(namespace: string, provider: string): Iterable<Key> {
    const key = keyFor({ namespace, name: provider });
    const now = clock.now().getTime();
    const wasServed = (served.get(key) ?? 0) > now;
    const until = endpoints.servedUntil(namespace, provider);
    if (until > now) served.set(key, until);
    else served.delete(key);
    return wasServed === until > now ? [] : wake(namespace, provider);
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
