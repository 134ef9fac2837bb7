// Pure. Decides what the answer to a delivery means for the event and its resource. First match wins.
import { Reason } from '../../crds/conditions.ts';
import type { ClaimedEvent } from '../../crds/resource.ts';
import type { Answer } from '../../events/protocol.ts';
import { isClockSkew, minSkewDelayMs, withClockSkew } from '../clock-skew/answer.ts';
import { isRefusedAtEnd, judged } from '../crashes/answer.ts';
import type { Decision, Rule, Situation } from './situation.ts';
import type { UnrecordedAnswer } from './unrecorded-answers.ts';

/** One of them applies to every answer that is not recorded yet. */
export const answerRules: readonly Rule[] = [
  completeDeletion,
  recordSuccess,
  deferOperation,
  retryAtServingVersion,
  retryAfterSharedEnd,
  retryWhenRestarted,
  retryDuringClockSkew,
  failTerminally,
  failAfterLastAttempt,
  scheduleRetry,
];

export function completeDeletion(situation: Situation): Decision | undefined {
  const found = answered(situation, 'succeeded');
  return found?.event.type === 'DELETE' ? { do: 'release' } : undefined;
}

export function recordSuccess(situation: Situation): Decision | undefined {
  const found = answered(situation, 'succeeded');
  if (found === undefined) return undefined;
  const { event, unrecorded } = found;
  return { do: 'recordSuccess', event, unrecorded };
}

/** The provider answered 202: the operation continues, and the provider is polled again. */
export function deferOperation(situation: Situation): Decision | undefined {
  const found = answered(situation, 'later');
  if (found === undefined) return undefined;
  const { event, unrecorded } = found;
  return { do: 'deferOperation', event, answer: unrecorded.answer };
}

/** Codes with which the SDK refuses what another version of its types accepts. */
const refusedByTypes: readonly string[] = ['invalid_config', 'unknown_type'];

/** Another version took over while the event was on its way: the answer is about types that are no longer in force. */
export function retryAtServingVersion(situation: Situation): Decision | undefined {
  const found = answered(situation, 'failed');
  if (found === undefined || !refusedByTypes.includes(found.unrecorded.answer.code)) {
    return undefined;
  }
  const { providerVersion, answer } = found.unrecorded;
  const serving = situation.servedBy?.version;
  if (providerVersion === undefined || serving === undefined || providerVersion === serving) {
    return undefined;
  }
  return { do: 'scheduleRetry', event: found.event, answer, isFree: true };
}

/** Another event may have ended the process, or the pod was removed: no attempt is spent. */
export function retryAfterSharedEnd(situation: Situation): Decision | undefined {
  const found = answered(situation, 'failed');
  const { processEnd } = found?.unrecorded ?? {};
  if (found === undefined || processEnd === undefined) return undefined;
  if (!processEnd.isPlanned && processEnd.others === 0) return undefined;
  return { do: 'scheduleRetry', event: found.event, answer: found.unrecorded.answer, isFree: true };
}

/** Of a pod, which is started again. An endpoint elsewhere may refuse events for ever, and nobody would see it. */
export function retryWhenRestarted(situation: Situation): Decision | undefined {
  const found = answered(situation, 'failed');
  if (found === undefined) return undefined;
  const { providerVersion, answer } = found.unrecorded;
  if (!isRefusedAtEnd(answer) || providerVersion === undefined) return undefined;
  return { do: 'scheduleRetry', event: found.event, answer, isFree: true };
}

/** A clock is to blame, not the event: no attempt is spent for ten minutes, in which somebody sets it right. */
export function retryDuringClockSkew(situation: Situation): Decision | undefined {
  const found = answered(situation, 'failed');
  if (found === undefined || !isClockSkew(found.unrecorded.answer)) return undefined;
  if (situation.waits.uncountedSkewMs === 0) return undefined;
  const { answer } = found.unrecorded;
  const retryAfterMs = Math.max(answer.retryAfterMs ?? 0, minSkewDelayMs);
  const slowed = { ...answer, retryAfterMs };
  return { do: 'scheduleRetry', event: found.event, answer: slowed, isFree: true };
}

/** No further attempt can help. The event becomes a dead letter. */
export function failTerminally(situation: Situation): Decision | undefined {
  const found = answered(situation, 'failed');
  return found?.unrecorded.answer.terminal ? failed(found, Reason.ProviderFailed) : undefined;
}

/** The attempts that the retry policy allows are used up. The event becomes a dead letter. */
export function failAfterLastAttempt(situation: Situation): Decision | undefined {
  const found = answered(situation, 'failed');
  if (found === undefined || found.event.attempt < situation.policy.maximumAttempts) {
    return undefined;
  }
  return failed(found, Reason.AttemptsExhausted);
}

export function scheduleRetry(situation: Situation): Decision | undefined {
  const found = answered(situation, 'failed');
  if (found === undefined) return undefined;
  const { event, unrecorded } = found;
  return { do: 'scheduleRetry', event, answer: unrecorded.answer };
}

interface Answered<Kind extends Answer['kind']> {
  readonly event: ClaimedEvent;
  readonly unrecorded: UnrecordedAnswer<Kind>;
}

function answered<Kind extends Answer['kind']>(
  { resource, unrecorded, now }: Situation,
  kind: Kind,
): Answered<Kind> | undefined {
  const event = resource.status?.event;
  if (event === undefined || unrecorded === undefined || !isOf(unrecorded, kind)) return undefined;
  const marked = withClockSkew(judged(event, unrecorded), unrecorded.answer, now);
  return { event: marked, unrecorded };
}

function isOf<Kind extends Answer['kind']>(
  unrecorded: UnrecordedAnswer,
  kind: Kind,
): unrecorded is UnrecordedAnswer & UnrecordedAnswer<Kind> {
  return unrecorded.answer.kind === kind;
}

function failed({ event, unrecorded }: Answered<'failed'>, reason: Reason): Decision {
  const { answer, references } = unrecorded;
  return { do: 'fail', event, failure: { ...answer, reason }, references };
}
