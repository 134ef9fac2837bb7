// The sentences of the status of a resource about its object. Pure.

import { firstNames } from '../../lib/text.ts';
import type { RecordedDrift } from './drift.ts';

const maxNamed = 5;

export function driftInWords({ kind, changes, total, compared }: RecordedDrift): string {
  if (kind === 'Gone') return 'The object does not exist any more';
  const places = changes.map(({ path }) => path);
  const verb = total === 1 ? 'differs' : 'differ';
  return `${total} of ${compared} compared values ${verb} from the config: ${firstNames(places, maxNamed, total)}`;
}

export const loopInWords =
  'it was corrected three times and differed again, so somebody else changes it; it is only reported now';

export function inSyncInWords({
  compared,
  unknown,
}: {
  compared: number;
  unknown: number;
}): string {
  const rest = unknown === 0 ? '' : `; ${unknown} could not be observed`;
  return `Observed as declared: ${compared} ${compared === 1 ? 'value' : 'values'} compared${rest}`;
}
