// Shows what an apply would do, or did, one row for each resource.

import type { MemberPlan, ResourceRecord } from '../../../api/shapes.ts';
import type { Invocation } from '../../session/invocation.ts';
import type { View } from '../../terminal/output.ts';
import { stateText } from '../../terminal/style.ts';
import { recordDeclaration, shownReason } from '../resource-view.ts';
import type { BatchesPlan } from './batch.ts';
import { changeWord, changeWords } from './changes.ts';
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
      cell: (member) => (changeWords(member).isSame ? changeWord(member) : member.change),
    },
    { title: 'FORCED BY', sparse: true, cell: ({ forced_by }) => forced_by.join(', ') },
  ],
  nameOf: ({ resource }) => resource,
};

/** Prints what an apply would do. */
export async function showPlan({ output, talk }: Invocation, plan: BatchesPlan): Promise<void> {
  const rows = approvableMembers(plan);
  const [first] = plan.answers;
  // No row could have the digest of a plan without members.
  const isBare = rows.length === 0 && first !== undefined && output.format.kind === 'value';
  if (isBare) await output.value(first);
  else await output.list(rows, plannedView);
  if (output.isForPeople) talk.note(`Nothing was written: ${changesSummary(plan.members)}.`);
}

function changesSummary(members: readonly MemberPlan[]): string {
  const counts = new Map<string, number>();
  for (const member of members) {
    const word = (changeWords(member).isSame ? '' : 'to be ') + changeWord(member);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ') || 'no resources';
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
