// Ends an apply: waits for what was written, prints the resources, and reports what failed.

import type { MemberPlan, ResourceRecord } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import type { Invocation } from '../../session/invocation.ts';
import { variableIn } from '../../terminal/environment.ts';
import type { CliError } from '../../terminal/errors/cli-error.ts';
import { resourceView } from '../resource-view.ts';
import { isProgressShown, type SettleTarget, settle, settleError } from '../watch/settle.ts';
import { changeWord, changeWords } from './changes.ts';
import { type MemberResult, resultView } from './plan-view.ts';

/** @throws CliError when a resource is not ready in the end */
export async function finishApply(
  invocation: Invocation,
  members: readonly MemberPlan[],
): Promise<void> {
  const { flags, output } = invocation;
  const files = flags.on('recursive') ? [] : flags.texts('file');
  const settled = await settledMembers(invocation, members, { files });
  const results = resultsOf(members, settled);
  if (!output.isForPeople) {
    const records = results.flatMap(({ record }) => record ?? []);
    await output.list(records, resourceView);
  } else if (!settled.isShown) await output.list(results, resultView);
  if (settled.error !== undefined) throw settled.error;
}

/** @returns each with the record that it has in the end */
export function resultsOf(
  members: readonly MemberPlan[],
  { records }: Pick<Waited, 'records'>,
): readonly MemberResult[] {
  return members.map((member) => ({ member, record: records.get(member.id) ?? member.record }));
}

interface Waited {
  readonly records: ReadonlyMap<string, ResourceRecord>;
  readonly error: CliError | undefined;
  /** Lines of progress have shown each resource on the terminal. */
  readonly isShown: boolean;
}

/** Waits for what was applied, unless `--no-wait`; by default on a terminal. */
export async function settledMembers(
  invocation: Invocation,
  members: readonly MemberPlan[],
  how: OutcomeWait,
): Promise<Waited> {
  return await settledTargets(invocation, members.flatMap(settleTarget), how);
}

/** An accepted resource, which is waited for, with the record that was the answer. */
export type AcceptedTarget = SettleTarget & { readonly applied: ResourceRecord };

interface OutcomeWait {
  /** The files of `-f`. */
  readonly files?: readonly string[];
  /** Without `--wait` and `--no-wait`; on a terminal by default. */
  readonly waits?: boolean;
  /** The command prints what came of each. */
  readonly isPrinted?: boolean;
}

/** Waits for what was accepted, unless `--no-wait`. */
export async function settledTargets(
  invocation: Invocation,
  targets: readonly AcceptedTarget[],
  { files = [], waits, isPrinted = false }: OutcomeWait = {},
): Promise<Waited> {
  const { flags, talk, environment, signal } = invocation;
  const isTerminal = talk.isTerminal && variableIn(environment, 'CI') === undefined;
  const [first, ...rest] = targets;
  const isOver = targets.every(({ applied }) => hasSettled(applied));
  const isWaiting = flags.choice('wait') ?? waits ?? isTerminal;
  if (first === undefined || !isWaiting || (isOver && !isTerminal && waits !== true)) {
    return { records: new Map(), error: undefined, isShown: false };
  }
  try {
    const outcome = await settle(invocation, [first, ...rest], {
      goal: 'settled',
      endsWhenBlocked: true,
      isPrinted,
    });
    const records = outcome.results.flatMap(({ record }) =>
      record === undefined ? [] : [[record.id, record] as const],
    );
    const error = settleError(outcome, 'settled');
    return { records: new Map(records), error, isShown: isProgressShown(invocation) };
  } catch (thrown) {
    if (signal.aborted) {
      talk.note(
        `Nothing was cancelled: ${counted(targets.length, 'resource was', 'resources were')} accepted.  Go on: ${waitCommand(targets, files)}`,
      );
    }
    throw thrown;
  }
}

/** Standard input cannot be read a second time. */
function waitCommand(targets: readonly SettleTarget[], files: readonly string[]): string {
  if (files.length > 0 && !files.includes('-')) {
    return shell`fairlead wait ${files.flatMap((file) => ['-f', file])}`;
  }
  const refs = targets.map(({ ref }) => ref);
  return refs.length > maxNamed ? 'fairlead get -w' : shell`fairlead wait ${refs}`;
}

const maxNamed = 3;

/** @returns none for members that the request does not name */
function settleTarget(member: MemberPlan): readonly AcceptedTarget[] {
  const { resource: ref, id, record } = member;
  if (record === null || changeWords(member).isOther) return [];
  const { provider } = record;
  return [{ ...{ ref, id, provider, applied: record }, cells: [changeWord(member)] }];
}

/** Returns whether nothing is under way for a resource. */
function hasSettled({ lifecycle_state, deletion_requested_at }: ResourceRecord): boolean {
  const settled: readonly string[] = ['draft', 'ready', 'failed'];
  return deletion_requested_at === null && settled.includes(lifecycle_state);
}
