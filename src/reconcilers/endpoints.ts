// Which URL takes the events of a provider: where an administrator says it runs elsewhere.
import type { Provider } from '../crds/provider.ts';
import { endpointProblem } from '../events/endpoint-url.ts';
import { type Informer, keyFor } from '../kube/api.ts';

export interface Endpoints {
  find(namespace: string, provider: string): string | undefined;
}

export function createEndpoints(providers: Pick<Informer<Provider>, 'get'>): Endpoints {
  return {
    find(namespace, provider) {
      const found = providers.get(keyFor({ namespace, name: provider }));
      const endpoint = found?.spec.endpoint;
      if (endpoint === undefined || found?.spec.provider !== provider) return undefined;
      return endpointProblem(endpoint) === undefined ? endpoint : undefined;
    },
  };
}
