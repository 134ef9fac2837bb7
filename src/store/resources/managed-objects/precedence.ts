// Decides which of several resources of one object stands for it. Pure.
import type { Resource } from '../../../crds/resource.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import { byCodeUnit } from '../../../lib/text.ts';
import { hasHadObject } from '../state.ts';

/** Returns whether an event or an import has succeeded, so that an event could change the object. */
export function hasObject({ status }: Resource): boolean {
  if (status === undefined || status.management === 'Observed' || !hasHadObject(status))
    return false;
  // The object of another resource was found by the CREATE of a replacement, and none is made yet.
  return status.appliedConfig !== undefined || status.identity === undefined;
}

/** Returns whether the last CREATE was refused, because it found the object of another resource. */
export function hasFoundOther({ status }: Resource): boolean {
  return status?.identity !== undefined && status.outputs === undefined;
}

/**
 * Compares for a sort: who has the object comes first, then who is accepted as one that only observes it, then the older resource, and
 * drafts are last. Times are whole seconds of the API servers, so the uid decides between equal ones; any total order would do.
 */
export function byPrecedence(left: Resource, right: Resource): number {
  return claimRank(left) - claimRank(right) || byCodeUnit(creationKey(left), creationKey(right));
}

function claimRank(resource: Resource): number {
  if (hasObject(resource)) return 0;
  if (resource.status?.management === 'Observed') return 1;
  return resource.spec.lifecycle === Lifecycle.Draft ? 3 : 2;
}

function creationKey({ metadata: { creationTimestamp = '', uid = '' } }: Resource): string {
  return `${creationTimestamp} ${uid}`;
}
