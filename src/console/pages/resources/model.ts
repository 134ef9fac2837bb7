// The rows of the table of resources: those that match, failed ones first. Pure.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { stateWord } from '../../../client/drift.ts';
import { isProjectOf } from '../../../client/project.ts';
import { parseSelector, type Selector } from '../../../client/selector.ts';
import { isInDeletion, type ShownState, shownState } from '../../../client/shown-state.ts';
import { slashed } from '../../../domain/identity.ts';

export type ListedResource = Pick<
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
  | 'reason'
  | 'drift'
>;

export interface Filter {
  /** A selector of the command line, or a part of a name. */
  readonly text: string;
  readonly state: string | undefined;
  readonly project: string | undefined;
  readonly tag: string | undefined;
  /** Only resources whose objects differ from their configs. */
  readonly isDrifted: boolean;
}

/** @returns the filter in the address of a page */
export function filterIn(query: URLSearchParams): Filter {
  return {
    text: query.get('filter') ?? '',
    state: query.get('state') ?? undefined,
    project: query.get('project') ?? undefined,
    tag: query.get('tag') ?? undefined,
    isDrifted: query.get('drift') === 'true',
  };
}

/** As shown: deletion is a state of its own. In the order in which they are offered. */
export const states = ['failed', 'deleting', 'processing', 'pending', 'draft', 'ready'] as const;

/** In the order of the table: what somebody has to look at is first. */
const order = ['failed', 'gone', 'drifted', ...states.slice(1)] as const;

/** Returns whether a resource is in a state. One whose deletion has failed is in two: it is in deletion all the same. */
function isInState(state: string, resource: ListedResource): boolean {
  return state === 'deleting' ? isInDeletion(resource) : shownState(resource) === state;
}

/** Returns whether its object differs, as the API filters: also while a correction is under way. */
function hasDrift({ drift }: ListedResource): boolean {
  return drift !== null;
}

/** @returns how many resources have drifted */
export function driftCount(resources: readonly ListedResource[]): number {
  return resources.filter(hasDrift).length;
}

/** @returns how many resources are in each state */
export function countsOf(
  resources: readonly ListedResource[],
): Readonly<Record<ShownState, number>> {
  const counts = { failed: 0, deleting: 0, processing: 0, pending: 0, draft: 0, ready: 0 };
  for (const each of resources) {
    for (const state of states) if (isInState(state, each)) counts[state] += 1;
  }
  return counts;
}

/** @returns how many resources there are of each word that is shown as a state, each once, in the order of the table */
export function wordCounts(
  resources: readonly ListedResource[],
): readonly (readonly [word: string, count: number])[] {
  const counts = new Map<string, number>(order.map((word) => [word, 0]));
  for (const word of resources.map(stateWord)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 0);
}

/** @returns the resources in the order of the table; costs a comparison of names, so not for each key */
export function ranked<T extends ListedResource>(resources: readonly T[]): readonly T[] {
  const keyed = resources.map((resource) => ({
    resource,
    rank: order.indexOf(stateWord(resource)),
    name: slashed(resource),
  }));
  keyed.sort((left, right) => left.rank - right.rank || (left.name < right.name ? -1 : 1));
  return keyed.map(({ resource }) => resource);
}

export interface ShownSelection<T> {
  /** In the order of the resources. */
  readonly shown: readonly T[];
  /** The selectors of the command line that select the same, within the rest of the filter; undefined when the text is empty. */
  readonly selectors: readonly Selector[] | undefined;
}

/** @returns those that match. A text that selects nothing is searched in the names. */
export function selected<T extends ListedResource>(
  resources: readonly T[],
  filter: Filter,
): ShownSelection<T> {
  const { state, project, tag, isDrifted } = filter;
  const text = filter.text.trim();
  const rest = resources.filter(
    (each) =>
      (state === undefined || isInState(state, each)) &&
      (project === undefined || isProjectOf(each, project)) &&
      (tag === undefined || each.tags?.includes(tag) === true) &&
      (!isDrifted || hasDrift(each)),
  );
  if (text === '') return { shown: rest, selectors: undefined };
  const selectors = selectorsInText(text, rest);
  const shown = rest.filter((each) => selectors.some(({ matches }) => matches(each)));
  return { shown, selectors };
}

function selectorsInText(text: string, resources: readonly ListedResource[]): readonly Selector[] {
  const whole = parseSelector(text);
  const matches = (selector: Selector) => resources.some((each) => selector.matches(each));
  if (whole !== undefined && (text.includes('*') || matches(whole))) return [whole];
  return [...matchingNames(text, resources)]
    .flatMap(partSelectors)
    .flatMap((each) => parseSelector(each) ?? [])
    .filter(matches);
}

/** Selectors distinguish capitals, and a search does not: each spelling that occurs is one of its own. */
function matchingNames(part: string, resources: readonly ListedResource[]): ReadonlySet<string> {
  const wanted = part.toLowerCase();
  return new Set(
    resources.flatMap((each) => {
      const name = slashed(each);
      const at = name.toLowerCase().indexOf(wanted);
      return at < 0 ? [] : [name.slice(at, at + part.length)];
    }),
  );
}

/** @returns the selectors of names with a part: of `a/b` one for a type that begins with `b`, and one for a name */
function partSelectors(part: string): readonly string[] {
  const places = Math.max(0, 4 - part.split('/').length);
  return Array.from({ length: places }, (_, at) => `${'*/'.repeat(at)}*${part}*`);
}

/** @returns what several resources have, sorted, for a choice */
export function distinct(values: Iterable<string>): readonly string[] {
  return [...new Set(values)].sort();
}
