// Sums up resources by state, such as `3 resources: 1 ready, 1 pending, 1 failed`.
import type { lifecycleStates } from '../../domain/lifecycle.ts';
import type { ResourceRecord } from '../api/bodies.ts';
import { counted } from '../render/time.ts';

const order = [
  'ready',
  'processing',
  'pending',
  'draft',
  'failed',
] as const satisfies readonly (typeof lifecycleStates)[number][];

export function summaryOf(records: readonly Pick<ResourceRecord, 'lifecycle_state'>[]): string {
  const total = counted(records.length, 'resource');
  const parts = order
    .map(
      (state) => [state, records.filter((each) => each.lifecycle_state === state).length] as const,
    )
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`);
  return parts.length === 0 ? total : `${total}: ${parts.join(', ')}`;
}
