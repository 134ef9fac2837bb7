// Puts the attempts of an event in order: what is known of each of them. Pure.
import type { Explanation } from '../../../../api/shapes.ts';

type AttemptedEvent = NonNullable<Explanation['event']>;
export interface MarkedAttempt {
  readonly number: number;
  /** `next` has a time; `coming` follows if the next one fails; `unused` will not be made. */
  readonly mark: 'failed' | 'current' | 'next' | 'coming' | 'unused';
  /** Why it failed, perhaps without being spent. Undefined when it is not known any more. */
  readonly message?: string | undefined;
  /** When it failed. */
  readonly at?: string | undefined;
}

export interface AttemptFacts {
  readonly event: AttemptedEvent;
  readonly state: string;
  readonly reason: string;
  /** Message of the failure that was recorded last. */
  readonly error: string | null;
}

/** @returns the attempts from the first to the last that is permitted */
export function attemptsOf({
  event,
  state,
  reason,
  error,
}: AttemptFacts): readonly MarkedAttempt[] {
  const isOver = state === 'failed';
  const failed = isOver ? event.attempt : event.attempt - 1;
  const known = new Map(event.errors.map((each) => [each.attempt, each]));
  return Array.from({ length: Math.max(event.attempt, event.max_attempts) }, (_, index) => {
    const number = index + 1;
    const stored = known.get(number);
    if (number > failed) {
      // An attempt that was not spent is made again, and has an error already.
      const message = stored && fullMessage(stored, error);
      return { number, mark: markAfter(number, { event, reason, isOver }), message };
    }
    const message = fullMessage(stored, number === failed ? error : null);
    return { number, mark: 'failed', message, at: stored?.failed_at };
  });
}

function markAfter(
  number: number,
  { event, reason, isOver }: { event: AttemptedEvent; reason: string; isOver: boolean },
): MarkedAttempt['mark'] {
  if (isOver) return 'unused';
  if (number > event.attempt) return 'coming';
  // A provider that answers "in progress" is polled within the same attempt.
  const follows = reason !== 'InProgress' && event.next_attempt_at !== null;
  return follows ? 'next' : 'current';
}

/** @returns the message of a failed attempt; in full when the record, which is read separately, has it */
function fullMessage(
  stored: AttemptedEvent['errors'][number] | undefined,
  recorded: string | null,
): string | undefined {
  if (stored === undefined) return recorded ?? undefined;
  const beginning = stored.error.replace(/…$/, '');
  return recorded?.startsWith(beginning) ? recorded : stored.error;
}
