// Shows what an apply would do, or did, one row for each resource.

import type { MemberPlan, ResourceRecord } from '../../../api/shapes.ts';
import type { Invocation } from '../../session/invocation.ts';
import type { View } from '../../terminal/output.ts';
import { stateText } from '../../terminal/style.ts';
import { recordDeclaration, shownReason } from '../resource-view.ts';
import type { BatchesPlan } from './batch.ts';
import { usersIn } from './plan-lines.ts';

const changeWords: Readonly<Record<MemberPlan['change'], string>> = {
  create: 'created',
  import: 'imported',
  update: 'updated',
  replace: 'replaced',
  retry: 'retried',
  fields: 'options changed',
  join: 'joined',
  take: 'taken over',
  leave: 'left',
  delete: 'deleted',
  orphan: 'orphaned',
  none: 'unchanged',
};

/** @returns such as `created`; the change itself of a newer server that makes one which is unknown here */
export function changeWord({ change }: Pick<MemberPlan, 'change'>): string {
  return Object.hasOwn(changeWords, change) ? changeWords[change] : change;
}

/** An entry of a plan for programs: what the server says, and what belongs to it. */
interface MemberRow extends MemberPlan {
  /** Approves the batch that it is in. */
  readonly plan: string;
  /** The resources that are updated when an output of it changes. */
  readonly users: readonly string[];
}

export function plannedMembers(plan: BatchesPlan): readonly MemberRow[] {
  const digests = new Map(
    plan.answers.flatMap(({ plan: digest, resources }) =>
      resources.map((each) => [each.resource, digest] as const),
    ),
  );
  return plan.members.map((each) => ({
    ...{ ...each, plan: digests.get(each.resource) ?? '', users: usersIn(plan, each.resource) },
  }));
}

const plannedView: View<MemberRow> = {
  columns: [
    { title: 'RESOURCE', cell: ({ resource }) => resource },
    {
      title: 'CHANGE',
      cell: (member) => (member.change === 'none' ? changeWord(member) : member.change),
    },
    { title: 'FORCED BY', sparse: true, cell: ({ forced_by }) => forced_by.join(', ') },
  ],
  nameOf: ({ resource }) => resource,
};

/** Prints what an apply would do. */
export async function showPlan({ output, talk }: Invocation, plan: BatchesPlan): Promise<void> {
  await output.list(plannedMembers(plan), plannedView);
  if (output.isForPeople) talk.note(`Nothing was written: ${changesSummary(plan.members)}.`);
}

function changesSummary(members: readonly MemberPlan[]): string {
  const counts = new Map<string, number>();
  for (const member of members) {
    const word = (member.change === 'none' ? '' : 'to be ') + changeWord(member);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}

export interface MemberResult {
  readonly member: MemberPlan;
  /** As it is in the end; null for one that is gone. */
  readonly record: ResourceRecord | null;
}

/** For people; programs receive the records. */
export const resultView: View<MemberResult> = {
  columns: [
    { title: 'RESOURCE', cell: ({ member }) => member.resource },
    { title: 'CHANGE', cell: ({ member }) => changeWord(member) },
    {
      title: 'STATE',
      cell: ({ record }, { style }) => (record && stateText(record.lifecycle_state, style)) || '',
    },
    {
      title: 'REASON',
      cell: ({ record }, { style }) => (record ? shownReason(record, style) : ''),
    },
  ],
  nameOf: ({ member }) => member.resource,
  declarationOf: ({ record }) => (record === null ? {} : recordDeclaration(record)),
};
