// A dependency that is not ready, and why: whether it exists, in which project, and whether it is ready. Reads caches.
import { Reason } from '../../../crds/conditions.ts';
import type { Resource } from '../../../crds/resource.ts';
import { keyOf, objectNameOf, projectIdOf, slashed } from '../../../domain/identity.ts';
import type { Dependency } from '../../../domain/lifecycle.ts';
import { type Informer, keyFor } from '../../../kube/api.ts';
import { replacementDue, resourceState } from '../state.ts';

/** From those that never become ready to those that will. */
export const unreadyStates = ['otherProject', 'missing', 'failed', 'draft', 'coming'] as const;

/** Why a resource waits for a dependency. */
export const reasonWhile = {
  otherProject: Reason.DependencyInOtherProject,
  missing: Reason.DependencyMissing,
  failed: Reason.DependencyFailed,
  draft: Reason.DependencyDraft,
  coming: Reason.DependenciesNotReady,
} as const satisfies Record<(typeof unreadyStates)[number], Reason>;

export interface Unready {
  /** `provider/resource/name`. */
  readonly name: string;
  readonly is: (typeof unreadyStates)[number];
  /** Its old object is deleted once no object of its users is left. */
  readonly isToReplace?: true;
}

type Dependent = Pick<Resource, 'metadata' | 'spec'>;

/** @returns the resource that a dependency names, in the namespace of its user */
export function findDependency(
  dependent: Dependent,
  dependency: Dependency,
  resources: Pick<Informer<Resource>, 'get'>,
): { resource: Resource | undefined; sameProject: boolean } {
  const { namespace } = dependent.metadata;
  const name = objectNameOf(keyOf(dependency));
  const found = resources.get(keyFor({ namespace, name }));
  if (found === undefined || slashed(found.spec) !== slashed(dependency)) {
    return { resource: undefined, sameProject: false };
  }
  return { resource: found, sameProject: projectIdOf(found) === projectIdOf(dependent) };
}

/** @returns undefined when it is ready */
export function unreadyDependency(
  dependent: Dependent,
  dependency: Dependency,
  resources: Pick<Informer<Resource>, 'get'>,
): Unready | undefined {
  const name = slashed(dependency);
  const { resource, sameProject } = findDependency(dependent, dependency, resources);
  if (resource === undefined) return { name, is: 'missing' };
  if (!sameProject) return { name, is: 'otherProject' };
  const state = resourceState(resource);
  if (state === 'ready') return undefined;
  const is = state === 'failed' || state === 'draft' ? state : 'coming';
  return replacementDue(resource) === undefined ? { name, is } : { name, is, isToReplace: true };
}
