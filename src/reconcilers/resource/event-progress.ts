// The traces that the attempts of an event leave in its claim. Pure.
import {
  type AttemptError,
  type ClaimedEvent,
  maxAttemptErrorLength,
  maxAttemptErrors,
} from '../../crds/claimed-event.ts';
import { truncate } from '../../lib/text.ts';

/**
 * @param error of the present attempt; masked, because secrets cannot be recognised in a text that was cut
 * @returns the event with the errors of its attempts; of an attempt that is repeated, the last one
 */
export function withError(event: ClaimedEvent, error: string, now: Date): ClaimedEvent {
  const { attempt, errors = [] } = event;
  const earlier = errors.filter((each) => each.attempt < attempt);
  const latest: AttemptError = {
    attempt,
    error: truncate(error, maxAttemptErrorLength),
    failedAt: now.toISOString(),
  };
  return { ...event, errors: [...earlier, latest].slice(-maxAttemptErrors) };
}

/** @returns an event as it was claimed, without what its attempts have left */
export function withoutProgress({
  nextAttemptAt: _due,
  begunAt: _begun,
  acceptedAt: _accepted,
  context: _context,
  crash: _crash,
  cancellation: _cancellation,
  hold: _hold,
  errors: _errors,
  progress: _progress,
  ...event
}: ClaimedEvent): ClaimedEvent {
  return event;
}
