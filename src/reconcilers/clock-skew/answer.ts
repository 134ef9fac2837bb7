// Compares the clocks of the provider and of Fairlead by the answer to a delivery. Pure.
import type { ClaimedEvent } from '../../crds/claimed-event.ts';
import type { Answer } from '../../events/protocol.ts';

/** The code that the SDK answers with 503 when a signature is right, but not valid at its time. */
const skewCode = 'clock_skew';

/** Returns whether a provider blames a clock. A terminal failure with the same code is the word of a handler. */
export function isClockSkew(answer: Answer): answer is Extract<Answer, { kind: 'failed' }> {
  return answer.kind === 'failed' && !answer.terminal && answer.code === skewCode;
}

/** @returns the event with the time since when its answers blame a clock; silence is no answer */
export function withClockSkew(event: ClaimedEvent, answer: Answer, now: Date): ClaimedEvent {
  if (answer.kind === 'failed' && answer.unanswered === true) return event;
  if (isClockSkew(answer)) return { ...event, skewedAt: event.skewedAt ?? now.toISOString() };
  const { skewedAt: _since, ...rest } = event;
  return rest;
}
