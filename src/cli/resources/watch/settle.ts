// Waits until resources reach a goal, and shows a line for each.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { shownState } from '../../../client/shown-state.ts';
import { counted } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { progressPercent } from '../../../domain/progress/text.ts';
import type { Api } from '../../session/api/client.ts';
import { type Invocation, startProgress } from '../../session/invocation.ts';
import { variableIn } from '../../terminal/environment.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import { shownReason } from '../resource-view.ts';
import { changesOf, type WatchSelection } from './changes.ts';
import { areBlocked, type Goal, isOlder, type Verdict, verdictOf } from './goal.ts';

export interface SettleTarget {
  /** `provider/type/name` */
  readonly ref: string;
  readonly id: string;
  readonly provider: string;
  /** The record that an apply returned: older ones do not count. */
  readonly applied?: ResourceRecord;
  /** Such as `created`. */
  readonly cells?: readonly string[];
}

interface Settled {
  readonly target: SettleTarget;
  readonly verdict: Verdict;
  /** Undefined when the resource does not exist. */
  readonly record: ResourceRecord | undefined;
}

interface SettleGoalOptions {
  readonly goal: Goal;
  /** Ends when nothing goes on without a change to another resource. */
  readonly endsWhenBlocked?: boolean;
  /** The command prints what came of the resources, so only failures have lines of their own where nothing is redrawn. */
  readonly isPrinted?: boolean;
}

/** Reports of blocks may be of the moment before an apply. */
const graceMs = 2_000;

class TimeIsUp extends Error {
  override readonly name = 'TimeIsUp';
}

interface SettleOutcome {
  /** An entry for each target; `waiting` when the time was up, or all that are left are blocked. */
  readonly results: readonly Settled[];
  readonly isTimeUp: boolean;
}

export async function settle(
  invocation: Invocation,
  targets: readonly SettleTarget[],
  options: SettleGoalOptions,
): Promise<SettleOutcome> {
  const { signal, timeoutMs, talk } = invocation;
  const api = await invocation.api();
  const timer = new AbortController();
  const timeout = setTimeout(
    () => timer.abort(new TimeIsUp()),
    Math.min(timeoutMs ?? 2 ** 31 - 1, 2 ** 31 - 1),
  );
  const progress = startProgress(invocation, {
    expected: targets.length,
    onlyFailures: options.isPrinted === true,
  });
  const wait = new Wait(targets, options, (target, entry) => {
    progress.set(target.ref, targetStep(target, entry));
  });
  try {
    await followTargets(api, {
      targets,
      wait,
      signal: AbortSignal.any([signal, timer.signal]),
      note: (text) => talk.note(text),
    });
  } catch (thrown) {
    signal.throwIfAborted();
    if (!timer.signal.aborted) throw thrown;
  } finally {
    clearTimeout(timeout);
    progress.stop();
  }
  return { results: wait.results(), isTimeUp: timer.signal.aborted };
}

/** Returns whether people saw the end of each resource as a line of progress, beside which a table would repeat it. */
export function isProgressShown({ talk, output, environment }: Invocation): boolean {
  const isRedrawn = talk.isTerminal && variableIn(environment, 'CI') === undefined;
  return isRedrawn && !talk.quiet && output.isTerminal;
}

/** @returns whether a person reads how far a request is, so that the server is asked for it */
export function seesProgress(invocation: Invocation): boolean {
  return isProgressShown(invocation) && invocation.output.isForPeople;
}

async function followTargets(
  api: Api,
  {
    targets,
    wait,
    signal,
    note,
  }: {
    targets: readonly SettleTarget[];
    wait: Wait;
    signal: AbortSignal;
    note: (text: string) => void;
  },
): Promise<void> {
  const ended = new AbortController();
  const blocked = setInterval(() => {
    if (wait.isStuck()) ended.abort(new TimeIsUp());
  }, graceMs / 4);
  try {
    const both = AbortSignal.any([signal, ended.signal]);
    for await (const change of changesOf(api, targetSelection(targets), { signal: both, note })) {
      if (change.kind === 'record') wait.see(change.record);
      else if (change.kind === 'gone') wait.lose(change.record.id);
      else wait.loseUnseen();
      if (wait.isOver()) return;
    }
  } catch (thrown) {
    if (!ended.signal.aborted) throw thrown;
  } finally {
    clearInterval(blocked);
  }
}

/** One stream for all: a server allows an organization only a few. */
function targetSelection(targets: readonly SettleTarget[]): WatchSelection {
  const [first] = targets;
  if (first !== undefined && targets.length === 1) return { id: first.id };
  const [provider, ...others] = new Set(targets.map((each) => each.provider));
  return { query: provider !== undefined && others.length === 0 ? { provider } : {} };
}

type SettlingEntry = Pick<Settled, 'record' | 'verdict'> & { readonly isSeen: boolean };

class Wait {
  readonly #targets: ReadonlyMap<string, SettleTarget>;
  readonly #entries = new Map<string, SettlingEntry>();
  readonly #options: SettleGoalOptions;
  readonly #onChange: (target: SettleTarget, entry: SettlingEntry) => void;
  #stuckSince: number | undefined;

