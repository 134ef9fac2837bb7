// Prints what an apply would do.
import type { Invocation } from '../../session/invocation.ts';
import type { CheckedDeclaration } from './check.ts';
import { changeWord, type Planned, plannedView } from './plan-view.ts';

export async function showPlan(
  { output, talk }: Invocation,
  checked: readonly CheckedDeclaration[],
): Promise<void> {
  const planned: Planned[] = checked.map(
    ({ declaration: { ref }, change, record = null, replacement }) => ({
      resource: ref,
      change,
      record,
      forced_by: replacement?.forcedBy ?? [],
    }),
  );
  await output.list(planned, plannedView);
  if (output.isForPeople) talk.note(`Nothing was written: ${changesSummary(checked)}.`);
}

function changesSummary(checked: readonly CheckedDeclaration[]): string {
  const counts = new Map<string, number>();
  for (const { change } of checked) {
    const word = (change === 'none' ? '' : 'to be ') + changeWord(change);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}
