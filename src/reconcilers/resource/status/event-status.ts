// What the status of a Resource says about the event that it has claimed. Pure.
import { Reason } from '../../../crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../crds/resource.ts';

/** Returns whether the last event has ended. */
export function isSettled({ state, reason }: Pick<ResourceStatus, 'state' | 'reason'>): boolean {
  return state === 'deleting' ? reason === Reason.DeleteFailed : state !== 'processing';
}

/** Returns whether the provider is being asked to end the operation of the event. */
export function isCancelling({ status }: Pick<Resource, 'status'>): boolean {
  return status?.event?.cancellation === 'Requested';
}
