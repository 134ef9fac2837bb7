// Selects what one reader sees of the resources of an organization: the same as a list, or a read, with its filters.
import type { Resource } from '../../crds/resource.ts';
import {
  keyOf,
  projectIdOf,
  type ResourceAddress,
  type ResourceTuple,
  slashed,
} from '../../domain/identity.ts';
import type { ResourceFilter } from '../records.ts';
import { matches } from '../resources/lists/filter.ts';
import { resourceState } from '../resources/state.ts';

export interface Selection {
  readonly filter: Omit<ResourceFilter, 'limit' | 'cursor'>;
  /** The address of the only resource. */
  readonly address?: ResourceAddress | undefined;
}

/** `leaving`: in deletion, so that a list without such resources no longer shows it. */
type WatchView = 'record' | 'leaving' | 'none';

/** @returns whether the parts of a resource that never change are selected */
export function isSelected(
  { provider, resource, name, projectId }: ResourceTuple & { readonly projectId: string },
  { filter, address }: Selection,
): boolean {
  const tuple = { provider, resource, name };
  return (
    (filter.provider === undefined || filter.provider === provider) &&
    (filter.resource === undefined || filter.resource === resource) &&
    (filter.projectId === undefined || filter.projectId === projectId) &&
    (address === undefined || isAt(tuple, address))
  );
}

function isAt(tuple: ResourceTuple, { key, tuple: wanted }: ResourceAddress): boolean {
  return keyOf(tuple) === key && (wanted === undefined || slashed(tuple) === slashed(wanted));
}

export function viewOf(resource: Resource | undefined, selection: Selection): WatchView {
  if (resource === undefined) return 'none';
  const projectId = projectIdOf(resource);
  if (!isSelected({ ...resource.spec, projectId }, selection)) return 'none';
  const { filter } = selection;
  if (matches(resource, filter)) return 'record';
  const isHidden = filter.deleting === undefined && resourceState(resource) === 'deleting';
  return isHidden ? 'leaving' : 'none';
}
