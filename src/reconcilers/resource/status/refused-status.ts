// The status of a resource whose content cannot be sent, so that nothing was. Pure.
import { Reason } from '../../../crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../crds/resource.ts';
import { answered } from './event-status.ts';
import { changed } from './status.ts';

interface RefusedContent {
  readonly message: string;
  readonly references: string | undefined;
  readonly content: string;
  /** The requested restart of an event that failed before: this is the answer to it. */
  readonly requeue: number | undefined;
}

export function refused(
  resource: Resource,
  { message, requeue, ...fields }: RefusedContent,
  now: Date,
): ResourceStatus {
  const event = answered(resource.status?.event, requeue);
  const change = {
    state: 'failed',
    reason: Reason.ImmutableField,
    message,
    // A take-over that is refused is due no more.
    fields: { ...fields, event, error: message, management: undefined },
  } as const;
  return changed(resource, change, now);
}
