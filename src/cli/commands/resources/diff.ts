// `fairlead diff`: shows what an apply of files would change, field by field.
import { counted } from '../../../client/time.ts';
import { notePlanRequired } from '../../resources/apply/ask.ts';
import { planAll } from '../../resources/apply/batch.ts';
import { changeWords, plannedCounts } from '../../resources/apply/changes.ts';
import { declared } from '../../resources/apply/declared.ts';
import { planLines } from '../../resources/apply/plan-lines.ts';
import { plannedMembers } from '../../resources/apply/plan-view.ts';
import { requireAccepted } from '../../resources/apply/refusal.ts';
import { declaredSet, noteUnlisted } from '../../resources/apply/set.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

export async function diff(invocation: Invocation): Promise<ExitCode | undefined> {
  const { flags, output, talk } = invocation;
  const set = declaredSet(invocation);
  const declarations = await declared(invocation, set !== undefined);
  if (declarations.length === 0 && set === undefined) {
    if (!output.isForPeople) output.json([]);
    return undefined;
  }
  const showSecrets = flags.on('show-secrets');
  const plan = await planAll(invocation, { declarations, set, replace: true, showSecrets });
  const api = await invocation.api();
  await requireAccepted(plan.refusals, { api, total: declarations.length, nothing: '' });
  if (output.isForPeople) {
    for (const line of planLines(plan, output.style)) output.line(line);
    noteUnlisted(invocation, plan);
    notePlanRequired(invocation, plan);
    talk.note(`${counted(plan.members.length, 'resource')}: ${plannedCounts(plan.members)}.`);
  } else output.json(plannedMembers(plan));
  const isDifferent = plan.members.some((each) => changeWords(each).isSame !== true);
  return isDifferent && flags.on('exit-code') ? ExitCode.different : undefined;
}
