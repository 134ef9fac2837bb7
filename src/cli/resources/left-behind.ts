// Says whether an object exists, as one observation has found after a failure or a forced deletion.
import type { DeadLetter } from '../../api/shapes.ts';

/** @param exists null when nothing is known; a server before 0.2 sends none */
export function existsText({ exists = null }: Partial<Pick<DeadLetter, 'exists'>>): string {
  if (exists === null) return '';
  return exists ? 'yes' : 'no';
}
