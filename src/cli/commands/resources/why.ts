// `fairlead why`: explains why a resource, or all that are not ready, are in their state: the deepest cause first, whole messages,
// and what to do.
import type {
  CauseGroup,
  Explanation,
  ExplanationLink,
  NextStep,
  SetWithMembers,
} from '../../../api/shapes.ts';
import { driftWordOf } from '../../../client/drift.ts';
import { counted, since } from '../../../client/time.ts';
import { commandFor } from '../../../client/words/next-step.ts';
import { codesText, errorParts, reasonParts, saidOnce } from '../../../client/words/reason-text.ts';
import { firstNames } from '../../../lib/text.ts';
import { oneResource } from '../../resources/find.ts';
import { paintedReason } from '../../resources/resource-view.ts';
import type { Api } from '../../session/api/client.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { Output } from '../../terminal/output.ts';
import { besideTitle, commandLines } from '../../terminal/prose.ts';
import { signOf } from '../../terminal/style.ts';
import { readSet } from './sets.ts';

export async function why(invocation: Invocation): Promise<void> {
  const { args, flags } = invocation;
  const [name] = args;
  const set = flags.text('set');
  if (flags.on('all') || set !== undefined || name === undefined) {
    if (name !== undefined) throw usageError('Name one resource, or pass --all or --set.');
    if (set !== undefined && invocation.output.isForPeople) await explainSet(invocation, set);
    return await explainAll(invocation, set);
  }
  const api = await invocation.api();
  const { id } = oneResource(name);
  const explanation = await api.call('explainResource', { path: { resource_id: id } });
  if (!invocation.output.isForPeople) return await invocation.output.value(explanation);
  showExplanation(invocation, explanation);
  await explainSetOf(invocation, id);
}

function showExplanation({ output, flags }: Invocation, explanation: Explanation): void {
  const { summary, chain, event, dead_letter: letter, log_excerpt: log, users, next } = explanation;
  output.prose(summary);
  if (chain.length > 0) {
    output.line('');
    output.rows(saidOnce(explanation).map((link, at) => chainRow(link, { at, output })));
  }
  const facts = [
    ...(event === null || isInSummary(summary, event)
      ? []
      : [['event', attemptText(event, output)]]),
    ...(event === null ? [] : attemptRows(event.errors, output.look.now)),
    ...(letter === null
      ? []
      : [['dead letter', `${letter.event_id}${sameCause(letter.same_cause)}`]]),
    ...log.map((line, at) => [at === 0 ? 'log' : '', line]),
    ...(users.length === 0 ? [] : [['used by', usersText(users, flags.on('users'))]]),
  ];
  if (facts.length > 0) {
    output.line('');
    output.rows(facts);
  }
  showNext(output, next);
}

function isInSummary(
  summary: string,
  { attempt, max_attempts: max }: NonNullable<Explanation['event']>,
) {
  return summary.includes(`attempt ${attempt} of ${max} `);
}

function chainRow(
  { kind, ref, state, reason, message, since: from }: ExplanationLink,
  { at, output }: { at: number; output: Output },
): string[] {
  const { style, look } = output;
  const sign = style.unicode ? '↳' : '>';
  const shown = driftWordOf(reason) ?? state;
  const first = at === 0 ? signOf(shown, style) : sign;
  const what = kind === 'resource' ? ref : `${kind} ${ref}`;
  const age = since(from, look.now);
  const ofAge = age === '' ? '' : `for ${age}`;
  const why = paintedReason(reasonParts(reason, message), style);
  return [`  ${first} ${shown}`, what, ofAge, why];
}

function attemptText(
  {
    attempt,
    max_attempts,
    next_attempt_at,
    due_since: due,
    limit_seconds: limit,
  }: NonNullable<Explanation['event']>,
  { look }: Output,
): string {
  const text = `attempt ${attempt} of ${max_attempts}`;
  const within = limit === null ? '' : `, limit ${limit}s`;
  if (due !== null) return `${text}, due for ${since(due, look.now)}${within}`;
  if (next_attempt_at === null) return text;
  const seconds = Math.ceil((Date.parse(next_attempt_at) - look.now.getTime()) / 1_000);
  return seconds <= 0 ? `${text}, due now` : `${text}, next in ${seconds}s`;
}

function sameCause(count: number | null): string {
  return count === null || count === 0 ? '' : `, ${counted(count, 'other')} with the same cause`;
}

const maxUsers = 5;

function usersText(names: readonly string[], all: boolean): string {
  if (all || names.length <= maxUsers) return names.join(', ');
  return `${firstNames(names, maxUsers)} (--users)`;
}

function showNext(output: Output, steps: readonly NextStep[]): void {
  if (steps.length === 0) return;
  output.line('');
  for (const [at, step] of steps.entries())
    showStep(output, step, at === 0 ? nextTitle : '       ');
}

