// Says whether an object exists, as one observation has found after a failure or a forced deletion.
import type { DeadLetter } from '../../api/shapes.ts';

/** @param exists null when nothing is known */
export function existsText({ exists }: Pick<DeadLetter, 'exists'>): string {
  if (exists === null) return '';
  return exists ? 'yes' : 'no';
}
