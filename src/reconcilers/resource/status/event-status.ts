// The status of a Resource about the event that it has claimed. Pure.
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import { Reason } from '../../../crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../crds/resource.ts';

/** Returns whether the last event has ended. */
export function isEventSettled({
  state,
  reason,
}: Pick<ResourceStatus, 'state' | 'reason'>): boolean {
  return state === 'deleting' ? reason === Reason.DeleteFailed : state !== 'processing';
}

/** Returns whether a CANCEL of the operation of the event is under way. */
export function isCancelling({ status }: Pick<Resource, 'status'>): boolean {
  return status?.event?.cancellation === 'Requested';
}

/** @returns the failed event with the requested restart that is not followed, so that it asks for nothing any more */
export function answeredEvent(
  event: ClaimedEvent | undefined,
  requeue: number | undefined,
): ClaimedEvent | undefined {
  return event && requeue !== undefined ? { ...event, requeued: requeue } : event;
}
