// The sentences of the status of a resource about its object. Pure.
import type { RecordedDrift } from './drift.ts';

const maxNamed = 5;

export function driftInWords({ kind, changes, total, compared }: RecordedDrift): string {
  if (kind === 'Gone') return 'The object does not exist any more';
  const named = changes.slice(0, maxNamed).map(({ path }) => path);
  const more = total > named.length ? ` and ${total - named.length} more` : '';
  const verb = total === 1 ? 'differs' : 'differ';
  return `${total} of ${compared} compared values ${verb} from the config: ${named.join(', ')}${more}`;
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
