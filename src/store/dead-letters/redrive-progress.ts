// Computes the progress of the redrives of an organization from their objects and the present dead letters. Pure.
import type { redriveStates } from '../../domain/dead-letter.ts';
import type { RedriveResult } from './redrive-result.ts';
import {
  accepts,
  type CauseState,
  causeKeyOf,
  type PlacedDeadLetter,
  type Redrive,
  selects,
} from './redrives.ts';

interface RedriveCause {
  readonly provider: string;
  readonly cause: string;
  readonly state: CauseState | 'waiting';
  /** Present dead letters of the cause. */
  readonly count: number;
}

export interface RedriveProgress {
  /** `held`: the last redrive ended, and dead letters stay because their cause failed again. */
  readonly state: (typeof redriveStates)[number];
  /** Accepted dead letters that are gone: they were sent again, or became superseded. */
  readonly retried: number;
  /** Dead letters that will be sent. */
  readonly left: number;
  /** Dead letters that stay. */
  readonly held: number;
  /** Most frequent first, at most a hundred; those of which only a canary is under way at the end. */
  readonly causes: readonly RedriveCause[];
  readonly endedAt: Date | undefined;
}

interface ProgressFacts {
  readonly running: readonly Redrive[];
  readonly result: RedriveResult | undefined;
  /** Excluding superseded ones. */
  readonly deadLetters: readonly PlacedDeadLetter[];
}

const maxCauses = 100;

export function redriveProgress({ running, result, deadLetters }: ProgressFacts): RedriveProgress {
  const isRunning = running.length > 0;
  const stateOf = isRunning ? stateIn(running) : stateAfter(result);
  const causes = [...redriveCauses(deadLetters, stateOf), ...canariesAlone(running, deadLetters)];
  const held = countOf(causes.filter(({ state }) => state === 'held'));
  const left = countOf(causes) - held;
  const accepted = isRunning
    ? running.reduce((sum, each) => sum + each.accepted, 0)
    : (result?.accepted ?? 0);
  return {
    state: isRunning ? 'running' : held > 0 ? 'held' : 'done',
    retried: Math.max(0, accepted - left - held),
    left,
    held,
    causes: causes.slice(0, maxCauses),
    endedAt: isRunning ? undefined : result?.endedAt,
  };
}

/** @returns undefined when no redrive has to do with the dead letter */
type StateOf = (deadLetter: PlacedDeadLetter) => RedriveCause['state'] | undefined;

function redriveCauses(
  deadLetters: readonly PlacedDeadLetter[],
  stateOf: StateOf,
): readonly RedriveCause[] {
  const causes = new Map<string, RedriveCause>();
  for (const deadLetter of deadLetters) {
    const state = stateOf(deadLetter);
    if (state === undefined) continue;
    const { provider, cause } = deadLetter;
    // One redrive may hold a cause that a later one tries again.
    const key = `${causeKeyOf(deadLetter)}/${state}`;
    causes.set(key, { provider, cause, state, count: (causes.get(key)?.count ?? 0) + 1 });
  }
  return [...causes.values()].sort((left, right) => right.count - left.count);
}

/** Causes whose canary is under way, and of which nothing else is left: the redrive waits for it. */
function canariesAlone(
  running: readonly Redrive[],
  deadLetters: readonly PlacedDeadLetter[],
): readonly RedriveCause[] {
  const present = new Set(deadLetters.map(causeKeyOf));
  const trying = running.flatMap(({ causes }) =>
    Object.entries(causes).flatMap(([key, { state }]) => (state === 'trying' ? [key] : [])),
  );
  return [...new Set(trying)]
    .filter((key) => !present.has(key))
    .map((key) => {
      const [provider = '', cause = ''] = key.split('/');
      return { provider, cause, state: 'trying', count: 0 };
    });
}

function countOf(causes: readonly RedriveCause[]): number {
  return causes.reduce((sum, { count }) => sum + count, 0);
}

function stateIn(running: readonly Redrive[]): StateOf {
  return (deadLetter) => {
    const key = causeKeyOf(deadLetter);
    const resending = running.find((redrive) => accepts(redrive, deadLetter));
    if (resending !== undefined) return resending.causes[key]?.state ?? 'waiting';
    const holds = (redrive: Redrive) =>
      selects(redrive, deadLetter) && redrive.causes[key]?.state === 'held';
    return running.some(holds) ? 'held' : undefined;
  };
}

function stateAfter(result: RedriveResult | undefined): StateOf {
  const held = new Set(result?.held);
  return (deadLetter) => (held.has(causeKeyOf(deadLetter)) ? 'held' : undefined);
}
