// Decides which of several resources with an equal `adopt` stands for the object. Pure.
import type { Resource } from '../../../crds/resource.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import { byCodeUnit } from '../../../lib/text.ts';
import { hasHadObject } from '../state.ts';

/** Returns whether a resource has its object: an event or an import has succeeded, or it is accepted as one that only observes. */
function hasObject({ status }: Resource): boolean {
  return status !== undefined && (hasHadObject(status) || status.management === 'Observed');
}

/**
 * Compares for a sort: who has the object comes first, then the older resource, and drafts are last. Times are whole seconds of the
 * API servers, so the uid decides between equal ones; any total order would do.
 */
export function byPrecedence(left: Resource, right: Resource): number {
  return importRank(left) - importRank(right) || byCodeUnit(creationKey(left), creationKey(right));
}

function importRank(resource: Resource): number {
  if (hasObject(resource)) return 0;
  return resource.spec.lifecycle === Lifecycle.Draft ? 2 : 1;
}

function creationKey({ metadata: { creationTimestamp = '', uid = '' } }: Resource): string {
  return `${creationTimestamp} ${uid}`;
}
