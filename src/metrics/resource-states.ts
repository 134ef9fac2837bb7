// Counts resources by state per organization from cache changes, so that a read costs nothing per resource. unaccounted.ts
// compares the counts with those of the API server.
import type { Resource } from '../crds/resource.ts';
import type { StoredState } from '../domain/lifecycle.ts';
import type { Informer } from '../kube/api.ts';
import { createTally, type Tally } from '../lib/tally.ts';
import { resourceState } from '../store/resources/state.ts';

export type ResourceStates = Omit<Tally<StoredState>, 'set' | 'delete'>;

/** @returns counts by state; groups are namespaces of organizations */
export function createResourceStates(
  resources: Pick<Informer<Resource>, 'onChange'>,
): ResourceStates {
  const tally = createTally<StoredState>();
  resources.onChange((key, _before, resource) => {
    if (resource === undefined) tally.delete(key);
    else tally.set(key, resource.metadata.namespace ?? '', resourceState(resource));
  });
  return tally;
}
