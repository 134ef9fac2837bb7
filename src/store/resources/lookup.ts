// Reads one Resource by its client address from the API server and checks the scope.
import type { Resource } from '../../crds/resource.ts';
import { FairleadError } from '../../domain/errors.ts';
import {
  keyOf,
  type Organization,
  objectNameOf,
  projectIdOf,
  type ResourceAddress,
  slashed,
} from '../../domain/identity.ts';
import type { KubeClient } from '../../kube/api.ts';
import type { GetOptions } from '../interfaces.ts';
import { kinds } from '../kinds.ts';
import { read } from '../put.ts';
import type { ProjectScope } from '../records.ts';
import { resourceState } from './state.ts';

export function resourceNotFound({ text }: ResourceAddress): FairleadError {
  return new FairleadError('resource_not_found', `Resource not found: ${text}`);
}

export function isInScope(resource: Resource, scope: ProjectScope): boolean {
  return scope === undefined || projectIdOf(resource) === scope;
}

export function isVisible(resource: Resource, { scope, deleting = false }: GetOptions): boolean {
  return (deleting || resourceState(resource) !== 'deleting') && isInScope(resource, scope);
}

/** @returns the object at an address; undefined when there is none, or when another tuple holds the same key. */
export async function find(
  client: KubeClient,
  { namespace }: Organization,
  { key, tuple }: ResourceAddress,
): Promise<Resource | undefined> {
  const found = await read<Resource>(client, kinds.resource, {
    namespace,
    name: objectNameOf(key),
  });
  if (found === undefined || keyOf(found.spec) !== key) return undefined;
  return tuple === undefined || slashed(found.spec) === slashed(tuple) ? found : undefined;
}
