// The possible actions on the object of a resource that its provider observes. Pure.
import type { ResourceDefinition, ResourceRecord } from '../../../../api/shapes.ts';
import { isInDeletion } from '../../../../client/shown-state.ts';

/**
 * @param type undefined when it is not known, and then the API decides
 * @returns whether an observation can be requested
 */
export function isObservable(
  { lifecycle_state, management, ...record }: ResourceRecord,
  type: Pick<ResourceDefinition, 'observable'> | undefined,
): boolean {
  if (isInDeletion(record)) return false;
  const isThere =
    lifecycle_state === 'ready' || (management === 'observed' && lifecycle_state !== 'draft');
  return isThere && type?.observable !== false;
}

/** @returns whether its provider can make the object what the config declares */
export function isCorrectable(record: ResourceRecord): boolean {
  const { management, drift = null } = record;
  return isReady(record) && drift !== null && management !== 'observed';
}

/** @returns whether there is something that the config can declare instead, and the config is the one that was compared */
export function isDeclarable(record: ResourceRecord): boolean {
  return isReady(record) && record.drift?.kind === 'changed';
}

function isReady(record: ResourceRecord): boolean {
  return record.lifecycle_state === 'ready' && !isInDeletion(record);
}
