// Pure. Failed attempts that say nothing about their event: they are repeated and not counted. First match wins.
import { minUncountedDelayMs } from '../../../domain/retry.ts';
import { firstMatch, type RuleOf } from '../../../lib/first-match.ts';
import { isClockSkew } from '../../clock-skew/answer.ts';
import { isInterrupted, isSuspected } from '../../crashes/answer.ts';
import { type Answered, answered } from '../answered.ts';
import type { AnswerOf, UnrecordedAnswer } from '../delivery/unrecorded-answers.ts';
import { asksToWait } from '../hold.ts';
import type { Decision, Situation } from '../situation.ts';

type UncountedFailure = UnrecordedAnswer<'failed'>;

/** @returns the answer by which the attempt is repeated */
type UncountedRule = RuleOf<[UncountedFailure, Situation], AnswerOf<'failed'>>;

const causes: readonly UncountedRule[] = [
  askedToWait,
  refusedByAnotherVersion,
  endedWithOthers,
  interruptedInPod,
  refusedWithoutKeys,
  refusedByClock,
];

export function retryUncounted(situation: Situation): Decision | undefined {
  const found = answered(situation, 'failed');
  return found && repeated(found, situation);
}

/** @returns undefined when the attempt counts */
export function repeated(
  { event, unrecorded }: Answered<'failed'>,
  situation: Situation,
): Decision | undefined {
  const answer = firstMatch(causes, unrecorded, situation);
  if (answer === undefined) return undefined;
  if (asksToWait(answer)) return { do: 'hold', event, answer };
  return { do: 'scheduleRetry', event, answer, isFree: true };
}

/** By the provider, for so long. */
function askedToWait({ answer }: UncountedFailure) {
  return asksToWait(answer) ? answer : undefined;
}

/** Codes with which the SDK refuses what another version of its types accepts. */
const refusedByTypes: readonly string[] = [
  'invalid_config',
  'migration_failed',
  'unknown_type',
  'not_cancellable',
];

/** Another version took over while the event was on its way: the answer is about types that are no longer in force. */
function refusedByAnotherVersion(
  { answer, providerVersion }: UncountedFailure,
  { servedBy }: Situation,
) {
  const isOther = providerVersion !== undefined && servedBy !== undefined;
  const isOutdated = isOther && providerVersion !== servedBy.version;
  return isOutdated && refusedByTypes.includes(answer.code) ? answer : undefined;
}

/** Another event may have ended the pod, or it was removed. */
function endedWithOthers({ answer, processEnd }: UncountedFailure, { resource }: Situation) {
  if (processEnd === undefined) return undefined;
  const isUncounted =
    processEnd.isPlanned || isSuspected(processEnd, resource.status?.event?.crash);
  return isUncounted ? answer : undefined;
}

/** By the end of a process. A pod has another one soon; an endpoint elsewhere may refuse events for ever, and nobody would see it. */
function interruptedInPod({ answer, providerVersion }: UncountedFailure) {
  return isInterrupted(answer) && providerVersion !== undefined ? answer : undefined;
}

/** The code that the SDK answers while the API, from which it fetches the keys, does not listen: after a restart, to a new pod. */
const withoutKeys = 'keys_unavailable';

/** A pod may never reach the API, so that attempts count ten minutes after the claim. */
function refusedWithoutKeys({ answer, providerVersion }: UncountedFailure, { waits }: Situation) {
  const isRefused = answer.code === withoutKeys && !answer.terminal;
  if (!isRefused || providerVersion === undefined || waits.uncountedKeysMs === 0) return undefined;
  return slowedDown(answer);
}

/** For ten minutes, in which somebody sets the clock right. */
function refusedByClock({ answer }: UncountedFailure, { waits }: Situation) {
  return isClockSkew(answer) && waits.uncountedSkewMs > 0 ? slowedDown(answer) : undefined;
}

function slowedDown(answer: AnswerOf<'failed'>): AnswerOf<'failed'> {
  return { ...answer, retryAfterMs: Math.max(answer.retryAfterMs ?? 0, minUncountedDelayMs) };
}
