// The status of a resource whose object is only observed from now on. Pure.
import { Reason } from '../../../crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../crds/resource.ts';
import { replacementsAsked } from '../../../store/resources/state.ts';
import { answered } from './event-status.ts';
import { changed } from './status.ts';

/** The object of a resource is only observed from now on. @param accepted with the requested restart of an event that failed before */
export function observedOnly(
  resource: Resource,
  { content, requeue }: { content: string; requeue: number | undefined },
  now: Date,
): ResourceStatus {
  const { event } = resource.status ?? {};
  const fields = {
    content,
    // Neither is due when the object is managed again.
    event: answered(event, requeue),
    replaced: replacementsAsked(resource),
    management: 'Observed',
    drift: undefined,
    corrections: undefined,
    error: undefined,
  } as const;
  const message = 'The object is looked for; nothing is created or changed';
  return changed(resource, { state: 'pending', reason: Reason.Observing, message, fields }, now);
}
