// Pure. Decides the label of a dead letter, and which dead letters exceed the limit.
import type { StoredDeadLetter } from '../../store/dead-letters/object.ts';
import type { DeadLetterState } from '../../store/dead-letters/state.ts';

/** @returns undefined when the label is right, or when the outcome of the dead letter is still open */
export function decideMark(marked: boolean, state: DeadLetterState): boolean | undefined {
  if (state === 'underWay') return undefined;
  const wanted = state === 'superseded';
  return wanted === marked ? undefined : wanted;
}

/** @returns the oldest beyond the newest `kept`, from dead letters that are all superseded */
export function surplusDeadLetters(
  deadLetters: readonly StoredDeadLetter[],
  kept: number,
): readonly StoredDeadLetter[] {
  const age = ({ failedAt, eventId }: StoredDeadLetter) => `${failedAt.toISOString()} ${eventId}`;
  const newestFirst = deadLetters.toSorted((left, right) => (age(left) < age(right) ? 1 : -1));
  return newestFirst.slice(kept);
}
