// Writes what a batch has planned: one write for each member that changes. Kubernetes has no transaction over objects, so a write that
// loses a race stops nothing else, and the same request again finishes what is left.
import type { Resource } from '../../../crds/resource.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type Organization, projectIdOf, slashed } from '../../../domain/identity.ts';
import { KubeError } from '../../../kube/errors.ts';
import { translateKubeError } from '../../errors.ts';
import { forEachConcurrently } from '../../parallel.ts';
import { maxRounds } from '../../put.ts';
import type { ResourceRecord } from '../../records.ts';
import {
  type ApplyDeps,
  keepReplaced,
  noteWritten,
  putOrLook,
  roundsLost,
} from '../apply/apply.ts';
import { keepOnlyIfOpen, requireOpenProject } from '../apply/apply-checks.ts';
import { requireRoom } from '../apply/prepare.ts';
import { resourceRecord } from '../state.ts';
import { inOrderOfReplacement } from './chains.ts';
import type { DecidedMember } from './member.ts';
import { type BatchPlan, type PlannedMember, planAgain } from './plan.ts';
import { atOnce, readOnce } from './read-once.ts';

export interface CommitOptions {
  /** A member for which the plan would be another one now is refused; otherwise it is decided again, as an apply is. */
  readonly isApproved: boolean;
  /** @returns whether a write may still begin */
  readonly mayWrite?: () => boolean;
  /** Receives each member whose write has ended, in any order; once more when it is refused after that. */
  readonly onMember?: ((member: CommittedMember) => void) | undefined;
}

export type CommittedMember = { readonly planned: PlannedMember } & (
  | { readonly outcome: 'applied' | 'unchanged'; readonly record: ResourceRecord }
  | { readonly outcome: 'refused'; readonly error: FairleadError }
  | { readonly outcome: 'not_attempted' }
);

interface WrittenMember {
  readonly resource: Resource;
  /** Whether this request has created it. */
  readonly isNew: boolean;
}

/** @returns what became of each member, in their order; those that no apply writes are unchanged */
export async function commitBatch(
  deps: ApplyDeps,
  organization: Organization,
  plan: BatchPlan,
  { isApproved, mayWrite = () => true, onMember = () => undefined }: CommitOptions,
): Promise<readonly CommittedMember[]> {
  const results: CommittedMember[] = [];
  // Read after the writes: a deletion that looked in between has not seen what was created.
  const after = readOnce(deps);
  const created: { readonly index: number; readonly resource: Resource }[] = [];
  const left = new Set<string>();
  const write = async (index: number) => {
    const planned = plan.members[index] as PlannedMember;
    // A user that was replaced alone would be made from the old outputs.
    const isAlone = planned.replacedWith?.some((name) => left.has(name)) === true;
    if (isAlone || !mayWrite()) {
      results[index] = { planned, outcome: 'not_attempted' };
      left.add(slashed(planned.member.wanted.tuple));
      return;
    }
    const outcome = await memberOutcome(planned, async () => {
      const write = { planned, plan, isApproved, mayWrite };
      const written = await writeMember(deps, organization, write);
      if (written?.isNew === true) created.push({ index, resource: written.resource });
      return written?.resource;
    });
    results[index] = outcome;
    if (outcome.outcome === 'refused') left.add(slashed(planned.member.wanted.tuple));
    onMember(outcome);
  };
  for (const group of inOrderOfReplacement(plan.members)) {
    await forEachConcurrently(group, atOnce, write);
  }
  await forEachConcurrently(created, atOnce, async ({ index, resource }) => {
    const planned = plan.members[index] as PlannedMember;
    const outcome = await memberOutcome(planned, async () => {
      const project = projectIdOf(resource);
      const asked = planned.member.wanted.projectId;
      const at = { organization, project, asked, existing: resource, brought: true };
      await requireOpenProject(after, at);
      await keepOnlyIfOpen(after, organization, { resource, brought: true });
      return resource;
    });
    results[index] = outcome;
    if (outcome.outcome === 'refused') onMember(outcome);
  });
  return results;
}

/** An error of the API server about one member must not hide what became of the others. */
export async function memberOutcome(
  planned: PlannedMember,
  work: () => Promise<Resource | undefined>,
): Promise<CommittedMember> {
  try {
    const resource = await work();
    if (resource === undefined) return { planned, outcome: 'unchanged', record: planned.after };
    return { planned, outcome: 'applied', record: resourceRecord(resource) };
  } catch (thrown) {
    const error = translateKubeError(thrown);
    if (error instanceof FairleadError) return { planned, outcome: 'refused', error };
    if (!(error instanceof KubeError)) throw error;
    const message = 'The storage refuses the resource; ask the administrator of the installation';
    const refusal = new FairleadError('unavailable', message, { cause: error });
    return { planned, outcome: 'refused', error: refusal };
  }
}

/** @throws FairleadError for a request that another one may have replaced since the write of a member was decided */
export function requireMayWrite(mayWrite: () => boolean): void {
  if (mayWrite()) return;
  const message = 'Another request may write the set by now; send this one again';
  throw new FairleadError('set_busy', message);
}

interface MemberWrite extends Required<Pick<CommitOptions, 'isApproved' | 'mayWrite'>> {
  readonly planned: PlannedMember;
  readonly plan: BatchPlan;
}

/** Writes in rounds, as an apply does. @returns undefined when there was nothing to write */
async function writeMember(
  deps: ApplyDeps,
  organization: Organization,
  write: MemberWrite,
): Promise<WrittenMember | undefined> {
  const { wanted } = write.planned.member;
  let decided: DecidedMember = write.planned;
  let failure: KubeError | undefined;
  for (let round = 0; round < maxRounds; round += 1) {
    const { prepared } = decided;
    if (prepared === undefined || !('object' in prepared)) return undefined;
    const { plan, object, existing } = prepared;
    const kept = keepReplaced(deps, organization, { existing, plan });
    if (round > 0) requireRoom(deps, organization, [object]);
    // After the write, nothing else has the content that it replaces.
    await kept;
    requireMayWrite(write.mayWrite);
    const { written, now, unknown } = await putOrLook(deps, object);
    if (written !== undefined) {
      noteWritten(deps, written);
      return { resource: written, isNew: existing === undefined };
    }
    failure = unknown;
    decided = await replanMember(deps, organization, { ...write, now });
  }
  throw failure ?? roundsLost(wanted);
}

/** @throws FairleadError what refuses the member now, and `plan_stale` when an approved plan would be another one */
async function replanMember(
  deps: ApplyDeps,
  organization: Organization,
  {
    planned,
    plan: { planned: together, replacedTogether, options },
    isApproved,
    now,
  }: Omit<MemberWrite, 'mayWrite'> & { readonly now: Resource | undefined },
): Promise<DecidedMember> {
  const { member } = planned;
  const stale = `Resource ${slashed(member.wanted.tuple)} has changed since the plan; plan again`;
  if (isApproved && !isOfSameSpec(now, planned.existing)) {
    throw new FairleadError('plan_stale', stale);
  }
  const view = { ...deps, planned: together, replacedTogether };
  const again = await planAgain(view, organization, { member, existing: now, options });
  // The state decides, too, such as between an update and a retry.
  if (isApproved && again.change !== planned.change) throw new FairleadError('plan_stale', stale);
  return again;
}

function isOfSameSpec(now: Resource | undefined, planned: Resource | undefined): boolean {
  const { uid, generation } = planned?.metadata ?? {};
  return now?.metadata.uid === uid && now?.metadata.generation === generation;
}
