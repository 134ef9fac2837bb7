// Finds the resource that stands for an object of a provider.
import type { Resource } from '../../../crds/resource.ts';
import {
  type Organization,
  projectIdOf,
  type ResourceTuple,
  slashed,
} from '../../../domain/identity.ts';
import { type Key, type ObjectRef, refOf } from '../../../kube/api.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { type DependencyIndex, resourceKeyOf } from '../dependencies/dependency-index.ts';
import type { Claimant, IdentityIndex } from './identity-index.ts';
import { byPrecedence } from './precedence.ts';
import { requireUntaken, type Sought, type TakenDeps } from './taken.ts';

interface ManagedListing {
  readonly adopt: JsonObject;
  readonly name: string | undefined;
}

export interface Manager extends ResourceTuple {
  readonly projectId: string;
}

export interface ManagedObjects {
  /** @returns the resource of a type that stands for an object, or else the one with its name; as old as the cache */
  managerOf(
    organization: Organization,
    listed: ManagedListing & Omit<ResourceTuple, 'name'>,
  ): Manager | undefined;
  /**
   * @throws FairleadError `object_taken` when another resource stands for the object, `object_not_found`
   * when the caller may not see that resource
   */
  requireUntaken(organization: Organization, sought: Sought): Promise<void>;
}

interface ManagedObjectsDeps extends TakenDeps {
  readonly claimants: Pick<
    IdentityIndex,
    'of' | 'ofAdopt' | 'ofOutputs' | 'claimantsOf' | 'draftOf' | 'othersLike'
  >;
  readonly dependencies: Pick<DependencyIndex, 'projectIdOf'>;
  /** The cached object, which may be old. */
  readonly known: (ref: ObjectRef) => Resource | undefined;
}

export function createManagedObjects(deps: ManagedObjectsDeps): ManagedObjects {
  return {
    managerOf({ namespace }, { adopt, name, provider, resource }) {
      const type = { namespace, provider, resource };
      const identity = deps.claimants.ofAdopt(type, adopt);
      const found = deps.claimants.claimantsOf(type, identity);
      const manager =
        found.length > 0 ? firstManager(found, deps) : deps.claimants.draftOf(type, identity);
      if (manager !== undefined || name === undefined) return manager;
      return namesake(deps, namespace, { provider, resource, name });
    },
    requireUntaken: (organization, sought) => requireUntaken(deps, organization, sought),
  };
}

function firstManager(
  claimants: readonly Claimant[],
  { known }: ManagedObjectsDeps,
): Manager | undefined {
  if (claimants.length === 1) return claimants[0];
  const cached = claimants.flatMap(({ key }) => known(refOf(key)) ?? []);
  const [first] = cached.sort(byPrecedence);
  return first === undefined ? claimants[0] : { ...first.spec, projectId: projectIdOf(first) };
}

/** Its CREATE may be under way, so that its object is there before its outputs. */
function namesake(
  { claimants, dependencies, known }: ManagedObjectsDeps,
  namespace: string,
  tuple: ResourceTuple,
): Manager | undefined {
  const key: Key = resourceKeyOf(namespace, tuple);
  const projectId = dependencies.projectIdOf(key);
  const cached = known(refOf(key));
  // Two tuples may share one Kubernetes object.
  const isOther = cached !== undefined && slashed(cached.spec) !== slashed(tuple);
  const hasAnother = cached?.status?.identity !== undefined && claimants.of(cached) !== undefined;
  return projectId === undefined || isOther || hasAnother ? undefined : { ...tuple, projectId };
}
