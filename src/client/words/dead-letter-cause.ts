// The message of a group of dead letters, for people. Pure.
import type { DeadLetterCause } from '../../api/shapes.ts';

interface CauseMessage {
  readonly message: string;
  /** The message of one of several that differ. */
  readonly example?: string;
}

/** @returns the message of an only event; of several, what theirs have in common, and one of them */
export function causeMessage({
  count,
  error_message,
  example_message,
}: Pick<DeadLetterCause, 'count' | 'error_message' | 'example_message'>): CauseMessage {
  if (example_message === null) return { message: error_message };
  const isCommon = example_message.replace(/\s+/g, ' ').trim() === error_message;
  if (count === 1 || isCommon) return { message: example_message };
  return { message: error_message, example: example_message };
}
