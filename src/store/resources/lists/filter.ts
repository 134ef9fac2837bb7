// Filters of resources: the API server applies some, the others are compared here. Pure.
import type { Resource } from '../../../crds/resource.ts';
import { defaultProjectPattern, projectIdOf } from '../../../domain/identity.ts';
import { fieldSelector } from '../../../kube/names.ts';
import type { ResourceFilter } from '../../records.ts';
import { resourceState, shownState } from '../state.ts';

type ResourceFilters = Omit<ResourceFilter, 'limit' | 'cursor' | 'deleting'>;

interface FilterField<Wanted> {
  readonly matches: (resource: Resource, wanted: Wanted) => boolean;
  /** The field by which the API server selects. */
  readonly selector?: `spec.${string}`;
}

/** A filter that is missing here does not compile. */
const fields: {
  readonly [Name in keyof ResourceFilters]-?: FilterField<NonNullable<ResourceFilters[Name]>>;
} = {
  provider: { matches: ({ spec }, wanted) => spec.provider === wanted, selector: 'spec.provider' },
  resource: { matches: ({ spec }, wanted) => spec.resource === wanted, selector: 'spec.resource' },
  projectId: {
    matches: (resource, wanted) => projectIdOf(resource) === wanted,
    selector: 'spec.project',
  },
  set: { matches: ({ spec }, wanted) => spec.set === wanted, selector: 'spec.set' },
  drift: { matches: ({ status }, wanted) => (status?.drift !== undefined) === wanted },
  state: { matches: (resource, wanted) => shownState(resource) === wanted },
  tags: { matches: ({ spec }, wanted) => wanted.every((tag) => spec.tags?.includes(tag) === true) },
};

interface FilterValue {
  readonly wanted: unknown;
  readonly field: FilterField<unknown>;
}

function givenFilters(filter: ResourceFilters): readonly FilterValue[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const wanted = filter[name as keyof ResourceFilters];
    // An empty text is a value: no resource has it.
    const isAbsent = wanted === undefined || (Array.isArray(wanted) && wanted.length === 0);
    return isAbsent ? [] : [{ wanted, field: field as FilterField<unknown> }];
  });
}

/** @returns the field selector of a list; empty when the API server selects nothing */
export function fieldSelectorFor(filter: ResourceFilter): string {
  return givenFilters(filter)
    .flatMap((each) => selectorOf(each) ?? [])
    .join(',');
}

/** Returns whether a list may have to read many objects for one that matches. */
export function isComparedHere(filter: ResourceFilter): boolean {
  const isCompared = (each: FilterValue) => selectorOf(each) === undefined;
  return filter.deleting === 'only' || givenFilters(filter).some(isCompared);
}

/** @returns undefined for a value that is compared in memory */
function selectorOf({ wanted, field: { selector } }: FilterValue): string | undefined {
  if (selector === undefined || typeof wanted !== 'string') return undefined;
  // Resources may leave out their default project, and a selector has no "or".
  if (selector === 'spec.project' && defaultProjectPattern.test(wanted)) return undefined;
  return fieldSelector(selector, wanted);
}

export function matches(resource: Resource, filter: ResourceFilter): boolean {
  return (
    isShown(resource, filter) &&
    givenFilters(filter).every(({ wanted, field }) => field.matches(resource, wanted))
  );
}

function isShown(resource: Resource, { deleting }: ResourceFilter): boolean {
  const leaves = resourceState(resource) === 'deleting';
  return leaves ? deleting !== undefined : deleting !== 'only';
}
