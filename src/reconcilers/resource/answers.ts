// Answers of providers that were heard but could not be recorded yet, because the object changed or the API server was
// away. With them the next pass records instead of asking the provider again. Losing them is safe: events are sent again.
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../domain/json.ts';
import type { Answer } from '../../events/protocol.ts';

/** What a provider answered, and the config it answered for: the spec may have changed since. */
export interface Heard {
  readonly answer: Answer;
  readonly config: JsonObject;
  /** Hash of the outputs of others that are in the config. */
  readonly references?: string | undefined;
}

interface Attempt {
  readonly id: string;
  readonly attempt: number;
  readonly nextAttemptAt?: string | undefined;
}

export interface AnswerBook {
  find(event: Attempt): Heard | undefined;
  keep(event: Attempt, heard: Heard): void;
  drop(event: Attempt): void;
}

// One answer holds at most 512 KiB, and only answers between two writes are here.
const maximumAnswers = 256;

export function createAnswerBook(): AnswerBook {
  const answers = new LRUCache<string, Heard>({ max: maximumAnswers });
  return {
    find: (event) => answers.get(attemptOf(event)),
    keep: (event, heard) => {
      answers.set(attemptOf(event), heard);
    },
    drop: (event) => {
      answers.delete(attemptOf(event));
    },
  };
}

/**
 * A 202 keeps the attempt's number, so the time it was due tells one call of an attempt from the next.
 * @returns a text that no other call of an event has
 */
export function attemptOf({ id, attempt, nextAttemptAt = '' }: Attempt): string {
  return `${id}/${attempt}/${nextAttemptAt}`;
}
