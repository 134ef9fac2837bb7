// Reads what the status of a Resource records about observations of its object. Pure.
import type { ResourceStatus } from '../../crds/resource.ts';
import type { Drift, RequestedObservation } from '../../domain/observation/drift.ts';
import { jsonIn } from '../../lib/json.ts';

export function shownDrift(status: Pick<ResourceStatus, 'drift'> | undefined): Drift | null {
  if (status?.drift === undefined) return null;
  const { since, kind, changes, ...counts } = status.drift;
  return {
    since: new Date(since).toISOString(),
    kind: kind === 'Gone' ? 'gone' : 'changed',
    changes: changes.map(({ path, declared, actual }) => ({
      path,
      declared: jsonIn(declared ?? 'null') ?? null,
      actual: jsonIn(actual ?? 'null') ?? null,
      omitted: declared === undefined || actual === undefined,
    })),
    ...counts,
  };
}

export function shownObservation(
  status: Pick<ResourceStatus, 'observation'> | undefined,
): RequestedObservation | null {
  if (status?.observation === undefined) return null;
  const { at, exists, compared, unknown, error = null } = status.observation;
  return { at: new Date(at).toISOString(), exists, compared, unknown, error };
}
