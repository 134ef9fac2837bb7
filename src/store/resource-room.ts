// Whether an organization may have one more Resource object. Counted in the cache, which lags by what is under way: the limit
// keeps the storage from being filled by one organization, and is passed by a few when many are created at once.
import type { Organization as StoredOrganization } from '../crds/organization.ts';
import type { Resource } from '../crds/resource.ts';
import type { FairleadError } from '../domain/errors.ts';
import type { Organization } from '../domain/identity.ts';
import { type Limits, limitsOf } from '../domain/limits.ts';
import type { Informer } from '../kube/api.ts';
import { limitReached } from './errors.ts';

export interface ResourceRoom {
  /** @returns what a create is to be refused with; undefined while there is room */
  refusal(organization: Organization): FairleadError | undefined;
}

interface ResourceRoomDeps {
  readonly resources: Pick<Informer<Resource>, 'count'>;
  readonly organizations: Pick<Informer<StoredOrganization>, 'get'>;
  /** Of every organization whose object does not say otherwise. */
  readonly limits: Limits;
}

export function createResourceRoom(deps: ResourceRoomDeps): ResourceRoom {
  return {
    refusal({ namespace }) {
      const own = deps.organizations.get(namespace)?.spec.limits;
      const { resources: most } = limitsOf(own, deps.limits);
      return deps.resources.count(namespace) < most ? undefined : limitReached(`${most}`);
    },
  };
}
