// What the table shows of the resources: those that match, failed ones first. Pure.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { isProjectOf } from '../../../client/project.ts';
import { parseSelector } from '../../../client/selector.ts';
import { isInDeletion, type ShownState, shownState } from '../../../client/shown-state.ts';
import { slashed } from '../../../domain/identity.ts';

export type Resource = Pick<
  ResourceRecord,
  | 'id'
  | 'provider'
  | 'resource'
  | 'name'
  | 'project_id'
  | 'project_name'
  | 'lifecycle_state'
  | 'tags'
  | 'deletion_requested_at'
>;

export interface Filter {
  /** A selector of the command line, or a part of a name. */
  readonly text: string;
  readonly state: string | undefined;
  readonly project: string | undefined;
  readonly tag: string | undefined;
}

/** As shown: deletion is a state of its own. In the order of the table. */
export const states = ['failed', 'deleting', 'processing', 'pending', 'draft', 'ready'] as const;

/** Returns whether a resource is in a state. One whose deletion has failed is in two: it is in deletion all the same. */
function isIn(state: string, resource: Resource): boolean {
  return state === 'deleting' ? isInDeletion(resource) : shownState(resource) === state;
}

/** @returns how many resources are in each state */
export function countsOf(resources: readonly Resource[]): Readonly<Record<ShownState, number>> {
  const counts = { failed: 0, deleting: 0, processing: 0, pending: 0, draft: 0, ready: 0 };
  for (const each of resources) {
    for (const state of states) if (isIn(state, each)) counts[state] += 1;
  }
  return counts;
}

/** @returns the resources in the order of the table; costs a comparison of names, so not for each key */
export function sorted<T extends Resource>(resources: readonly T[]): readonly T[] {
  const keyed = resources.map((resource) => ({
    resource,
    rank: states.indexOf(shownState(resource)),
    name: slashed(resource),
  }));
  keyed.sort((left, right) => left.rank - right.rank || (left.name < right.name ? -1 : 1));
  return keyed.map(({ resource }) => resource);
}

/** @returns those that match, in the same order. A text that selects nothing is searched in the names. */
export function filtered<T extends Resource>(
  resources: readonly T[],
  filter: Filter,
): readonly T[] {
  const { state, project, tag } = filter;
  const text = filter.text.trim();
  const rest = resources.filter(
    (each) =>
      (state === undefined || isIn(state, each)) &&
      (project === undefined || isProjectOf(each, project)) &&
      (tag === undefined || each.tags?.includes(tag) === true),
  );
  if (text === '') return rest;
  const selected = selectedBy(text, rest);
  if (selected.length > 0 || text.includes('*')) return selected;
  const part = text.toLowerCase();
  return rest.filter((each) => slashed(each).toLowerCase().includes(part));
}

function selectedBy<T extends Resource>(text: string, resources: readonly T[]): readonly T[] {
  const selector = parseSelector(text);
  return selector === undefined ? [] : resources.filter((each) => selector.matches(each));
}

/** @returns what several resources have, sorted, for a choice */
export function distinct(values: Iterable<string>): readonly string[] {
  return [...new Set(values)].sort();
}
