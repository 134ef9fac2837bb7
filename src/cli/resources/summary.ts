// Sums up resources by state, such as `3 resources: 1 ready, 1 pending, 1 failed`. Drifted ones are ready, too.

import type { ResourceRecord } from '../../api/shapes.ts';
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

type Summed = Parameters<typeof shownState>[0] & Pick<ResourceRecord, 'drift'>;

export function resourcesSummary(records: readonly Summed[]): string {
  const total = counted(records.length, 'resource');
  const parts = order
    .map((state) => [state, records.filter((each) => shownState(each) === state).length] as const)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`);
  const drifted = records.filter(({ drift }) => drift !== null).length;
  const also = drifted === 0 ? '' : ` (${drifted} drifted)`;
  return parts.length === 0 ? total : `${total}: ${parts.join(', ')}${also}`;
}
