// The status of a resource whose delivery begins later than its claim. Pure.
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import type { Resource, ResourceStatus } from '../../../crds/resource.ts';
import { isDelivering } from '../../../store/resources/delivering.ts';
import { sequenceAfter } from '../claimed-event.ts';
import { claimMessage } from './event-messages.ts';
import { changed, claimReason } from './status.ts';

/** Returns whether the status still has the reason of a wait although the delivery can begin. */
export function saysItWaits({ status }: Pick<Resource, 'status'>): boolean {
  return status !== undefined && !isDelivering(status.reason);
}

/** With a number of its own: the one before may have been sent by a process that ended since. */
export function begun(resource: Resource, event: ClaimedEvent, now: Date): ResourceStatus {
  const next = { ...event, sequence: sequenceAfter(resource), begunAt: now.toISOString() };
  if (resource.status !== undefined && !saysItWaits(resource)) {
    return { ...resource.status, event: next };
  }
  const why = { reason: claimReason(next), message: claimMessage(resource, next) };
  return changed(resource, { state: 'processing', ...why, fields: { event: next } }, now);
}
