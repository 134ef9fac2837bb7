// Shows what `apply --from-actual` changes in a config, and asks.
import { shell } from '../../../client/words/shell-word.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import type { CheckedDeclaration } from './check.ts';
import { compareAll } from './compare.ts';
import { comparedLines } from './compared-lines.ts';
import type { Refusal } from './refusal.ts';
import { needsReplacement } from './replacement.ts';

/** @throws CliError for a field that cannot change: a replacement would delete what is to be declared */
export function requireNoReplacement({ flags }: Invocation, refusals: readonly Refusal[]): void {
  const found = refusals.find(({ error }) => needsReplacement(error));
  if (found === undefined || !flags.on('from-actual')) return;
  const { declaration, error } = found;
  throw new CliError(`The object of ${declaration.ref} differs in fields that cannot change.`, {
    exit: error.exit,
    facts: error.facts,
    next: shell`Make it as declared: fairlead correct ${declaration.ref}`,
  });
}

/** @returns whether to go on; without `--from-actual` there is no question */
export async function mayDeclareActual(
  invocation: Invocation,
  checked: readonly CheckedDeclaration[],
): Promise<boolean> {
  const { flags, output, questions, talk } = invocation;
  const [only] = checked;
  if (only === undefined || !flags.on('from-actual')) return true;
  if (output.isForPeople) {
    for (const each of await compareAll(await invocation.api(), checked)) {
      talk.lines(comparedLines(each, talk.style));
    }
  }
  return await questions.confirm(`Declare what is there of ${only.declaration.ref}?`);
}
