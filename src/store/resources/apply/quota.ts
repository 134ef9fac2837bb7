// Checks the quota of an organization: number of Resource objects, and their size, which every replica holds in memory.
// Counts in the cache, which lags: the limits keep one organization from filling memory and storage, and concurrent creates
// can exceed them slightly.
import type { Organization as StoredOrganization } from '../../../crds/organization.ts';
import type { Resource } from '../../../crds/resource.ts';
import type { FairleadError } from '../../../domain/errors.ts';
import type { Organization } from '../../../domain/identity.ts';
import { type Limits, limitsOf, quantityBytes } from '../../../domain/limits.ts';
import { storedBytes } from '../../../domain/stored-size.ts';
import { type Informer, keyFor } from '../../../kube/api.ts';
import { limitReached } from '../../errors.ts';
import type { ResourceSizes } from './sizes.ts';

export interface ResourceQuota {
  /** @returns the error for one more resource, however small it is; undefined while the quota allows one */
  refusal(organization: Organization): FairleadError | undefined;
  /** @returns what writes of one request add to the usage together */
  growthOf(objects: readonly Resource[]): QuotaAmounts;
  /** @returns the error for writes whose growth the quota has no room for */
  refusalOf(organization: Organization, growth: QuotaAmounts): FairleadError | undefined;
  /** @returns the limit, such as `128Mi`, when a namespace has reached it */
  fullAt(namespace: string): string | undefined;
  usage(organization: Organization): QuotaUsage;
  /** All limits of an organization. */
  limitsOf(organization: Organization): Limits;
}

interface QuotaAmounts {
  readonly resources: number;
  readonly resourceBytes: number;
}

interface QuotaUsage {
  readonly limits: QuotaAmounts;
  readonly usage: QuotaAmounts;
}

interface ResourceQuotaDeps {
  readonly resources: Pick<Informer<Resource>, 'count'>;
  readonly organizations: Pick<Informer<StoredOrganization>, 'get'>;
  readonly sizes: ResourceSizes;
  /** Defaults for organizations whose object sets none. */
  readonly limits: Limits;
}

export function createResourceQuota(deps: ResourceQuotaDeps): ResourceQuota {
  const { resources, organizations, sizes } = deps;
  const limitsIn = (namespace: string) =>
    limitsOf(organizations.get(namespace)?.spec.limits, deps.limits);

  /** @param more number of bytes to add */
  function noRoom(namespace: string, more: number): FairleadError | undefined {
    const { resourceBytes } = limitsIn(namespace);
    if (sizes.ofNamespace(namespace) + more <= quantityBytes(resourceBytes)) return undefined;
    return limitReached(`${resourceBytes} for all resources together`, 'resourceBytes');
  }

  /** @param count number of resources to add */
  function noPlaces(namespace: string, count: number): FairleadError | undefined {
    const { resources: max } = limitsIn(namespace);
    if (resources.count(namespace) + count <= max) return undefined;
    return limitReached(`${max} resources`, 'resources');
  }

  return {
    refusal: ({ namespace }) => noPlaces(namespace, 1) ?? noRoom(namespace, 1),
    growthOf(objects) {
      const isNew = ({ metadata }: Resource) => metadata.resourceVersion === undefined;
      let resourceBytes = 0;
      for (const object of objects) {
        resourceBytes += storedBytes(object) - sizes.ofResource(keyFor(object.metadata));
      }
      return { resources: objects.filter(isNew).length, resourceBytes };
    },
    refusalOf({ namespace }, { resources: more, resourceBytes }) {
      const refused = more > 0 ? noPlaces(namespace, more) : undefined;
      return refused ?? (resourceBytes > 0 ? noRoom(namespace, resourceBytes) : undefined);
    },
    usage({ namespace }) {
      const { resources: max, resourceBytes } = limitsIn(namespace);
      return {
        limits: { resources: max, resourceBytes: quantityBytes(resourceBytes) },
        usage: {
          resources: resources.count(namespace),
          resourceBytes: sizes.ofNamespace(namespace),
        },
      };
    },
    limitsOf: ({ namespace }) => limitsIn(namespace),
    fullAt(namespace) {
      const { resourceBytes } = limitsIn(namespace);
      return sizes.ofNamespace(namespace) < quantityBytes(resourceBytes)
        ? undefined
        : resourceBytes;
    },
  };
}
