// Pure. A deletion asks the provider to end an operation that it answered with 202, if its type permits that. The event of the
// operation stays claimed; its CANCEL takes the place of its polls. First match wins.
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import { answeredCancel } from '../answered.ts';
import { contextLeft, sequenceAfter, withContext } from '../claimed-event.ts';
import { repeated } from '../failures/uncounted.ts';
import type { Decision, Rule, Situation } from '../situation.ts';

/** The meanings of an answer to a CANCEL, unless the operation has ended. */
export const cancelRules: readonly Rule[] = [
  askLater,
  repeatUncounted,
  pollAfterRefusal,
  pollAfterLastAttempt,
  askAgain,
];

/** Returns whether the provider has ended the operation. The deletion goes on with its context. */
export function isCancelled(situation: Situation): boolean {
  return answeredCancel(situation, 'succeeded') !== undefined;
}

export function requestCancellation(situation: Situation): Decision | undefined {
  const { resource, unrecorded, cancelsOperations = false, now } = situation;
  const event = resource.status?.event;
  if (!cancelsOperations || event === undefined || event.cancellation !== undefined) {
    return undefined;
  }
  const hasEnded = unrecorded?.answer.kind === 'failed' && unrecorded.answer.terminal;
  if (hasEnded) return undefined;
  const {
    context: _before,
    errors: _errors,
    skewedAt: _skewed,
    hold: _hold,
    progress: _progress,
    ...rest
  } = event;
  const requested: ClaimedEvent = {
    ...rest,
    attempt: 1,
    sequence: sequenceAfter(resource),
    acceptedAt: event.acceptedAt ?? now.toISOString(),
    nextAttemptAt: now.toISOString(),
    cancellation: 'Requested',
  };
  return { do: 'claim', event: withContext(requested, contextLeft(situation)) };
}

/** The operation is ending. Without another context, the provider still finds it by the one before. */
function askLater(situation: Situation): Decision | undefined {
  const found = answeredCancel(situation, 'later');
  if (found === undefined) return undefined;
  const { event, unrecorded } = found;
  const context = contextLeft(situation);
  const answer = { ...unrecorded.answer, ...(context === undefined ? {} : { context }) };
  return { do: 'deferOperation', event, answer };
}

function repeatUncounted(situation: Situation): Decision | undefined {
  const found = answeredCancel(situation, 'failed');
  return found && repeated(found, situation);
}

function pollAfterRefusal(situation: Situation): Decision | undefined {
  const found = answeredCancel(situation, 'failed');
  if (!found?.unrecorded.answer.terminal) return undefined;
  return { do: 'giveUpCancellation', event: found.event, answer: found.unrecorded.answer };
}

function pollAfterLastAttempt(situation: Situation): Decision | undefined {
  const found = answeredCancel(situation, 'failed');
  if (found === undefined || found.event.attempt < situation.policy.maxAttempts) {
    return undefined;
  }
  return { do: 'giveUpCancellation', event: found.event, answer: found.unrecorded.answer };
}

function askAgain(situation: Situation): Decision | undefined {
  const found = answeredCancel(situation, 'failed');
  if (found === undefined) return undefined;
  return { do: 'scheduleRetry', event: found.event, answer: found.unrecorded.answer };
}
