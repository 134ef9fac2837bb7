// Says which half of a replacement an event is. Pure.
import type { ClaimedEvent } from '../../crds/claimed-event.ts';
import { halfPrefix } from '../../domain/explanation.ts';

/** @returns a message that names the half of a replacement that the event is, if it is one */
export function inReplacement(
  { type, replacement }: Pick<ClaimedEvent, 'type' | 'replacement'>,
  message: string,
): string {
  if (replacement === undefined) return message;
  const half = type === 'DELETE' ? 'deletion of the old object' : 'creation of the new object';
  return `${halfPrefix(half)}${message}`;
}
