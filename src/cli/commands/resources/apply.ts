// `fairlead apply`: checks all declarations on the server, then sends them, and waits until they are settled.

import { counted } from '../../../client/time.ts';
import { mayReplace, obstaclesIn, showReplacements } from '../../resources/apply/ask-replace.ts';
import { checkAll } from '../../resources/apply/check.ts';
import { declared } from '../../resources/apply/declared.ts';
import { expiryOption, type Moved, movedBy, noteExpiry } from '../../resources/apply/expiry.ts';
import { mayDeclareActual, requireNoReplacement } from '../../resources/apply/from-actual-plan.ts';
import { finishApply } from '../../resources/apply/outcome.ts';
import { showPlan } from '../../resources/apply/plan.ts';
import { requireAccepted } from '../../resources/apply/refusal.ts';
import { sendAll } from '../../resources/apply/send.ts';
import type { Declaration } from '../../resources/declarations/declaration.ts';
import { inOrder } from '../../resources/declarations/order.ts';
import type { Invocation } from '../../session/invocation.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';

export async function apply(invocation: Invocation): Promise<void> {
  const { flags } = invocation;
  const declarations = await declared(invocation);
  if (declarations.length === 0) return;
  if (flags.on('from-actual') && flags.on('replace')) {
    throw usageError('--from-actual does not take --replace.');
  }
  obeyFlags(invocation, declarations);
  // A cycle among the files is found before any request.
  inOrder(declarations, ({ ref, body }) => ({ ref, ...body }));
  const api = await invocation.api();
  const mayAsk = flags.on('replace') || invocation.questions.canAsk;
  const replaces = mayAsk && !flags.on('from-actual');
  const { checked, refusals } = await checkAll(invocation, declarations, { replaces });
  const total = declarations.length;
  const nothing = `Nothing was applied (${counted(total, 'document was', 'documents were')} checked).`;
  requireNoReplacement(invocation, refusals);
  await requireAccepted(refusals, { api, total, nothing });
  await showReplacements(invocation, checked);
  await requireAccepted(obstaclesIn(checked), { api, total, nothing });
  if (flags.on('dry-run')) return await showPlan(invocation, checked);
  if (!((await mayReplace(invocation, checked)) && (await mayDeclareActual(invocation, checked)))) {
    invocation.talk.note('Nothing was applied.');
    return;
  }
  const isTimed = flags.text('ttl') !== undefined && invocation.output.isForPeople;
  const moved: Moved = isTimed ? await movedBy(api, checked) : new Map();
  const results = await sendAll(invocation, checked);
  if (isTimed) noteExpiry(invocation, results, moved);
  await finishApply(invocation, api, results);
}

/** Flags win over what documents say. */
function obeyFlags(invocation: Invocation, declarations: readonly Declaration[]): void {
  const expiry = expiryOption(invocation);
  for (const { body } of declarations) {
    if (invocation.flags.on('draft')) body.lifecycle_state = 'draft';
    Object.assign(body, expiry);
  }
}
