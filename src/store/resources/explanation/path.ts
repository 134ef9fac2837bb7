// Follows a resource to the resource that it waits for in the end, through its worst dependency each time. Reads caches.
import { Reason } from '../../../crds/conditions.ts';
import type { Resource } from '../../../crds/resource.ts';
import { slashed } from '../../../domain/identity.ts';
import type { Dependency } from '../../../domain/lifecycle.ts';
import type { Informer } from '../../../kube/api.ts';
import {
  findDependency,
  unreadyDependency,
  unreadyStates,
} from '../dependencies/unready-dependency.ts';
import { resourceReason, resourceState } from '../state.ts';
import type { ChainPath, Step } from './facts.ts';

export interface PathDeps {
  readonly resources: Pick<Informer<Resource>, 'get'>;
  /** Declared or by reference. */
  readonly dependenciesOf: (resource: Resource) => readonly Dependency[];
}

/** The path ends there, and at a cycle. */
export const maxSteps = 64;

/** Other reasons of a pending resource are decided before its dependencies are looked at. */
const waitsForDependencies: ReadonlySet<string> = new Set<Reason>([
  Reason.Queued,
  Reason.DependenciesNotReady,
  Reason.DependencyMissing,
  Reason.DependencyFailed,
  Reason.DependencyDraft,
  Reason.DependencyInOtherProject,
]);

/** @returns a function from a resource to its path; it reads each resource once, however many paths cross it */
export function pathFinder(deps: PathDeps): (start: Resource) => ChainPath {
  const steps = new Map<Resource, Step>();
  function stepOf(resource: Resource): Step {
    const known = steps.get(resource);
    if (known !== undefined) return known;
    const step = { resource, waitsFor: worstOf(resource, deps) };
    steps.set(resource, step);
    return step;
  }
  return (start) => {
    const path: [Step, ...Step[]] = [stepOf(start)];
    const seen = new Set([slashed(start.spec)]);
    for (let next = deeper(path[0], deps); path.length < maxSteps && next !== undefined; ) {
      const name = slashed(next.spec);
      if (seen.has(name)) break;
      seen.add(name);
      const step = stepOf(next);
      path.push(step);
      next = deeper(step, deps);
    }
    return path;
  };
}

/** Resources of other projects are not visible, so the path ends there. */
function deeper({ resource, waitsFor }: Step, { resources }: PathDeps): Resource | undefined {
  if (waitsFor === undefined || waitsFor.is === 'otherProject') return undefined;
  return findDependency(resource, waitsFor.dependency, resources).resource;
}

/** @returns the dependency that is least likely to become ready; undefined when the resource waits for none */
function worstOf(resource: Resource, deps: PathDeps): Step['waitsFor'] {
  const state = resourceState(resource);
  if (state !== 'pending' || !waitsForDependencies.has(resourceReason(resource, state)))
    return undefined;
  const unready = deps.dependenciesOf(resource).flatMap((dependency) => {
    const found = unreadyDependency(resource, dependency, deps.resources);
    return found === undefined ? [] : [{ ...found, dependency }];
  });
  const rank = ({ is }: (typeof unready)[number]) => unreadyStates.indexOf(is);
  return unready.sort((left, right) => rank(left) - rank(right))[0];
}
