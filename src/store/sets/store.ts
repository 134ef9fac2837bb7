// The store of sets: resources of a project that are planned, applied and pruned together. Membership is a field of each resource; a
// summary has the rest.
import type { Resource } from '../../crds/resource.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type Organization, projectIdOf, slashed } from '../../domain/identity.ts';
import type { PrunePolicy } from '../../domain/sets/prune.ts';
import { allow, type Informer, type ScopedRules } from '../../kube/api.ts';
import { inTimeSlices } from '../../lib/turns.ts';
import type { ResourceRecord } from '../records.ts';
import type { ApplyDeps } from '../resources/apply/apply.ts';
import { resourceRecord } from '../resources/state.ts';
import { type CommittedSet, commitSet, type SetCommitOptions } from './commit.ts';
import { createSetHolds, type HoldTiming } from './hold.ts';
import { planSet, type SetPlan, type SetRequest, setMembersOf } from './plan.ts';
import { findSummary, type SetId, type SetSummary, summariesIn } from './summary.ts';

/** `npm run generate` generates roles from these. */
export const setRules = {
  tenant: [allow(['get', 'list', 'create', 'update', 'delete'], '', ['configmaps'])],
} satisfies ScopedRules;

/** A set with the states of its members. */
export interface ListedSet extends SetId {
  /** Undefined for a set that nobody has applied: kubectl put its members into it. */
  readonly summary: SetSummary | undefined;
  readonly prune: PrunePolicy;
  readonly states: readonly ResourceRecord['state'][];
  /** The members that the last request did not name: `provider/resource/name`. */
  readonly unlisted: readonly string[];
}

export interface SetStore {
  /**
   * Checks a request together with what the set has, and writes nothing.
   * @param request whose members are in the project of the set
   * @throws InvalidRequest with everything that is wrong with any of them
   */
  plan(organization: Organization, request: SetRequest): Promise<SetPlan>;
  /** Writes what a plan changes. @throws FairleadError `set_busy` before anything was written */
  commit(
    organization: Organization,
    plan: SetPlan,
    options: SetCommitOptions,
  ): Promise<CommittedSet>;
  /** @throws FairleadError `set_not_found` */
  get(
    organization: Organization,
    id: SetId,
  ): Promise<ListedSet & { readonly members: readonly ResourceRecord[] }>;
  /** Counts members in the cache. @param projectId undefined: the sets of all projects */
  list(organization: Organization, projectId: string | undefined): Promise<readonly ListedSet[]>;
}

interface SetStoreDeps extends ApplyDeps {
  readonly resources: Pick<Informer<Resource>, 'items'>;
  readonly timing?: HoldTiming | undefined;
}

export function createSetStore(deps: SetStoreDeps): SetStore {
  const holds = createSetHolds(deps);
  return {
    plan: (organization, request) => planSet(deps, organization, request),
    commit: (organization, plan, options) =>
      commitSet({ ...deps, holds }, organization, plan, options),
    get: async (organization, id) => {
      const found = await findSummary(deps.client, organization.namespace, id);
      const present = await setMembersOf(deps, organization, id);
      if (found?.summary === undefined && present.size === 0) {
        throw new FairleadError('set_not_found', `Set not found: ${id.name}`);
      }
      const members = [...present.values()].map(resourceRecord);
      return { ...listedSet(id, found?.summary, members.map(countedMember)), members };
    },
    list: (organization, projectId) => setsIn(deps, organization, projectId),
  };
}

/** A member in a list, which would otherwise hold all records of an organization at once. */
interface CountedMember {
  /** `provider/resource/name`. */
  readonly ref: string;
  readonly state: ResourceRecord['state'];
}

function countedMember(record: ResourceRecord): CountedMember {
  return { ref: slashed(record), state: record.state };
}

function listedSet(
  { projectId, name }: SetId,
  summary: SetSummary | undefined,
  members: readonly CountedMember[],
): ListedSet {
  const listed = new Set(summary?.listed);
  return {
    ...{ projectId, name, summary },
    prune: summary?.prune ?? 'keep',
    states: members.map(({ state }) => state),
    unlisted: summary ? members.map(({ ref }) => ref).filter((ref) => !listed.has(ref)) : [],
  };
}

async function setsIn(
  { client, resources }: Pick<SetStoreDeps, 'client' | 'resources'>,
  { namespace }: Organization,
  projectId: string | undefined,
): Promise<readonly ListedSet[]> {
  const sets = new Map<string, SetId & { summary?: SetSummary; members: CountedMember[] }>();
  const keyed = (id: SetId) => {
    const key = JSON.stringify([id.projectId, id.name]);
    const known = sets.get(key) ?? { projectId: id.projectId, name: id.name, members: [] };
    sets.set(key, known);
    return known;
  };
  const isAsked = (id: SetId) => projectId === undefined || id.projectId === projectId;
  for await (const { object: _object, ...summary } of summariesIn(client, namespace)) {
    if (isAsked(summary)) keyed(summary).summary = summary;
  }
  await inTimeSlices(resources.items(namespace), (resource) => {
    const { metadata, spec } = resource;
    if (spec.set === undefined || metadata.deletionTimestamp !== undefined) return;
    const id = { projectId: projectIdOf(resource), name: spec.set };
    if (isAsked(id)) keyed(id).members.push(countedMember(resourceRecord(resource)));
  });
  return [...sets]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { summary, members, ...id }]) => listedSet(id, summary, members));
}
