// `fairlead diff`: shows what an apply of files would change, field by field.
import type { MemberPlan } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { planAll } from '../../resources/apply/batch.ts';
import { declared } from '../../resources/apply/declared.ts';
import { planLines } from '../../resources/apply/plan-lines.ts';
import { plannedMembers } from '../../resources/apply/plan-view.ts';
import { requireAccepted } from '../../resources/apply/refusal.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

export async function diff(invocation: Invocation): Promise<ExitCode | undefined> {
  const { flags, output, talk } = invocation;
  const declarations = await declared(invocation);
  const showSecrets = flags.on('show-secrets');
  const plan = await planAll(invocation, { declarations, replace: true, showSecrets });
  const api = await invocation.api();
  await requireAccepted(plan.refusals, { api, total: declarations.length, nothing: '' });
  if (output.isForPeople) {
    for (const line of planLines(plan, output.style)) output.line(line);
    talk.note(diffSummary(plan.members));
  } else output.json(plannedMembers(plan));
  const isDifferent = plan.members.some(({ change }) => change !== 'none');
  return isDifferent && flags.on('exit-code') ? ExitCode.different : undefined;
}

function diffSummary(members: readonly MemberPlan[]): string {
  const count = (...changes: readonly MemberPlan['change'][]) =>
    members.filter(({ change }) => changes.includes(change)).length;
  const some = (change: MemberPlan['change'], words: string) =>
    count(change) === 0 ? [] : [`${count(change)} ${words}`];
  const parts = [
    `${count('create')} to create`,
    ...some('import', 'to import'),
    `${count('update', 'fields', 'join', 'take')} to change`,
    ...some('replace', 'to replace'),
    ...some('retry', 'to process again'),
    ...some('leave', 'to leave the set'),
    ...some('delete', 'to delete'),
    ...some('orphan', 'to remove and leave'),
    `${count('none')} unchanged`,
  ];
  return `${counted(members.length, 'resource')}: ${parts.join(', ')}.`;
}
