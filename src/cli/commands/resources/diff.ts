// `fairlead diff`: shows what an apply of files would change, field by field.
import { counted } from '../../../client/time.ts';
import { checkAll } from '../../resources/apply/check.ts';
import { type ComparedDeclaration, compareAll } from '../../resources/apply/compare.ts';
import { comparedLines } from '../../resources/apply/compared-lines.ts';
import { declared } from '../../resources/apply/declared.ts';
import { requireAccepted } from '../../resources/apply/refusal.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

export async function diff(invocation: Invocation): Promise<ExitCode | undefined> {
  const { flags, output, talk } = invocation;
  const declarations = await declared(invocation);
  const api = await invocation.api();
  const options = { permitsBusy: true, replaces: true };
  const { checked, refusals } = await checkAll(invocation, declarations, options);
  await requireAccepted(refusals, { api, total: declarations.length, nothing: '' });
  const showSecrets = flags.on('show-secrets');
  const compared = await compareAll(api, checked, { showSecrets });
  if (output.isForPeople) {
    const lines = compared.flatMap((each) => comparedLines(each, output.style));
    for (const line of lines) output.line(line);
    talk.note(diffSummary(compared));
  } else output.json(compared);
  const isDifferent = compared.some(({ change }) => change !== 'none');
  return isDifferent && flags.on('exit-code') ? ExitCode.different : undefined;
}

function diffSummary(compared: readonly ComparedDeclaration[]): string {
  const count = (...changes: readonly string[]) =>
    compared.filter(({ change }) => changes.includes(change)).length;
  const some = (change: string, words: string) =>
    count(change) === 0 ? [] : [`${count(change)} ${words}`];
  const parts = [
    `${count('create')} to create`,
    ...some('import', 'to import'),
    `${count('update', 'options', 'tags')} to change`,
    ...some('replace', 'to replace'),
    ...some('retry', 'to process again'),
    `${count('none')} unchanged`,
  ];
  return `${counted(compared.length, 'resource')}: ${parts.join(', ')}.`;
}
