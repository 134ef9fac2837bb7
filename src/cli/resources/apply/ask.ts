// Shows what an apply deletes or declares beyond the files, and asks.
import type { MemberPlan } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { BatchesPlan } from './batch.ts';
import { planNeeded } from './batch-refusals.ts';
import { planLines } from './plan-lines.ts';
import { needsReplacement } from './refusal.ts';

/** Prints the parts of a plan that need an approval. */
export function showAsked({ flags, output, talk }: Invocation, plan: BatchesPlan): void {
  if (!output.isForPeople) return;
  const members = flags.on('from-actual') ? plan.members : plan.members.filter(needsAnswer);
  talk.lines(planLines({ ...plan, members }, talk.style));
}

/** @returns whether to go on. `--replace` is the answer to one of the questions */
export async function mayApply(invocation: Invocation, { members }: BatchesPlan): Promise<boolean> {
  const { flags, questions } = invocation;
  const [only] = members;
  if (only !== undefined && flags.on('from-actual')) {
    return await questions.confirm(`Declare what is there of ${only.resource}?`);
  }
  const count = (change: MemberPlan['change']) =>
    members.filter((each) => each.change === change).length;
  const asked = [
    flags.on('replace') ? '' : replaceQuestion(count('replace')),
    // A script has said it with --prune.
    questions.canAsk ? deleteQuestion(count('delete')) : '',
    questions.canAsk ? orphanQuestion(count('orphan')) : '',
  ].filter((question) => question !== '');
  for (const question of asked) if (!(await questions.confirm(question))) return false;
  return true;
}

function replaceQuestion(count: number): string {
  if (count === 0) return '';
  const its = count === 1 ? 'its provider' : 'their providers';
  return `Replace ${counted(count, 'resource')}? What ${its} created is deleted, and created again.`;
}

export function deleteQuestion(count: number): string {
  if (count === 0) return '';
  const content = count === 1 ? 'what it contains' : 'what they contain';
  return `Delete ${counted(count, 'resource')} and ${content}?`;
}

export function orphanQuestion(count: number): string {
  if (count === 0) return '';
  return `Remove ${counted(count, 'resource')}, whose ${count === 1 ? 'object stays' : 'objects stay'}?`;
}

/** @throws CliError for a plan that a question, to which --yes is the answer, does not approve */
export function requireNoDigest({ answers }: BatchesPlan): void {
  const why = whyPlanRequired(answers);
  if (why === undefined) return;
  throw new CliError(`This needs an approved plan, since ${why}.`, {
    exit: ExitCode.conflict,
    next: planNeeded,
  });
}

export function notePlanRequired({ output, talk }: Invocation, { answers }: BatchesPlan): void {
  const why = whyPlanRequired(answers);
  if (why !== undefined && output.isForPeople) {
    talk.note(`It is applied only with --plan, since ${why}.`);
  }
}

function whyPlanRequired(answers: BatchesPlan['answers']): string | undefined {
  return answers.find((each) => each.plan_required)?.plan_required ?? undefined;
}

/** @returns the digest of each batch that was shown: only that may be written */
export function approvedDigests({ flags }: Invocation, { answers }: BatchesPlan) {
  const isShown = ({ resources }: BatchesPlan['answers'][number]) =>
    flags.on('from-actual') || resources.some(needsAnswer);
  return answers.map((each) => (isShown(each) ? each.plan : undefined));
}

/** Beside replacements, what a set loses by its prune policy. */
function needsAnswer({ change }: MemberPlan): boolean {
  return change === 'replace' || change === 'delete' || change === 'orphan';
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
