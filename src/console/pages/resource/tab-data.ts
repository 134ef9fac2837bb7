// The data that several tabs read.
import { useEffect, useRef } from 'preact/hooks';
import type { HistoryEntry, ResourceDefinition, ResourceRecord } from '../../../api/shapes.ts';
import { call, list } from '../../api/client.ts';
import { type Polled, usePolled } from '../../live/polled.ts';
import { may } from '../../session/rights.ts';

const typesMs = 300_000;
const historyMs = 60_000;

/** @returns the type of a resource; undefined until it is read, and where it is not known */
export function useType({
  provider,
  resource,
}: Pick<ResourceRecord, 'provider' | 'resource'>): ResourceDefinition | undefined {
  const types = usePolled({
    key: 'types',
    everyMs: typesMs,
    load: async (signal) => (may('listTypes') ? await list('listTypes', { signal }) : []),
  });
  return types.value.value?.find(
    (each) => each.provider === provider && each.resource === resource,
  );
}

/** Reads the history, also when the record changes. */
export function useHistory(record: ResourceRecord): Polled<readonly HistoryEntry[]> {
  const path = { resource_id: record.id };
  const polled = usePolled({
    key: record.id,
    everyMs: historyMs,
    load: (signal) => call('listResourceHistory', { path, query: { deleting: 'include' }, signal }),
  });
  useReloaded(polled, record);
  return polled;
}

/** Reads again when the record changes. */
export function useReloaded(polled: Polled<unknown>, record: ResourceRecord): void {
  const seen = useRef(record);
  useEffect(() => {
    if (seen.current !== record) void polled.reload();
    seen.current = record;
  }, [record, polled]);
}
