// Writes what a batch has planned: one write for each member that changes. Kubernetes has no transaction over objects, so a write that
// loses a race stops nothing else, and the same request again finishes what is left.
import type { Resource } from '../../../crds/resource.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type Organization, projectIdOf, slashed } from '../../../domain/identity.ts';
import type { ApplyOptions } from '../../interfaces.ts';
import { forEachConcurrently } from '../../parallel.ts';
import type { ResourceRecord } from '../../records.ts';
import { type ApplyDeps, apply, keepReplaced, noteWritten, store } from '../apply/apply.ts';
import { keepOnlyIfOpen, requireOpenProject } from '../apply/apply-checks.ts';
import { refFor } from '../apply/prepare.ts';
import { declaredHashOf } from '../content.ts';
import { readResource } from '../known-spec.ts';
import { resourceRecord } from '../state.ts';
import type { BatchMember } from './member.ts';
import type { BatchPlan, PlannedMember } from './plan.ts';
import { atOnce, readOnce } from './read-once.ts';

export interface CommitOptions extends Pick<ApplyOptions, 'by' | 'traceparent'> {
  /** The plan of the same members. */
  readonly plan: BatchPlan;
  /** A member whose resource has changed since the plan is refused; otherwise it is decided again, as an apply is. */
  readonly isApproved: boolean;
  /** @returns whether writes may still begin */
  readonly mayWrite?: () => boolean;
  readonly onWritten?: (done: number) => void;
}

export type CommittedMember = { readonly planned: PlannedMember } & (
  | { readonly outcome: 'applied' | 'unchanged'; readonly record: ResourceRecord }
  | { readonly outcome: 'refused'; readonly error: FairleadError }
  | { readonly outcome: 'not_attempted' }
);

type MemberChange = readonly [member: BatchMember, planned: PlannedMember];

/** @returns what became of each member, in their order. An unexpected error of one ends all that have not begun. */
export async function commitBatch(
  deps: ApplyDeps,
  organization: Organization,
  members: readonly BatchMember[],
  options: CommitOptions,
): Promise<readonly CommittedMember[]> {
  const changes = options.plan.members.map((planned, index): MemberChange => {
    const member = members[index];
    if (member === undefined) throw new TypeError('A plan has the members of its request');
    return [member, planned];
  });
  const { mayWrite = () => true, onWritten = () => undefined } = options;
  const results: CommittedMember[] = changes.map(([, planned]) => ({
    planned,
    outcome: 'not_attempted',
  }));
  // Read after the writes: a deletion that looked in between has not seen what was created.
  const after = readOnce(deps);
  const created: { readonly index: number; readonly written: Resource }[] = [];
  let done = 0;
  try {
    await forEachConcurrently(changes.entries(), atOnce, async ([index, change]) => {
      if (!mayWrite()) return;
      const [, planned] = change;
      const { prepared } = planned;
      if (prepared === undefined || !('object' in prepared)) {
        results[index] = { planned, outcome: 'unchanged', record: planned.after };
        return;
      }
      results[index] = await writeOutcome(planned, async () => {
        const written = await writeMember(deps, organization, planned);
        if (written === undefined) return await applyAgain(deps, organization, change, options);
        if (prepared.existing === undefined) created.push({ index, written });
        return resourceRecord(written);
      });
      done += 1;
      onWritten(done);
    });
  } finally {
    // Also after an unexpected error: what was created is checked.
    for (const { index, written } of created) {
      const [member, planned] = changes[index] ?? [];
      if (member === undefined || planned === undefined) continue;
      results[index] = await writeOutcome(planned, async () => {
        const project = projectIdOf(written);
        const asked = member.wanted.projectId;
        const at = { organization, project, asked, existing: written, tried: true };
        await requireOpenProject(after, at);
        await keepOnlyIfOpen(after, organization, { resource: written, brought: true });
        return resourceRecord(written);
      });
    }
  }
  return results;
}

async function writeOutcome(
  planned: PlannedMember,
  work: () => Promise<ResourceRecord>,
): Promise<CommittedMember> {
  try {
    return { planned, outcome: 'applied', record: await work() };
  } catch (thrown) {
    if (thrown instanceof FairleadError) return { planned, outcome: 'refused', error: thrown };
    throw thrown;
  }
}

/** @returns undefined when another write was first, or the outcome is unknown */
async function writeMember(
  deps: ApplyDeps,
  organization: Organization,
  { prepared }: PlannedMember,
): Promise<Resource | undefined> {
  if (prepared === undefined || !('object' in prepared)) return undefined;
  const { existing, plan, object } = prepared;
  const kept = keepReplaced(deps, organization, { existing, plan });
  const written = await store(deps, organization, { plan, object, kept });
  if (written !== undefined) noteWritten(deps, written);
  return written;
}

async function applyAgain(
  deps: ApplyDeps,
  organization: Organization,
  [member, { wanted, existing, spec }]: MemberChange,
  { by, traceparent, isApproved }: CommitOptions,
): Promise<ResourceRecord> {
  const request = { ...member, wanted, by, traceparent };
  const mayHaveWritten = existing === undefined;
  if (!isApproved) return await apply(deps, organization, request, { mayHaveWritten });
  const now = await readResource(deps, refFor(organization, wanted));
  const isWritten = now !== undefined && declaredHashOf(now.spec) === declaredHashOf(spec);
  // A write of its status alone makes no plan stale.
  if (isWritten || isOfSameSpec(now, existing)) {
    return await apply(deps, organization, request, { mayHaveWritten });
  }
  const message = `Resource ${slashed(wanted.tuple)} has changed since the plan; plan again`;
  throw new FairleadError('plan_stale', message);
}

function isOfSameSpec(now: Resource | undefined, planned: Resource | undefined): boolean {
  const { uid, generation } = planned?.metadata ?? {};
  return now?.metadata.uid === uid && now?.metadata.generation === generation;
}
