// Computes the status of a resource whose operation could not be cancelled. Pure.
import { Reason } from '../../crds/conditions.ts';
import type { ClaimedEvent, Resource, ResourceStatus } from '../../crds/resource.ts';
import { operationMessage } from './event-messages.ts';
import { changed, scheduled } from './status.ts';

/** The operation could not be cancelled: it is polled as before, from attempt 1. */
export function cancellationFailed(
  resource: Resource,
  { event, error }: { event: ClaimedEvent; error: string },
  now: Date,
): ResourceStatus {
  const { errors: _errors, ...rest } = event;
  const polled = { ...rest, ...scheduled(event, now), attempt: 1, cancellation: 'Failed' } as const;
  const message = operationMessage(resource, polled, error);
  const fields = { event: polled, error: undefined };
  return changed(
    resource,
    { state: 'processing', reason: Reason.InProgress, message, fields },
    now,
  );
}