const nextTitle = 'Next:  ';

/** The command has lines of its own, which can be copied. */
function showStep(output: Output, step: NextStep, title: string): void {
  for (const line of besideTitle(title, step.why, output.width)) output.line(line);
  const command = commandFor(step);
  if (command === undefined) return;
  for (const line of commandLines(command, title.length + 2, output.width)) output.line(line);
}

/** Shows that the set of a resource is half done, which is no cause of the state of the resource. */
async function explainSetOf({ api, output }: Invocation, id: string): Promise<void> {
  const set = await setOf(await api(), id);
  if (set?.complete !== false) return;
  output.line('');
  output.prose(incompleteText(set, output.look.now, ` of its set ${set.set}`));
}

const goneCodes = ['resource_not_found', 'set_not_found'];

/** @returns undefined for a resource without a set; one that is being deleted is no member any more */
async function setOf(api: Api, id: string): Promise<SetWithMembers | undefined> {
  try {
    const { set, project_id } = await api.call('getResource', { path: { resource_id: id } });
    // Earlier releases have no sets.
    if (typeof set !== 'string') return undefined;
    const query = project_id === null ? {} : { project_id };
    return await api.call('getSet', { path: { set }, query });
  } catch (thrown) {
    if (thrown instanceof ApiError && goneCodes.includes(thrown.code ?? '')) return undefined;
    throw thrown;
  }
}

/** @param of its name, where nobody has named it */
function incompleteText(set: SetWithMembers, now: Date, of = ''): string {
  const { applied_by, applied_by_name: by = applied_by, applied_at } = set;
  const age = since(applied_at, now);
  return `The last apply or deletion${of}, by ${by} ${age} ago, is not complete.  Run it again.`;
}

/** Shows what stands in the way of a set as a whole. */
async function explainSet(invocation: Invocation, name: string): Promise<void> {
  const { output } = invocation;
  const set = await readSet(invocation, name);
  const { unlisted } = set;
  if (set.complete === false) output.prose(incompleteText(set, output.look.now));
  if (unlisted.length > 0) {
    const names = firstNames(unlisted, maxUsers);
    output.prose(`The last apply did not name ${names}: --prune leave, orphan or delete decides.`);
  }
}

async function explainAll(
  { output, talk, api, context }: Invocation,
  set: string | undefined,
): Promise<void> {
  const { project } = await context();
  const ofProject = project === undefined ? {} : { project_id: project };
  const ofSet = set === undefined ? {} : { set };
  const query = { ...ofProject, ...ofSet, deleting: 'include' } as const;
  const groups = await (await api()).call('listExplanations', { query });
  if (!output.isForPeople) {
    await output.value(groups);
    return;
  }
  if (groups.length === 0) {
    talk.note(`Every ${set === undefined ? 'resource' : `member of ${set}`} is ready or a draft.`);
  }
  for (const [at, group] of groups.entries()) {
    if (at > 0) output.line('');
    showGroup(output, group);
  }
}

function showGroup(output: Output, { cause, count, resources, next }: CauseGroup): void {
  output.rows([chainRow(cause, { at: 0, output })]);
  const more = count - resources.length;
  const names = [...resources, ...(more > 0 ? [`and ${more} more`] : [])];
  output.rows([['   ', counted(count, 'resource'), names.join(', ')]]);
  const [first] = next;
  if (first !== undefined) showStep(output, first, `     ${nextTitle}`);
}

// Lists why earlier attempts of an event failed, for `fairlead why`.

type ListedAttemptError = NonNullable<Explanation['event']>['errors'][number];

/** Attempts in a row with one error. */
interface ErrorRun {
  readonly first: ListedAttemptError;
  last: ListedAttemptError;
}

/**
 * @param errors in the order of their attempts
 * @returns a row for each run of attempts with one error; without the last error, which the explanation shows in full
 */
export function attemptRows(errors: readonly ListedAttemptError[], now: Date): string[][] {
  const latest = errors.at(-1)?.error;
  return runsOf(errors)
    .filter(({ first }) => first.error !== latest)
    .map(({ first, last }) => [
      first === last ? `attempt ${first.attempt}` : `attempts ${first.attempt}-${last.attempt}`,
      `${codeLast(first.error)} (${since(last.failed_at, now)} ago)`,
    ]);
}

function codeLast(error: string): string {
  const { sentence, codes } = errorParts(error);
  return `${sentence}${codesText(codes)}`;
}

function runsOf(errors: readonly ListedAttemptError[]): readonly ErrorRun[] {
  const runs: ErrorRun[] = [];
  for (const each of errors) {
    const run = runs.at(-1);
    if (run?.first.error === each.error) run.last = each;
    else runs.push({ first: each, last: each });
  }
  return runs;
}
