// The outputs and resources that the content of an apply uses, and their present state. Reads caches.
import type { Resource } from '../../../crds/resource.ts';
import { slashed } from '../../../domain/identity.ts';
import { type Dependency, Lifecycle } from '../../../domain/lifecycle.ts';
import { dependenciesOf } from '../../../domain/references/references.ts';
import { type Key, keyFor, refOf } from '../../../kube/api.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Uses } from '../../interfaces.ts';
import { findDependency } from './unready-dependency.ts';

export interface UsesDeps {
  /** The cached object, which may be old. */
  readonly known: (ref: { namespace: string; name: string }) => Resource | undefined;
  /** The resources that the same request writes. */
  readonly planned?: ReadonlyMap<Key, Resource> | undefined;
}

export function usesOf(
  { known, planned }: UsesDeps,
  namespace: string,
  { spec, existing }: { readonly spec: Resource['spec']; readonly existing: Resource | undefined },
): Omit<Uses, 'typeVersion'> {
  const find = findUsed({ known, planned }, namespace, spec);
  const isCommitted = existing?.spec.lifecycle === Lifecycle.Committed;
  const before = new Set(isCommitted ? dependenciesIn(existing.spec).map(slashed) : []);
  return {
    config: spec.config as JsonObject,
    dependencies: spec.dependencies ?? [],
    isExpected: (dependency) => before.has(slashed(dependency)) || find(dependency) !== undefined,
    outputsOf: (dependency) => find(dependency)?.status?.outputs as JsonObject | undefined,
  };
}

/** @returns what finds the resources of the same project that a content uses */
export function findUsed(
  { known, planned }: UsesDeps,
  namespace: string,
  spec: Resource['spec'],
): (dependency: Dependency) => Resource | undefined {
  const get = (key: Key) => {
    const ref = { ...refOf(key), namespace };
    return known(ref) ?? planned?.get(keyFor(ref));
  };
  return (dependency) => {
    const dependent = { metadata: { name: '', namespace }, spec };
    const { resource, sameProject } = findDependency(dependent, dependency, { get });
    return sameProject ? resource : undefined;
  };
}

export function dependenciesIn({ dependencies, config }: Resource['spec']): readonly Dependency[] {
  return dependenciesOf({ dependencies, config: config as JsonObject });
}