  constructor(
    targets: readonly SettleTarget[],
    options: SettleGoalOptions,
    onChange: (target: SettleTarget, entry: SettlingEntry) => void,
  ) {
    this.#targets = new Map(targets.map((target) => [target.id, target]));
    this.#options = options;
    this.#onChange = onChange;
    for (const { id, applied } of targets) {
      const entry = { record: applied, verdict: 'waiting', isSeen: false } as const;
      if (applied === undefined) this.#entries.set(id, entry);
      else this.#set(id, entry);
    }
  }

  see(record: ResourceRecord): void {
    const target = this.#targets.get(record.id);
    if (target === undefined || isOlder(record, target.applied)) return;
    this.#set(record.id, { record, verdict: verdictOf(this.#options.goal, record), isSeen: true });
  }

  lose(id: string): void {
    if (!this.#targets.has(id)) return;
    this.#set(id, {
      record: undefined,
      verdict: verdictOf(this.#options.goal, undefined),
      isSeen: true,
    });
  }

  /** Resources that do not exist. One that was just applied may be missing in a replica that lags behind. */
  loseUnseen(): void {
    for (const [id, { isSeen }] of this.#entries) {
      if (!isSeen && this.#targets.get(id)?.applied === undefined) this.lose(id);
    }
  }

  isOver(): boolean {
    return [...this.#entries.values()].every(({ verdict }) => verdict !== 'waiting');
  }

  /** Returns whether all that are left have been blocked for a while. */
  isStuck(): boolean {
    const { endsWhenBlocked = false } = this.#options;
    const left = [...this.#entries.values()].filter(({ verdict }) => verdict === 'waiting');
    const records = left.flatMap(({ record }) => record ?? []);
    const isBlockedNow = records.length === left.length && areBlocked(records);
    if (!endsWhenBlocked || !isBlockedNow) {
      this.#stuckSince = undefined;
      return false;
    }
    this.#stuckSince ??= performance.now();
    return performance.now() - this.#stuckSince >= graceMs;
  }

  results(): readonly Settled[] {
    return [...this.#targets.values()].map((target) => {
      const { record, verdict = 'waiting' } = this.#entries.get(target.id) ?? {};
      return { target, record, verdict };
    });
  }

  #set(id: string, entry: SettlingEntry): void {
    this.#entries.set(id, entry);
    const target = this.#targets.get(id);
    if (target !== undefined) this.#onChange(target, entry);
  }
}

function targetStep({ ref, cells = [] }: SettleTarget, { record, verdict, isSeen }: SettlingEntry) {
  const isGone = record === undefined && isSeen;
  const state = isGone ? 'deleted' : targetState(record);
  const detail = record === undefined ? '' : detailOf(record);
  const percent = progressPercent(record?.progress ?? {});
  const bar = percent === undefined ? {} : { percent };
  return { state, label: ref, cells, ...bar, detail, isDone: verdict !== 'waiting' };
}

function targetState(record: ResourceRecord | undefined): string {
  return record === undefined ? 'waiting' : shownState(record);
}

/** Reasons that add nothing to the state. */
const plainReasons: readonly string[] = ['Queued', 'Processing', 'Processed', 'Deleting'];

function detailOf(record: ResourceRecord): string {
  return plainReasons.includes(record.reason) && record.message === null ? '' : shownReason(record);
}

/**
 * @returns the error for the targets that did not reach the goal, undefined when all did
 */
export function settleError(
  { results, isTimeUp }: SettleOutcome,
  goal: Goal,
): CliError | undefined {
  const missed = results.filter(({ verdict }) => verdict === 'missed');
  const waiting = results.filter(({ verdict }) => verdict === 'waiting');
  const wanted = goal === 'settled' ? 'ready' : goal;
  const bad = [...missed, ...waiting];
  const [first] = bad;
  if (first === undefined) return undefined;
  const what =
    bad.length === 1 ? `${first.target.ref} is` : `${counted(bad.length, 'resource')} are`;
  const isLate = missed.length === 0 && isTimeUp;
  const inTime = isLate ? ' in time' : '';
  return new CliError(`${what} not ${wanted}${inTime}.`, {
    exit: isLate ? ExitCode.timedOut : ExitCode.failed,
    facts: bad.map(({ target: { ref }, record }) => [
      ref,
      record === undefined ? 'does not exist' : targetState(record),
      record === undefined ? '' : shownReason(record),
    ]),
    ...nextAfterMisses(bad),
  });
}

function nextAfterMisses(bad: readonly Settled[]): { next: string } | Record<string, never> {
  const culprit =
    bad.find(({ record }) => record?.lifecycle_state === 'failed') ??
    bad.find(({ record }) => record);
  return culprit === undefined ? {} : { next: shell`Why: fairlead why ${culprit.target.ref}` };
}

/** Waits until resources are gone, and prints each that is. @returns the error for those that are still there */
export async function waitUntilGone(
  invocation: Invocation,
  targets: readonly SettleTarget[],
): Promise<CliError | undefined> {
  const { output } = invocation;
  const outcome = await settle(invocation, targets, { goal: 'deleted', isPrinted: true });
  if (output.isForPeople && !isProgressShown(invocation)) {
    for (const { target, verdict } of outcome.results) {
      if (verdict === 'reached') output.line(`${target.ref} deleted`);
    }
  }
  return settleError(outcome, 'deleted');
}
