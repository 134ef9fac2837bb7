// Who is in which state, per organization: follows the cache of Resources change by change, so that looking costs nothing
// per resource. What it counts is to equal what the API server counts; conservation.ts compares.
import type { Resource } from '../crds/resource.ts';
import type { StoredState } from '../domain/lifecycle.ts';
import { createTally, type Tally } from '../domain/tally.ts';
import type { Informer } from '../kube/api.ts';
import { stateOf } from '../store/resources/state.ts';

export type ResourceStates = Omit<Tally<StoredState>, 'set' | 'delete'>;

/** @returns counts by state, of groups that are organizations' namespaces */
export function createResourceStates(
  resources: Pick<Informer<Resource>, 'onChange'>,
): ResourceStates {
  const tally = createTally<StoredState>();
  resources.onChange((key, _before, resource) => {
    if (resource === undefined) tally.delete(key);
    else tally.set(key, resource.metadata.namespace ?? '', stateOf(resource));
  });
  return tally;
}
