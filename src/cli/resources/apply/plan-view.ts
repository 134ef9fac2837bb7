// Shows what an apply does or did, one row for each resource.

import type { ResourceRecord } from '../../../api/shapes.ts';
import { slashed } from '../../../domain/identity.ts';
import type { View } from '../../terminal/output.ts';
import { stateText } from '../../terminal/style.ts';
import { recordDeclaration, shownReason } from '../resource-view.ts';
import type { PlannedChange } from './check.ts';

const changeWords: Readonly<Record<PlannedChange, string>> = {
  create: 'created',
  import: 'imported',
  update: 'updated',
  replace: 'replaced',
  retry: 'retried',
  options: 'options changed',
  tags: 'tagged',
  none: 'unchanged',
  busy: 'busy',
};

/** @returns such as `created`; the plan itself of a newer server that makes one which is unknown here */
export function changeWord(change: PlannedChange): string {
  return Object.hasOwn(changeWords, change) ? changeWords[change] : change;
}

/** An entry of `apply --dry-run`. */
export interface Planned {
  readonly resource: string;
  readonly change: PlannedChange;
  readonly record: ResourceRecord | null;
  /** The fields because of which it is replaced. */
  readonly forced_by: readonly string[];
}

export const plannedView: View<Planned> = {
  columns: [
    { title: 'RESOURCE', cell: ({ resource }) => resource },
    { title: 'CHANGE', cell: ({ change }) => (change === 'none' ? changeWords.none : change) },
    { title: 'FORCED BY', sparse: true, cell: ({ forced_by }) => forced_by.join(', ') },
  ],
  nameOf: ({ resource }) => resource,
};

export interface PlanResult {
  readonly change: PlannedChange;
  readonly record: ResourceRecord;
}

/** For people; programs receive the records. */
export const resultView: View<PlanResult> = {
  columns: [
    { title: 'RESOURCE', cell: ({ record }) => slashed(record) },
    { title: 'CHANGE', cell: ({ change }) => changeWord(change) },
    { title: 'STATE', cell: ({ record }, { style }) => stateText(record.lifecycle_state, style) },
    { title: 'REASON', cell: ({ record }, { style }) => shownReason(record, style) },
  ],
  nameOf: ({ record }) => slashed(record),
  declarationOf: ({ record }) => recordDeclaration(record),
};
