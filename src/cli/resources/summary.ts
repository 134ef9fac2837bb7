// Sums up resources by state, such as `3 resources: 1 ready, 1 pending, 1 failed`.

import { type ShownState, shownState } from '../../client/shown-state.ts';
import { counted } from '../../client/time.ts';

const order = [
  'ready',
  'processing',
  'pending',
  'draft',
  'deleting',
  'failed',
] as const satisfies readonly ShownState[];

export function resourcesSummary(records: readonly Parameters<typeof shownState>[0][]): string {
  const total = counted(records.length, 'resource');
  const parts = order
    .map((state) => [state, records.filter((each) => shownState(each) === state).length] as const)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`);
  return parts.length === 0 ? total : `${total}: ${parts.join(', ')}`;
}
