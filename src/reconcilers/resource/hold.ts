// Pure. The waits that a provider asks for with 429 and `Retry-After`: they spend no attempt, and end with the limit of operations.
import type { ClaimedEvent } from '../../crds/claimed-event.ts';
import { settingsRefused } from '../../domain/event.ts';
import type { Answer } from '../../events/protocol.ts';
import type { AnswerOf } from './delivery/unrecorded-answers.ts';

/** A failure by which the provider asks to wait. */
export type WaitAsked = AnswerOf<'failed'> &
  Required<Pick<AnswerOf<'failed'>, 'retryAfterMs' | 'retryScope'>>;

export function asksToWait(answer: Answer): answer is WaitAsked {
  return answer.kind === 'failed' && answer.retryScope !== undefined;
}

/** Returns whether the wait ends with other settings, and not by itself. */
export function areSettingsRefused({ code }: Pick<WaitAsked, 'code'>): boolean {
  return code === settingsRefused;
}

/** @returns the event with the time since when its answers ask to wait; silence is no answer */
export function withHold(event: ClaimedEvent, answer: Answer, now: Date): ClaimedEvent {
  if (answer.kind === 'failed' && answer.unanswered === true) return event;
  const { hold, ...rest } = event;
  if (!asksToWait(answer)) return rest;
  const scope = answer.retryScope === 'provider' ? 'Provider' : 'Resource';
  const at = now.toISOString();
  if (!areSettingsRefused(answer)) return { ...event, hold: { since: hold?.since ?? at, scope } };
  // Settings may stay refused for days: the limits of waits and of operations count from when they work again.
  const operation = rest.acceptedAt === undefined ? {} : { acceptedAt: at };
  return { ...rest, ...operation, hold: { since: at, scope } };
}
