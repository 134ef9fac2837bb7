// The status of a resource whose object is only observed from now on. Pure.
import { Reason } from '../../../crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../crds/resource.ts';
import { replacementsAsked } from '../../../store/resources/state.ts';
import { changed } from './status.ts';

/** The object of a resource is only observed from now on. */
export function observedOnly(resource: Resource, content: string, now: Date): ResourceStatus {
  const fields = {
    content,
    management: 'Observed',
    drift: undefined,
    corrections: undefined,
    error: undefined,
    // What was asked of an object that is not changed is not due when it is managed again.
    replaced: replacementsAsked(resource),
  } as const;
  const message = 'The object is looked for; nothing is created or changed';
  return changed(resource, { state: 'pending', reason: Reason.Observing, message, fields }, now);
}
