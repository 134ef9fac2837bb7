// `fairlead diff`: shows what an apply of files would change, field by field.
import { counted } from '../../../client/time.ts';
import { planAll } from '../../resources/apply/batch.ts';
import { plannedCounts } from '../../resources/apply/changes.ts';
import { declared } from '../../resources/apply/declared.ts';
import { planLines } from '../../resources/apply/plan-lines.ts';
import { plannedMembers } from '../../resources/apply/plan-view.ts';
import { requireAccepted } from '../../resources/apply/refusal.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

export async function diff(invocation: Invocation): Promise<ExitCode | undefined> {
  const { flags, output, talk } = invocation;
  const declarations = await declared(invocation);
  if (declarations.length === 0) {
    if (!output.isForPeople) output.json([]);
    return undefined;
  }
  const showSecrets = flags.on('show-secrets');
  const plan = await planAll(invocation, { declarations, replace: true, showSecrets });
  const api = await invocation.api();
  await requireAccepted(plan.refusals, { api, total: declarations.length, nothing: '' });
  if (output.isForPeople) {
    for (const line of planLines(plan, output.style)) output.line(line);
    talk.note(`${counted(plan.members.length, 'resource')}: ${plannedCounts(plan.members)}.`);
  } else output.json(plannedMembers(plan));
  const isDifferent = plan.members.some(({ change }) => change !== 'none');
  return isDifferent && flags.on('exit-code') ? ExitCode.different : undefined;
}
