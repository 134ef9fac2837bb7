// The meaning of the progress of all retries: for people, an event that was sent is not done. Pure.
import type { Redrive } from '../../../api/shapes.ts';

/** `sent`: what becomes of the events is shown by their resources. `done`: the only event was sent, and has not failed again. */
type RetryState = 'running' | 'held' | 'sent' | 'done';

interface CauseProgress {
  readonly state: RetryState;
  /** The state of a cause in the API. */
  readonly step: Redrive['causes'][number]['state'] | 'sent' | 'done';
  /** Events that were sent, without one whose handler works and decides about the others. */
  readonly sent: number;
}

interface Cause {
  readonly provider: string;
  readonly cause: string;
  /** How many events of it the retry has accepted. */
  readonly accepted: number;
}

/** @param redrive undefined before the first answer */
export function causeProgress(
  redrive: Redrive | undefined,
  { provider, cause, accepted }: Cause,
): CauseProgress {
  if (redrive === undefined) return { state: 'running', step: 'waiting', sent: 0 };
  const found = redrive.causes.find((each) => each.cause === cause && each.provider === provider);
  if (found === undefined) {
    const end = ended(accepted);
    return { state: end, step: end, sent: accepted };
  }
  const { state: step, count } = found;
  const waits = step === 'trying' ? 1 : 0;
  return {
    state: step === 'held' ? 'held' : 'running',
    step,
    sent: Math.max(0, accepted - count - waits),
  };
}

/** The progress of all retries, or the result of the last one, in the same words. */
export function retryProgress({ state, retried, left, held, causes }: Redrive) {
  const waits = causes.filter((each) => each.state === 'trying').length;
  return {
    state: state === 'done' ? ended(retried) : state,
    sent: Math.max(0, retried - waits),
    total: retried + left + held,
  };
}

/** A retry ends when the rest is sent; its first event has not failed again by then. */
function ended(accepted: number): 'sent' | 'done' {
  return accepted === 1 ? 'done' : 'sent';
}
