// Puts the attempts of an event in order: what is known of each of them. Pure.
import type { Explanation, ResourceEvent } from '../../../cli/api/bodies.ts';

export interface Attempt {
  readonly number: number;
  /** `next` has a time; `coming` follows if the next one fails; `unused` will not be made. */
  readonly mark: 'failed' | 'current' | 'next' | 'coming' | 'unused';
  /** Why it failed. Undefined when it is not known any more. */
  readonly message?: string | undefined;
  /** When it failed. */
  readonly at?: string | undefined;
}

export interface AttemptFacts {
  readonly event: NonNullable<Explanation['event']>;
  readonly state: string;
  readonly reason: string;
  /** Message of the failure that was recorded last. */
  readonly error: string | null;
  readonly events: readonly ResourceEvent[];
}

/** @returns the attempts from the first to the last that is permitted */
export function attemptsOf({
  event,
  state,
  reason,
  error,
  events,
}: AttemptFacts): readonly Attempt[] {
  const isOver = state === 'failed';
  const failed = isOver ? event.attempt : event.attempt - 1;
  const known = failuresIn(events, isOver);
  return Array.from({ length: Math.max(event.attempt, event.max_attempts) }, (_, index) => {
    const number = index + 1;
    if (number > failed) return { number, mark: markAfter(number, { event, reason, isOver }) };
    const last = number === failed ? (error ?? undefined) : undefined;
    const { message = last, at } = known.get(number) ?? {};
    return { number, mark: 'failed', message, at };
  });
}

function markAfter(
  number: number,
  { event, reason, isOver }: { event: AttemptFacts['event']; reason: string; isOver: boolean },
): Attempt['mark'] {
  if (isOver) return 'unused';
  if (number > event.attempt) return 'coming';
  // A provider that answers "in progress" is asked again within the same attempt.
  return reason === 'RetryScheduled' && event.next_attempt_at !== null ? 'next' : 'current';
}

/** Reasons of Kubernetes Events with which an event ends. */
const ends: readonly string[] = [
  'Processed',
  'ProviderFailed',
  'AttemptsExhausted',
  'OperationTimedOut',
  'DeleteFailed',
];
const failure = /^Attempt (\d+) failed(?:; retrying at [^ ]+)?: (.*)$/s;

interface Failure {
  readonly message?: string;
  readonly at: string;
}

/** @returns the failures of the last event, by attempt: earlier events of the resource had attempts of their own */
function failuresIn(
  events: readonly ResourceEvent[],
  isOver: boolean,
): ReadonlyMap<number, Failure> {
  let current = new Map<number, Failure>();
  let ended = current;
  for (const { reason, message, last_at } of events) {
    const [, number, why = ''] = failure.exec(message) ?? [];
    if (ends.includes(reason)) {
      ended = current;
      current = new Map();
    } else if (reason === 'RetryScheduled' && number !== undefined) {
      current.set(Number(number), { message: why, at: last_at });
    }
  }
  return isOver && current.size === 0 ? ended : current;
}
