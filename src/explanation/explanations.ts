// Explains why resources are not ready. The explained resource is read from the API server, the others from the cache.

import { Reason } from '../crds/conditions.ts';
import type { Resource } from '../crds/resource.ts';
import { type Organization, type ResourceAddress, slashed } from '../domain/identity.ts';
import type { Dependency, LifecycleState } from '../domain/lifecycle.ts';
import { type Informer, type KubeClient, keyFor } from '../kube/api.ts';
import type { Clock } from '../lib/clock.ts';
import type { GetOptions } from '../store/interfaces.ts';
import { createKeyedSemaphore } from '../store/keyed-semaphore.ts';
import { forEachConcurrently } from '../store/parallel.ts';
import type { ProjectScope } from '../store/records.ts';
import type { DependencyIndex } from '../store/resources/dependencies/dependency-index.ts';
import {
  findDependency,
  unreadyDependency,
  unreadyStates,
} from '../store/resources/dependencies/unready-dependency.ts';
import { find, isInScope, isVisible, resourceNotFound } from '../store/resources/lookup.ts';
import { resourceReason, resourceState, shownState } from '../store/resources/state.ts';
import { driftOf, ofDriftedGroup } from './drift.ts';
import { type Asking, explain } from './explain.ts';
import type { CauseGroup, ChainPath, Explanation, Step } from './facts.ts';
import { type Group, groupsOf } from './groups.ts';
import type { Rights } from './next-steps/rights.ts';
import { deliveryOf, type ObserveDeps, observe } from './observe.ts';
import { paceIn } from './pace.ts';

interface ExplanationFilter {
  /** Project of a confined caller. */
  readonly confinedTo: ProjectScope;
  readonly projectId?: ProjectScope;
  readonly state?: LifecycleState | undefined;
  readonly provider?: string | undefined;
  readonly set?: string | undefined;
  /** Includes resources that are being deleted. */
  readonly deleting?: boolean | undefined;
}

export interface Explanations {
  /** @throws FairleadError `resource_not_found` */
  explain(
    organization: Organization,
    address: ResourceAddress,
    options: GetOptions & { readonly rights: Rights },
  ): Promise<Explanation>;
  /** Groups resources that are neither ready nor drafts, and ready ones that have drifted, by their deepest cause, the largest group first; at most fifty. */
  groups(
    organization: Organization,
    filter: ExplanationFilter,
    rights: Rights,
  ): Promise<readonly CauseGroup[]>;
}

interface ExplanationsDeps extends Omit<ObserveDeps, 'now'> {
  readonly client: KubeClient;
  readonly clock: Pick<Clock, 'now'>;
  readonly resources: Pick<Informer<Resource>, 'get' | 'items'>;
  readonly dependencies: Pick<DependencyIndex, 'usersOf' | 'dependenciesOf' | 'note'>;
}

const maxGroups = 50;
const atATime = 4;

export function createExplanations(given: ExplanationsDeps): Explanations {
  const deps = { ...given, now: () => given.clock.now() };
  const groupings = createKeyedSemaphore(1);
  const finder = () =>
    pathFinder({
      resources: deps.resources,
      dependenciesOf: ({ metadata }) => deps.dependencies.dependenciesOf(keyFor(metadata)),
    });
  return {
    explain: async (organization, address, options) => {
      const found = await find(deps.client, organization, address);
      if (found === undefined || !isVisible(found, options)) throw resourceNotFound(address);
      deps.dependencies.note(found);
      const facts = await observe(finder()(found), options.scope !== undefined, deps);
      return explain(facts, { now: deps.clock.now(), rights: options.rights });
    },
    groups: (organization, filter, rights) =>
      groupings.run(organization.namespace, async () => {
        const now = deps.clock.now();
        const pace = paceIn(deps.resources.items(organization.namespace), now);
        const confined = filter.confinedTo !== undefined;
        const groups = await groupsOf(troubled(deps, organization, filter), {
          pathOf: finder(),
          deliveryOf: (resource) => deliveryOf(resource, deps, { pace, confined }),
          maxAttempts: deps.maxAttempts,
          now,
        });
        return await explainedGroups(deps, groups.slice(0, maxGroups), { confined, now, rights });
      }),
  };
}

function* troubled(
  { resources }: ExplanationsDeps,
  { namespace }: Organization,
  filter: ExplanationFilter,
): Iterable<Resource> {
  const { state, deleting = false } = filter;
  // A copy: the cache changes while the groups are computed in slices.
  for (const resource of [...resources.items(namespace)]) {
    const shown = shownState(resource);
    const isTroubled = state === undefined ? isInTrouble(resource, shown) : shown === state;
    if (!isTroubled || !fitsPlace(resource, filter)) continue;
    if (deleting || resourceState(resource) !== 'deleting') yield resource;
  }
}

/** Returns whether a resource is of the provider, of the set and in the project of a filter. */
function fitsPlace(
  resource: Resource,
  { confinedTo, projectId, provider, set }: ExplanationFilter,
): boolean {
  const { spec } = resource;
  if (provider !== undefined && spec.provider !== provider) return false;
  if (set !== undefined && spec.set !== set) return false;
  return isInScope(resource, confinedTo ?? projectId);
}

function isInTrouble(resource: Resource, shown: LifecycleState): boolean {
  if (shown === 'ready') return driftOf(resource) !== undefined;
  return shown !== 'draft';
}

async function explainedGroups(
  deps: ObserveDeps,
  groups: readonly Group[],
  { confined, ...asking }: Asking & { readonly confined: boolean },
): Promise<readonly CauseGroup[]> {
  const found = new Map<Group, CauseGroup>();
  await forEachConcurrently(groups, atATime, async (group) => {
    const facts = await observe(group.path, confined, deps);
    const explanation = explain(facts, asking);
    const { deadLetter, next } = explanation;
    const { count, names } = group;
    const resources = names.sort();
    const { summary, cause } = ofDriftedGroup(group, explanation) ?? ofGroup(explanation);
    if (cause !== undefined) {
      found.set(group, { summary, cause, count, resources, deadLetter, next });
    }
  });
  return groups.flatMap((group) => found.get(group) ?? []);
}

function ofGroup({ summary, chain: [cause] }: Explanation) {
  return { summary, cause };
}

// Follows a resource to the resource that it waits for in the end, through its worst dependency each time. Reads caches.

interface PathDeps {
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
    const step = { resource, waitsFor: worstDependency(resource, deps) };
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
function worstDependency(resource: Resource, deps: PathDeps): Step['waitsFor'] {
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
