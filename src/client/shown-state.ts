// The state in which people see a resource. The API has none for deletion: its state is that of the teardown. Pure.
import type { ResourceRecord } from '../api/shapes.ts';

export type ShownState = ResourceRecord['lifecycle_state'] | 'deleting';

type RecordState = Pick<ResourceRecord, 'lifecycle_state' | 'deletion_requested_at'>;

/** Returns whether a resource is being deleted, or its deletion has failed. */
export function isInDeletion({
  deletion_requested_at,
}: Pick<RecordState, 'deletion_requested_at'>) {
  return deletion_requested_at !== null;
}

/** @returns `deleting` for a resource in deletion, until that fails */
export function shownState(record: RecordState): ShownState {
  const { lifecycle_state } = record;
  return isInDeletion(record) && lifecycle_state !== 'failed' ? 'deleting' : lifecycle_state;
}
