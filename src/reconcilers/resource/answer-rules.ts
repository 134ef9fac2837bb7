// Pure. Decides what the answer to a delivery means for the event and its resource. First match wins.
import { Reason } from '../../crds/conditions.ts';
import { type Answered, answered } from './answered.ts';
import { retryUncounted } from './failures/uncounted.ts';
import { failMissingImport, recordImport } from './imports/import.ts';
import type { Decision, Rule, Situation } from './situation.ts';

/** One of them applies to every answer that is not recorded yet. */
export const answerRules: readonly Rule[] = [
  completeDeletion,
  recordSuccess,
  recordImport,
  failMissingImport,
  deferOperation,
  retryUncounted,
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

/** No further attempt can help. The event becomes a dead letter. */
export function failTerminally(situation: Situation): Decision | undefined {
  const found = answered(situation, 'failed');
  return found?.unrecorded.answer.terminal ? failedWith(found, Reason.ProviderFailed) : undefined;
}

/** The attempts that the retry policy allows are used up. The event becomes a dead letter. */
export function failAfterLastAttempt(situation: Situation): Decision | undefined {
  const found = answered(situation, 'failed');
  if (found === undefined || found.event.attempt < situation.policy.maxAttempts) {
    return undefined;
  }
  return failedWith(found, Reason.AttemptsExhausted);
}

export function scheduleRetry(situation: Situation): Decision | undefined {
  const found = answered(situation, 'failed');
  if (found === undefined) return undefined;
  const { event, unrecorded } = found;
  return { do: 'scheduleRetry', event, answer: unrecorded.answer };
}

function failedWith({ event, unrecorded }: Answered<'failed'>, reason: Reason): Decision {
  const { answer, references } = unrecorded;
  return { do: 'fail', event, failure: { ...answer, reason }, references };
}
