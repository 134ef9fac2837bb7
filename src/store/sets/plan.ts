// Plans a set: its members are those that the request names, and those that are members already. They are read from the API server.
import type { Resource } from '../../crds/resource.ts';
import { InvalidRequest } from '../../domain/errors.ts';
import { type Organization, projectIdOf, slashed } from '../../domain/identity.ts';
import {
  decidePrune,
  type PruneDecision,
  type PrunePolicy,
  whyPlanIsRequired,
} from '../../domain/sets/prune.ts';
import type { KubeClient } from '../../kube/api.ts';
import { fieldSelector } from '../../kube/names.ts';
import { kinds } from '../kinds.ts';
import { pagesOf } from '../pages.ts';
import { forEachConcurrently } from '../parallel.ts';
import { firstLook } from '../resources/apply/apply.ts';
import { requireExistingProject } from '../resources/apply/apply-checks.ts';
import { refFor } from '../resources/apply/prepare.ts';
import type { BatchMember } from '../resources/batch/member.ts';
import {
  type BatchOptions,
  type BatchPlan,
  type MemberRead,
  type PlanDeps,
  planAmong,
} from '../resources/batch/plan.ts';
import { atOnce } from '../resources/batch/read-once.ts';
import { readResource, withKnownSpec } from '../resources/known-spec.ts';
import { whyProjectRequiresPlan } from '../resources/plan-required.ts';
import { leavingMember, removalRefusals, unlistedMember } from './prune.ts';
import { type FoundSet, findSummary, type SetId } from './summary.ts';

export interface SetRequest extends Omit<BatchOptions, 'set'> {
  readonly id: SetId;
  readonly members: readonly BatchMember[];
  /** Resources that may be members of another set: `provider/resource/name`. */
  readonly takes: ReadonlySet<string>;
  /** Undefined: as the set has it. */
  readonly prune: PrunePolicy | undefined;
  /** Whether the set itself goes; its members then fare as `prune` says. */
  readonly isDeletion: boolean;
  readonly hasPlan: boolean;
}

export interface SetPlan {
  readonly id: SetId;
  readonly found: FoundSet | undefined;
  readonly isDeletion: boolean;
  readonly prune: Omit<PruneDecision, 'isLessCareful'>;
  /** The members that the request names, then the others. */
  readonly batch: BatchPlan;
  /** Number of those that it names. */
  readonly listed: number;
  /** Why an approved plan is required: a clause about the request. */
  readonly whyApproved: string | undefined;
}

export async function planSet(
  deps: PlanDeps,
  organization: Organization,
  { id, members, takes, prune: asked, isDeletion, hasPlan, ...options }: SetRequest,
): Promise<SetPlan> {
  requireTaken(members, takes);
  if (members.length === 0 && !isDeletion) {
    const { projectId: project } = id;
    await requireExistingProject(deps, {
      organization,
      project,
      asked: project,
      existing: undefined,
    });
  }
  // First: the writes of the request are decided on the version of the summary that was stored before the members were read.
  const found = await findSummary(deps.client, organization.namespace, id);
  const present = await setMembersOf(deps, organization, id);
  const read: MemberRead[] = [];
  await forEachConcurrently(members.entries(), atOnce, async ([index, member]) => {
    const { wanted } = member;
    const ref = refFor(organization, wanted);
    // One that no cache knows is most likely new, and its creation decides.
    const look = () =>
      options.isPreview ? readResource(deps, ref) : firstLook(deps, organization, ref);
    const existing = present.get(slashed(wanted.tuple)) ?? (await look());
    read[index] = { member: ofSet(member, id.name), existing };
  });
  const named = new Set(members.map(({ wanted }) => slashed(wanted.tuple)));
  const beside = [...present].filter(([name]) => !named.has(name)).map(([, each]) => each);
  const stored = found?.summary?.prune;
  const { isLessCareful, ...prune } = decidePrune({ stored, asked, hasPlan, isDeletion });
  const { policy } = prune;
  const leaving = policy === 'leave' ? beside : [];
  const removed = policy === 'orphan' || policy === 'delete' ? beside : [];
  const all = [
    ...read,
    ...leaving.map((existing) => ({ existing, member: leavingMember(existing) })),
  ];
  const batch = await planAmong(deps, organization, {
    all,
    options: { ...options, set: { name: id.name, takes } },
    others: policy === 'leave' ? [] : beside.map((existing) => unlistedMember(existing, policy)),
    refusedBeside: (planned) => {
      const loc = isDeletion ? ['query', 'resources'] : ['body', 'prune'];
      return removalRefusals(deps, organization, { removed, planned, loc });
    },
  });
  const removal = { listed: members.length, members: present.size, isLessCareful };
  return {
    ...{ id, found, isDeletion, prune, batch, listed: members.length },
    whyApproved:
      (await whyProjectRequiresPlan(deps, organization, [id.projectId])) ??
      (isDeletion
        ? undefined
        : whyPlanIsRequired({ ...removal, removed: leaving.length + removed.length })),
  };
}

/** @throws InvalidRequest for a resource that is taken and not named */
function requireTaken(members: readonly BatchMember[], takes: ReadonlySet<string>): void {
  const named = new Set(members.map(({ wanted }) => slashed(wanted.tuple)));
  const unknown = [...takes].filter((name) => !named.has(name));
  if (unknown.length === 0) return;
  throw new InvalidRequest(
    unknown.map((name) => ({
      loc: ['body', 'take'],
      msg: 'A resource that is taken must be in resources; add it, or leave it out of take',
      type: 'value_error',
      input: name,
    })),
  );
}

function ofSet(member: BatchMember, set: string): BatchMember {
  const { wanted } = member;
  return { ...member, wanted: { ...wanted, options: { ...wanted.options, set }, ofSet: set } };
}

type MembersDeps = Pick<PlanDeps, 'known'> & { readonly client: Pick<KubeClient, 'list'> };

/** @returns the members that are not in deletion, by their names in order */
export async function setMembersOf(
  { client, known }: MembersDeps,
  { namespace }: Organization,
  { projectId, name }: SetId,
): Promise<ReadonlyMap<string, Resource>> {
  const found: Resource[] = [];
  const selector = fieldSelector('spec.set', name);
  const where = { namespace, ...(selector === undefined ? {} : { fieldSelector: selector }) };
  for await (const each of pagesOf<Resource>(client, kinds.resource, where)) {
    const isMember = each.spec.set === name && projectIdOf(each) === projectId;
    if (!isMember || each.metadata.deletionTimestamp !== undefined) continue;
    const { metadata } = each;
    found.push(withKnownSpec(each, known({ namespace, name: metadata.name })));
  }
  const named = found.map((each) => [slashed(each.spec), each] as const);
  return new Map(named.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
