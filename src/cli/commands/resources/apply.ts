// `fairlead apply`: has the server check and write all declarations, and waits until they are settled.

import {
  approvedDigests,
  fromActualError,
  mayApply,
  notePlanRequired,
  requireNoDigest,
  showAsked,
} from '../../resources/apply/ask.ts';
import {
  type ApprovedRequest,
  acceptedPlan,
  applyAll,
  type BatchesPlan,
  type DeclaredRequest,
} from '../../resources/apply/batch.ts';
import { requireOneBatch } from '../../resources/apply/batch-limits.ts';
import { declared } from '../../resources/apply/declared.ts';
import { expiryOption, noteExpiry } from '../../resources/apply/expiry.ts';
import { finishApply } from '../../resources/apply/outcome.ts';
import { showPlan } from '../../resources/apply/plan-view.ts';
import { declaredSet, noteUnlisted } from '../../resources/apply/set.ts';
import type { Declaration } from '../../resources/declarations/declaration.ts';
import type { Invocation } from '../../session/invocation.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';

export async function apply(invocation: Invocation): Promise<void> {
  const { flags, output } = invocation;
  const set = declaredSet(invocation);
  const declarations = await declared(invocation, set !== undefined);
  if (declarations.length === 0 && set === undefined) return;
  if (flags.on('from-actual') && flags.on('replace')) {
    throw usageError('--from-actual does not take --replace.');
  }
  const expiry = obeyFlags(invocation, declarations);
  const request = { declarations, set, replace: mayReplace(invocation) };
  const approval = await approvalOf(invocation, request);
  if (approval === undefined) return;
  const done = await applyAll(invocation, { ...request, ...approval });
  const isTimed = flags.text('ttl') !== undefined && output.isForPeople;
  if (isTimed) noteExpiry(invocation, expiry, done.members);
  noteUnlisted(invocation, done);
  await finishApply(invocation, done.members);
}

function mayReplace({ flags, questions }: Invocation): boolean {
  if (flags.on('replace')) return true;
  if (flags.text('plan') !== undefined) return false;
  return questions.canAsk && !flags.on('from-actual') && !flags.on('dry-run');
}

/**
 * Shows a plan, and asks, where something needs an approval. Else everything is sent at once: the server checks all before it writes.
 * @returns undefined: nothing is to be applied
 */
async function approvalOf(
  invocation: Invocation,
  request: DeclaredRequest,
): Promise<Pick<ApprovedRequest, 'digests' | 'again'> | undefined> {
  const { flags, talk } = invocation;
  const isDryRun = flags.on('dry-run');
  const digest = flags.text('plan');
  if (digest !== undefined) {
    if (isDryRun) throw usageError('--plan applies what --dry-run has planned: pass one of them.');
    if (flags.text('ttl') !== undefined) {
      throw usageError('--plan approves a time that --ttl would move: pass --expires TIME.');
    }
    requireOneBatch(request);
    return { digests: [digest], again: 'plan again with --dry-run, and pass the new --plan' };
  }
  if (!isDryRun && !flags.on('from-actual') && request.replace !== true) return {};
  const plan = await planned(invocation, request);
  if (isDryRun) {
    await showPlan(invocation, plan);
    notePlanRequired(invocation, plan);
    return undefined;
  }
  requireNoDigest(plan);
  if (await mayApply(invocation, plan)) return { digests: approvedDigests(invocation, plan) };
  talk.note('Nothing was applied.');
  return undefined;
}

/** Flags win over what documents say. */
function obeyFlags(invocation: Invocation, declarations: readonly Declaration[]) {
  const expiry = expiryOption(invocation);
  for (const { body } of declarations) {
    if (invocation.flags.on('draft')) body.lifecycle_state = 'draft';
    Object.assign(body, expiry);
  }
  return expiry;
}

/** Shows what needs an approval. @throws CliError with all that is refused */
async function planned(invocation: Invocation, request: DeclaredRequest): Promise<BatchesPlan> {
  try {
    const plan = await acceptedPlan(invocation, request);
    showAsked(invocation, plan);
    return plan;
  } catch (thrown) {
    const [only] = request.declarations;
    const isFromActual = invocation.flags.on('from-actual') && only !== undefined;
    throw isFromActual ? fromActualError(thrown, only.ref) : thrown;
  }
}
