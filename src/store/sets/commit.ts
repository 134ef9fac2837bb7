// Carries out the plan of a set: the summary first, which says that something is under way, then one write for each member that changes,
// then what the request does not name, and the summary again. A crash leaves the first summary; the same request finishes.
import { storedName } from '../../domain/actor.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type Organization, slashed } from '../../domain/identity.ts';
import { KubeError } from '../../kube/errors.ts';
import type { ApplyDeps } from '../resources/apply/apply.ts';
import {
  type CommitOptions,
  type CommittedMember,
  commitBatch,
} from '../resources/batch/commit.ts';
import type { PlannedMember } from '../resources/batch/plan.ts';
import type { HeldSet, SetHolds } from './hold.ts';
import { type SetPlan, setMembersOf } from './plan.ts';
import { removeMembers } from './prune.ts';
import type { SetSummary } from './summary.ts';

export interface SetCommitOptions extends Pick<CommitOptions, 'isApproved' | 'onMember'> {
  /** The digest of the plan that is carried out. */
  readonly digest: string;
}

export interface CommittedSet {
  /** In the order of the plan. */
  readonly members: readonly CommittedMember[];
  /** Members that the request does not name, as they were after the last write. */
  readonly unlisted: readonly string[];
  /** Whether the summary says that everything was done. */
  readonly isRecorded: boolean;
}

type CommitDeps = ApplyDeps & { readonly holds: SetHolds };

/** @throws FairleadError `set_busy` before anything was written */
export async function commitSet(
  deps: CommitDeps,
  organization: Organization,
  plan: SetPlan,
  options: SetCommitOptions,
): Promise<CommittedSet> {
  const { namespace } = organization;
  const summary = nextSummary(deps, plan, options);
  const { batch, found, isDeletion } = plan;
  const isGone = isDeletion && found === undefined;
  if (!batch.members.some(isChange) && (isGone || !isDeletion)) {
    if (!isGone && !isSameSummary(found?.summary, summary)) {
      await deps.holds.record(found, { namespace, summary });
    }
    const members = batch.members.map(
      (planned): CommittedMember => ({ planned, outcome: 'unchanged', record: planned.after }),
    );
    return { members, unlisted: unlistedIn(plan), isRecorded: true };
  }
  const held = await deps.holds.hold(found, { namespace, summary });
  let written: Omit<CommittedSet, 'isRecorded'> | undefined;
  try {
    written = await writeMembers(deps, organization, plan, { ...options, held });
  } finally {
    // Nothing is known about the writes that had begun.
    if (written === undefined) await releasedSet(held, { ...summary, isComplete: false });
  }
  const isComplete = written.members.every(isDone);
  const after = { ...summary, isComplete };
  const isReleased = await releasedSet(held, isComplete && isDeletion ? undefined : after);
  return { ...written, isRecorded: isReleased && isComplete };
}

/** @returns false when nothing is known about the summary, or another request has it */
async function releasedSet(held: HeldSet, summary: SetSummary | undefined): Promise<boolean> {
  try {
    return await held.release(summary);
  } catch (thrown) {
    // The outcomes of the members are worth more than the error: the stored summary says that something is left to do.
    if (thrown instanceof KubeError) return false;
    throw thrown;
  }
}

function isChange({ change, prepared }: PlannedMember): boolean {
  return (prepared !== undefined && 'object' in prepared) || removesMember({ change });
}

function removesMember({ change }: Pick<PlannedMember, 'change'>): boolean {
  return change === 'delete' || change === 'orphan';
}

export function isDone({ outcome }: CommittedMember): boolean {
  return outcome === 'applied' || outcome === 'unchanged';
}

function nextSummary(
  { clock }: Pick<ApplyDeps, 'clock'>,
  { id, prune, batch, listed, isDeletion, found }: SetPlan,
  { digest }: SetCommitOptions,
): SetSummary {
  const { by } = batch.options;
  const named = batch.members.slice(0, listed).map(nameOfMember);
  return {
    ...id,
    prune: prune.stores,
    isComplete: true,
    at: clock.now().toISOString(),
    by: by?.subject,
    byName: by && storedName(by),
    digest,
    // A deletion that ends halfway leaves the others as they are.
    listed: isDeletion ? (found?.summary?.listed ?? []) : named,
    holder: undefined,
    renewals: 0,
  };
}

function nameOfMember({ member }: PlannedMember): string {
  return slashed(member.wanted.tuple);
}

/** Who has repeated a request, and when, changes nothing. */
function isSameSummary(before: SetSummary | undefined, after: SetSummary): boolean {
  if (before === undefined || !before.isComplete) return false;
  const listed = (summary: SetSummary) => JSON.stringify(summary.listed.toSorted());
  return before.prune === after.prune && listed(before) === listed(after);
}

function unlistedIn({ batch, listed }: SetPlan): readonly string[] {
  return batch.members.slice(listed).map(nameOfMember);
}

interface MemberWrites extends SetCommitOptions {
  readonly held: HeldSet;
}

/** Removes only once every apply was accepted. */
async function writeMembers(
  deps: CommitDeps,
  organization: Organization,
  { id, batch, listed }: SetPlan,
  { isApproved, onMember, held: { mayWrite } }: MemberWrites,
): Promise<Omit<CommittedSet, 'isRecorded'>> {
  const options = { isApproved, mayWrite, onMember };
  const named = batch.members.slice(0, listed);
  const others = batch.members.slice(listed);
  const part = (members: readonly PlannedMember[]) => ({ ...batch, members });
  const applied = await commitBatch(deps, organization, part(named), options);
  if (!applied.every(isDone)) {
    const left = others.map((planned): CommittedMember => ({ planned, outcome: 'not_attempted' }));
    return { members: [...applied, ...left], unlisted: others.map(nameOfMember) };
  }
  const kept = await commitBatch(
    deps,
    organization,
    part(others.filter((each) => !removesMember(each))),
    options,
  );
  const removed = await removeMembers(deps, organization, others.filter(removesMember), {
    ...options,
    set: id.name,
  });
  const outcomes = new Map([
    ...kept.map((each) => [nameOfMember(each.planned), each] as const),
    ...removed,
  ]);
  // Another set may have taken a member since it was read or written.
  const present = await setMembersOf(deps, organization, id);
  const members = [
    ...applied.map((each) => stillMember(each, present, id.name)),
    ...others.flatMap((each) => outcomes.get(nameOfMember(each)) ?? []),
  ];
  const names = new Set(named.map(nameOfMember));
  const unlisted = [...present.keys()].filter((name) => !names.has(name));
  return { members, unlisted };
}

function stillMember(
  committed: CommittedMember,
  present: ReadonlyMap<string, unknown>,
  set: string,
): CommittedMember {
  const { planned } = committed;
  const name = nameOfMember(planned);
  if (present.has(name)) return committed;
  const error = new FairleadError('conflict', `Resource ${name} has left set ${set} meanwhile`);
  return { planned, outcome: 'refused', error };
}
