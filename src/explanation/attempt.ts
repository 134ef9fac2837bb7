// Describes the attempt of an event that is under way, by the time at which it was due: it begins then, unless something that the API
// knows holds it up. Pure.

import type { ClaimedEvent } from '../crds/claimed-event.ts';
import { Reason } from '../crds/conditions.ts';
import type { Resource } from '../crds/resource.ts';
import { progressText } from '../domain/progress/text.ts';
import { durationText } from '../lib/duration.ts';
import { isDelivering } from '../store/resources/delivering.ts';
import { iso, resourceReason, resourceState, underWay } from '../store/resources/state.ts';
import type { DeliveryFacts } from './facts.ts';

export interface Attempt {
  readonly number: number;
  readonly maxAttempts: number;
  /** `scheduled`: it follows at `at`; `due`: since `at`, and so it is running, unless something holds it up. */
  readonly is: 'scheduled' | 'due';
  readonly at: string;
  /** Whether the provider has answered 202 and is polled in this attempt. */
  readonly isAskedAgain: boolean;
  /** The half of a replacement that it belongs to, in words; empty when it belongs to none. */
  readonly half: string;
  /** Whether the provider requested a wait for it. */
  readonly isWaitAsked: boolean;
  readonly provider: string;
  /** The report of the provider, in words; empty when it reports nothing. */
  readonly progress: string;
  readonly delivery: DeliveryFacts;
}

/** @returns undefined when no attempt is under way, nor follows at a known time */
export function attemptOf(
  resource: Resource,
  delivery: DeliveryFacts,
  { now, maxAttempts }: { readonly now: Date; readonly maxAttempts: number },
): Attempt | undefined {
  const state = resourceState(resource);
  const event = underWay(resource, state);
  const reason = resourceReason(resource, state);
  // The reason was written before the provider was ready, if it is ready now.
  const isServedAgain = reason === Reason.WaitingForProvider && delivery.isServed;
  if (event === undefined || !(isDelivering(reason) || isServedAgain)) return undefined;
  const at = dueText(event);
  return {
    number: event.attempt,
    maxAttempts,
    is: Date.parse(at) > now.getTime() ? 'scheduled' : 'due',
    at,
    isAskedAgain: event.acceptedAt !== undefined,
    half: halfOf(event),
    isWaitAsked: reason === Reason.RateLimited,
    provider: resource.spec.provider,
    progress: progressText(event.progress),
    delivery,
  };
}

/** A delivery that had to wait begins later than it was due. */
function dueText({ startedAt, nextAttemptAt = startedAt, begunAt }: ClaimedEvent): string {
  const [due, begun] = [iso(nextAttemptAt), begunAt === undefined ? '' : iso(begunAt)];
  return begun > due ? begun : due;
}

function halfOf({ type, replacement }: ClaimedEvent): string {
  if (replacement === undefined) return '';
  const what = type === 'DELETE' ? 'the old object is deleted' : 'the new object is created';
  return `in its replacement ${what}`;
}

/** Between the end of a delivery and the record of it. */
const graceSeconds = 5;

/** @returns a sentence that begins with the subject, without its full stop */
export function attemptInWords(attempt: Attempt, now: Date): string {
  const { number, maxAttempts, is, at, isAskedAgain, progress, half } = attempt;
  const asked = attempt.isWaitAsked ? ', as the provider asked' : '';
  const seconds = Math.abs(now.getTime() - Date.parse(at)) / 1_000;
  const reported = progress === '' ? '' : `${progress}; `;
  const name = `${reported}${half === '' ? '' : `${half}, `}attempt ${number} of ${maxAttempts}`;
  if (is === 'scheduled') {
    const does = isAskedAgain ? 'goes on: the provider is asked again' : 'follows';
    return `${name} ${does} in ${durationText(Math.max(1, seconds))}${asked}`;
  }
  return `${name} ${whereItIs(attempt, seconds)}`;
}

function whereItIs({ provider, delivery, isAskedAgain }: Attempt, seconds: number): string {
  const { isServed, limitSeconds, heldUp } = delivery;
  const isNow = seconds < 1;
  const due = isNow ? 'is due' : `has been due for ${durationText(seconds)}`;
  if (!isServed) return `${due}, and is under way or waits for provider ${provider}`;
  if (heldUp !== undefined) return `${due}, ${heldUp}`;
  const limit = durationText(limitSeconds);
  if (seconds > limitSeconds + graceSeconds) {
    return `${due}, longer than its limit of ${limit}; it waits for its turn, or no controller is running`;
  }
  if (isAskedAgain) return `${due}, and the provider is asked again now; its limit is ${limit}`;
  const runs = isNow ? 'is running' : `has been running for ${durationText(seconds)}`;
  return `${runs}; its limit is ${limit}`;
}
