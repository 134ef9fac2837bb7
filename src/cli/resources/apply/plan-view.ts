// Shows what an apply would do, or did, one row for each resource.

import type { MemberPlan, ResourceRecord } from '../../../api/shapes.ts';
import type { Invocation } from '../../session/invocation.ts';
import type { View } from '../../terminal/output.ts';
import { stateText } from '../../terminal/style.ts';
import { recordDeclaration, shownReason } from '../resource-view.ts';
import type { BatchesPlan } from './batch.ts';
import { changeWord } from './changes.ts';
import { usersIn } from './plan-lines.ts';

/** An entry of a plan for programs: what the server says, and what belongs to it. */
interface MemberRow extends MemberPlan {
  /** Approves the batch that it is the first of. */
  readonly plan?: string;
  /** The resources that are updated when an output of it changes. */
  readonly users: readonly string[];
}

export function plannedMembers(plan: BatchesPlan): readonly MemberRow[] {
  return plan.members.map((each) => ({ ...each, users: usersIn(plan, each.resource) }));
}

/** @returns the same, with each digest once */
function approvableMembers(plan: BatchesPlan): readonly MemberRow[] {
  const batches = plan.answers.map(({ plan: digest, resources }) => ({
    digest,
    names: new Set(resources.map(({ resource }) => resource)),
  }));
  return plannedMembers(plan).map((row) => {
    const at = batches.findIndex(({ names }) => names.has(row.resource));
    const [batch] = at < 0 ? [] : batches.splice(at, 1);
    return batch === undefined ? row : { ...row, plan: batch.digest };
  });
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
  await output.list(approvableMembers(plan), plannedView);
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
