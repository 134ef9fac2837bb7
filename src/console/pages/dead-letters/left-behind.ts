// Says whether a failed creation, or a removal without clean-up, has left an object behind. Pure.
import type { DeadLetter, Receipt } from '../../../api/shapes.ts';
import { text } from './text.ts';

/** Null: nothing was observed. */
type Leftover = Pick<DeadLetter, 'exists'>;

/** @returns undefined for another event than a CREATE: what that is about exists anyway */
export function leftByEvent({
  event_type,
  exists,
}: Pick<DeadLetter, 'event_type'> & Leftover): string | undefined {
  return event_type === 'CREATE' ? leftoverText(exists) : undefined;
}

/** @returns undefined for what was left on purpose */
export function leftByRemoval({
  kind,
  exists,
}: Pick<Receipt, 'kind'> & Leftover): string | undefined {
  return kind === 'Abandoned' ? leftoverText(exists) : undefined;
}

function leftoverText(exists: Leftover['exists']): string {
  return text(`dead-letters.exists.${exists}`);
}
