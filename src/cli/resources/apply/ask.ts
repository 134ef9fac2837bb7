// Shows what an apply deletes or declares beyond the files, and asks.
import type { BatchAnswer, MemberPlan } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import type { BatchesPlan } from './batch.ts';
import { planLines } from './plan-lines.ts';
import { needsReplacement } from './refusal.ts';

/** Prints the parts of a plan that need an approval. */
export function showAsked({ flags, output, talk }: Invocation, plan: BatchesPlan): void {
  if (!output.isForPeople) return;
  const members = flags.on('from-actual') ? plan.members : plan.members.filter(isReplaced);
  talk.lines(planLines({ ...plan, members }, talk.style));
}

/** @returns whether to go on. `--replace` is the answer to one of the questions */
export async function mayApply(invocation: Invocation, { members }: BatchesPlan): Promise<boolean> {
  const { flags, questions } = invocation;
  const [only] = members;
  if (only !== undefined && flags.on('from-actual')) {
    return await questions.confirm(`Declare what is there of ${only.resource}?`);
  }
  const { length } = members.filter(isReplaced);
  if (length === 0 || flags.on('replace')) return true;
  const its = length === 1 ? 'its provider' : 'their providers';
  return await questions.confirm(
    `Replace ${counted(length, 'resource')}? What ${its} created is deleted, and created again.`,
  );
}

/** @returns the digest of each batch that was shown: only that may be written */
export function approvedDigests({ flags }: Invocation, { answers }: BatchesPlan) {
  const isShown = ({ resources }: BatchAnswer) =>
    flags.on('from-actual') || resources.some(isReplaced);
  return answers.map((each) => (isShown(each) ? each.plan : undefined));
}

function isReplaced({ change }: MemberPlan): boolean {
  return change === 'replace';
}

/** @returns the error of `--from-actual` for a field that cannot change: a replacement would delete what is to be declared */
export function fromActualError(thrown: unknown, ref: string): unknown {
  if (!(thrown instanceof CliError && thrown.cause instanceof CliError)) return thrown;
  if (!needsReplacement(thrown.cause)) return thrown;
  return new CliError(`The object of ${ref} differs in fields that cannot change.`, {
    exit: thrown.exit,
    facts: thrown.facts,
    next: shell`Make it as declared: fairlead correct ${ref}`,
  });
}
