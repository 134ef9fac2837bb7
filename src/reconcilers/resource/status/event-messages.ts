// The messages of a resource about its event. Pure.
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import type { Resource } from '../../../crds/resource.ts';
import { halfPrefix } from '../../../domain/explanation.ts';

export function claimMessage({ spec }: Pick<Resource, 'spec'>, event: ClaimedEvent): string {
  if (event.cancellation === 'Requested') return waitsForCancellation(event);
  if (event.type === 'OBSERVE') {
    return `Asking provider ${spec.provider} for the object to import; nothing is changed`;
  }
  const inherited =
    event.context === undefined ? '' : ', with the context of an unfinished operation';
  return inReplacement(
    event,
    `Sending the ${event.type} event to provider ${spec.provider}${inherited}`,
  );
}

/** @param said the message of the provider about its operation */
export function operationMessage(
  { metadata }: Pick<Resource, 'metadata'>,
  event: ClaimedEvent,
  said: string,
): string {
  const { type, cancellation } = event;
  if (cancellation === 'Requested') return `${waitsForCancellation(event)}: ${said}`;
  if (metadata.deletionTimestamp === undefined) return inReplacement(event, said);
  if (type === 'DELETE') return said;
  const why = cancellation === 'Failed' ? ', which could not be cancelled,' : '';
  return `Deletion is waiting for the running ${type} operation${why} to finish: ${said}`;
}

export function attemptMessage(event: ClaimedEvent, error: string) {
  const { attempt, type, cancellation } = event;
  const what = cancellation === 'Requested' ? ` to cancel the ${type} operation` : '';
  return inReplacement(event, `Attempt ${attempt}${what} failed: ${error}`);
}

function waitsForCancellation({ type }: ClaimedEvent): string {
  return `Deletion is waiting for the provider to cancel the running ${type} operation`;
}

/** @returns a message that names the half of a replacement that the event is, if it is one */
export function inReplacement(
  { type, replacement }: Pick<ClaimedEvent, 'type' | 'replacement'>,
  message: string,
): string {
  if (replacement === undefined) return message;
  const half = type === 'DELETE' ? 'deletion of the old object' : 'creation of the new object';
  return `${halfPrefix(half)}${message}`;
}
