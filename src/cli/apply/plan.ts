// Prints what an apply would do.
import { olderServer } from '../errors/older-server.ts';
import type { Invocation } from '../invocation.ts';
import type { Change, Checked } from './check.ts';
import { changeWords, type Planned, plannedView } from './plan-view.ts';

export async function showPlan(
  { output, talk }: Invocation,
  checked: readonly Checked[],
): Promise<undefined> {
  if (checked.some(({ change }) => change === 'unknown')) throw olderServer('--dry-run');
  const planned: Planned[] = checked.map(
    ({ declaration: { ref }, change, etag = null, record = null, replacement }) => ({
      resource: ref,
      change,
      etag,
      record,
      forced_by: replacement?.forcedBy ?? [],
    }),
  );
  await output.list(planned, plannedView);
  if (output.isForPeople) talk.note(`Nothing was written: ${changesSummary(checked)}.`);
  return undefined;
}

function changesSummary(checked: readonly Pick<Checked, 'change'>[]): string {
  const counts = new Map<Change, number>();
  for (const { change } of checked) counts.set(change, (counts.get(change) ?? 0) + 1);
  const planned = (change: Change) => (change === 'none' ? '' : 'to be ') + changeWords[change];
  return [...counts].map(([change, count]) => `${count} ${planned(change)}`).join(', ');
}
