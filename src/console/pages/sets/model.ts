// The sets with their members, which are the resources that name them. Pure.
import type { MemberPlan, ResourceRecord, SetRecord } from '../../../api/shapes.ts';
import { isProjectOf, projectText } from '../../../client/project.ts';
import { slashed } from '../../../domain/identity.ts';
import { type ListedResource, wordCounts } from '../resources/model.ts';

type SetName = Pick<SetRecord, 'set' | 'project_id'>;
export type SetMember = ListedResource & Pick<ResourceRecord, 'set'>;

/** @returns the members of a set, and those of its resources that are in deletion, which the API counts no more */
export function setMembers<T extends SetMember>(
  { set, project_id }: SetName,
  resources: readonly T[],
): readonly T[] {
  return resources.filter((each) => each.set === set && each.project_id === project_id);
}

/** @returns the resources in deletion of a set that was deleted @param project its id or name; any project without it */
export function leftOf<T extends SetMember>(
  { name, project }: { readonly name: string; readonly project?: string | undefined },
  resources: readonly T[],
): readonly T[] {
  return resources.filter(
    (each) => each.set === name && (project === undefined || isProjectOf(each, project)),
  );
}

/** @returns the unlisted ones that still are members: the list is older than the members */
export function unlistedAmong<T extends SetMember>(
  unlisted: readonly string[],
  members: readonly T[],
): readonly T[] {
  const names = new Set(unlisted);
  return members.filter((each) => names.has(slashed(each)));
}

export function setProject({ project, project_id }: Pick<SetRecord, 'project' | 'project_id'>) {
  return projectText({ project_id, project_name: project });
}

/** @returns the person of the last apply; undefined when it is not known, or there was none */
export function applierOf({
  applied_by,
  applied_by_name,
}: Pick<SetRecord, 'applied_by' | 'applied_by_name'>): string | undefined {
  return applied_by_name ?? applied_by ?? undefined;
}

type ShownSet = Pick<SetRecord, 'set' | 'project_id' | 'project' | 'complete'>;

export interface SetRow<T> {
  readonly set: T;
  /** How many members there are of each word for a state, failed ones first. */
  readonly states: readonly (readonly [word: string, count: number])[];
}

/**
 * @param text a part of the name of a set, or of its project
 * @returns the rows of the sets that match: what is incomplete first, then what has failed, then by name
 */
export function setRows<T extends ShownSet>(
  sets: readonly T[],
  resources: readonly SetMember[],
  text: string,
): readonly SetRow<T>[] {
  const members = Map.groupBy(
    resources.filter(({ set }) => set !== null),
    ({ set, project_id }) => setKey({ set: set ?? '', project_id }),
  );
  const wanted = text.trim().toLowerCase();
  return sets
    .filter((set) => nameOf(set).toLowerCase().includes(wanted))
    .map((set) => ({ set, states: wordCounts(members.get(setKey(set)) ?? []) }))
    .sort(
      (left, right) =>
        setUrgency(left) - setUrgency(right) || (nameOf(left.set) < nameOf(right.set) ? -1 : 1),
    );
}

/** Neither has spaces. */
export function setKey({ set, project_id }: SetName): string {
  return `${project_id} ${set}`;
}

/** Begins with the name of the set, by which sets are sorted. */
function nameOf(set: ShownSet): string {
  return `${set.set} ${setProject(set)}`;
}

function setUrgency({ set, states }: SetRow<ShownSet>): number {
  if (set.complete === false) return 0;
  return states.some(([word]) => word === 'failed' || word === 'gone') ? 1 : 2;
}

// The plan of a deletion of a set.

/** In the order in which they are offered, the most careful one first: the values of `resources`. */
export const removals = ['leave', 'orphan', 'delete'] as const;
export type SetRemoval = (typeof removals)[number];

export interface RemovalPlan {
  /** Members that the removal changes. */
  readonly changed: number;
  /** Members that would be refused now, with the reason. */
  readonly blocked: readonly { readonly resource: string; readonly message: string }[];
}

export function removalPlan(
  members: readonly Pick<MemberPlan, 'resource' | 'change' | 'blocked_by'>[],
): RemovalPlan {
  const blocked = members.flatMap(({ resource, blocked_by: by }) =>
    by === null ? [] : [{ resource, message: by.message }],
  );
  return { changed: members.filter(({ change }) => change !== 'none').length, blocked };
}
