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
import type { AdoptIndex, Importer } from './adopt-index.ts';
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
  /** @returns the resource of a type that imported an object, or else the one with its name; as old as the cache */
  managerOf(
    organization: Organization,
    listed: ManagedListing & Omit<ResourceTuple, 'name'>,
  ): Manager | undefined;
  /**
   * @throws FairleadError `object_taken` when another resource stands for the object of an import, `object_not_found`
   * when the caller may not see that resource
   */
  requireUntaken(organization: Organization, sought: Sought): Promise<void>;
}

interface ManagedObjectsDeps extends TakenDeps {
  readonly adopted: Pick<AdoptIndex, 'importersOf' | 'draftOf'>;
  readonly dependencies: Pick<DependencyIndex, 'projectIdOf'>;
  /** The cached object, which may be old. */
  readonly known: (ref: ObjectRef) => Resource | undefined;
}

export function createManagedObjects(deps: ManagedObjectsDeps): ManagedObjects {
  return {
    managerOf({ namespace }, { adopt, name, provider, resource }) {
      const adopted = { namespace, provider, resource, adopt };
      const importers = deps.adopted.importersOf(adopted);
      const importer =
        importers.length > 0 ? firstManager(importers, deps) : deps.adopted.draftOf(adopted);
      if (importer !== undefined || name === undefined) return importer;
      return namesake(deps, namespace, { provider, resource, name });
    },
    requireUntaken: (organization, sought) => requireUntaken(deps, organization, sought),
  };
}

function firstManager(
  importers: readonly Importer[],
  { known }: ManagedObjectsDeps,
): Manager | undefined {
  if (importers.length === 1) return importers[0];
  const cached = importers.flatMap(({ key }) => known(refOf(key)) ?? []);
  const [first] = cached.sort(byPrecedence);
  return first === undefined ? importers[0] : { ...first.spec, projectId: projectIdOf(first) };
}

function namesake(
  { dependencies, known }: ManagedObjectsDeps,
  namespace: string,
  tuple: ResourceTuple,
): Manager | undefined {
  const key: Key = resourceKeyOf(namespace, tuple);
  const projectId = dependencies.projectIdOf(key);
  const cached = known(refOf(key))?.spec;
  // Two tuples may share one Kubernetes object.
  const isOther = cached !== undefined && slashed(cached) !== slashed(tuple);
  return projectId === undefined || isOther ? undefined : { ...tuple, projectId };
}
