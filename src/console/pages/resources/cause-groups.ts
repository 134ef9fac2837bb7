// Which causes belong to the resources that are shown, and in what order. Pure.
import type { CauseGroup } from '../../../api/shapes.ts';
import { driftWord, driftWordOf } from '../../../client/drift.ts';
import { shownState } from '../../../client/shown-state.ts';
import { slashed } from '../../../domain/identity.ts';
import type { ListedResource } from './model.ts';

/** Whether it needs somebody: others wait, and may go on by themselves. */
export function isFailure({ dead_letter: letter, cause: { state } }: CauseGroup): boolean {
  return letter !== null || state === 'failed' || state === 'refused';
}

/**
 * @param groups each names its first resources only, so one that has more stays while a shown resource is in no list
 * @returns failures first, then drift, then what waits; the greater ones of each first
 */
export function causesOf(
  groups: readonly CauseGroup[],
  shown: readonly ListedResource[],
): readonly CauseGroup[] {
  const refs = new Set(shown.filter(isUnsettled).map(slashed));
  const listed = new Set(groups.flatMap(({ resources }) => resources));
  const isUnlisted = [...refs].some((ref) => !listed.has(ref));
  return groups
    .filter(
      ({ resources, count }) =>
        resources.some((ref) => refs.has(ref)) || (isUnlisted && count > resources.length),
    )
    .sort((a, b) => urgency(b) - urgency(a) || b.count - a.count);
}

function urgency(group: CauseGroup): number {
  if (isFailure(group)) return 2;
  return driftState(group.cause) === undefined ? 0 : 1;
}

/** @returns the state that is shown of a cause of drift; `held` when so much differs that nothing is corrected */
export function driftState({ reason }: CauseGroup['cause']): string | undefined {
  return reason === 'CorrectionsHeld' ? 'held' : driftWordOf(reason);
}

function isUnsettled(resource: ListedResource): boolean {
  return driftWord(resource) !== undefined || !['ready', 'draft'].includes(shownState(resource));
}
