// Pure. Decides about the observation of a Resource; first match wins.
import { firstMatch, type RuleOf } from '../../lib/first-match.ts';
import { correctionDue, type Gate } from './correction.ts';
import type { Subject } from './subject.ts';

export type Decision =
  | { readonly do: 'nothing' }
  | { readonly do: 'wait'; readonly until: Date }
  /** Ask the provider. @property request the request that it answers */
  | { readonly do: 'observe'; readonly request?: string | undefined }
  /** Begin an event that makes the object what the config declares. */
  | { readonly do: 'correct' };

export interface Situation {
  readonly subject: Subject;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** When this process began to observe, in milliseconds since 1970. */
  readonly beganAt: number;
  /** The next moment of the schedule; Infinity without one. */
  readonly next: number;
  /** A request that was not answered yet. */
  readonly request: string | undefined;
  readonly isSuspended: boolean;
  /** Observations of its provider that are under way, wait, or have a slot and are about to begin. */
  readonly pending: number;
  /** Failures since the last observation that succeeded. */
  readonly failures: number;
  /** Whether the last observation is recent enough to act on it. */
  readonly isConfirmed: boolean;
  /** Whether corrections of its provider may begin. */
  readonly gate: () => Gate['is'];
}

type Rule = RuleOf<[Situation], Decision>;

const rules: readonly Rule[] = [
  holdWhileSuspended,
  observeOnRequest,
  observeWhenDue,
  correctWhenDue,
  waitForTheNextMoment,
];

export function decide(situation: Situation): Decision {
  return firstMatch(rules, situation) ?? { do: 'nothing' };
}

/** Nothing of a suspended organization is sent anywhere; its resumption wakes its resources. */
function holdWhileSuspended({ isSuspended }: Situation): Decision | undefined {
  return isSuspended ? { do: 'nothing' } : undefined;
}

function observeOnRequest({ request }: Situation): Decision | undefined {
  return request === undefined ? undefined : { do: 'observe', request };
}

function observeWhenDue({ next, now }: Situation): Decision | undefined {
  return next <= now ? { do: 'observe' } : undefined;
}

function correctWhenDue(situation: Situation): Decision | undefined {
  const { subject, now, pending, gate, isConfirmed, failures } = situation;
  const due = correctionDue(subject, situation);
  if (due === undefined || due > now || !isNoticed(subject)) return undefined;
  // The others of the window may still show that the provider looks in the wrong place. What is to be observed again goes on: if those
  // that a release wakes waited for each other, one would be observed at each look.
  if (pending > 0 && isConfirmed) return waitUntilNext(situation);
  const is = gate();
  if (is === 'held') return undefined;
  // A difference of before an outage or a release may have been repaired since.
  if (!isConfirmed) return failures === 0 ? { do: 'observe' } : undefined;
  return is === 'unknown' ? waitUntilNext(situation) : { do: 'correct' };
}

function waitUntilNext({ now, next }: Situation): Decision {
  return { do: 'wait', until: new Date(Math.min(next, now + lookAgainMs)) };
}

/**
 * Returns whether the status is of the present generation. Otherwise the resource reconciler is about to write it, and of the two
 * writes of a correction the second would lose: it would wait for the next interval.
 */
function isNoticed({ resource: { metadata, status } }: Subject): boolean {
  return status?.observedGeneration === metadata.generation;
}

export const lookAgainMs = 5_000;

function waitForTheNextMoment(situation: Situation): Decision | undefined {
  const { subject, now, next } = situation;
  const due = correctionDue(subject, situation) ?? Number.POSITIVE_INFINITY;
  // One that is held is woken by the change of its provider.
  const until = Math.min(next, due > now ? due : Number.POSITIVE_INFINITY);
  return Number.isFinite(until) ? { do: 'wait', until: new Date(until) } : undefined;
}
