// Counts the events that end the process of their provider. The provider serves all others, so this changes none of its states: it is
// shown beside them. Pure.
import type { Resource } from '../../crds/resource.ts';
import { hasFailed, isDismissed, resourceState, underWay } from '../resources/state.ts';

interface ShownProvider {
  readonly provider: string;
  readonly message: string;
}

/** @returns a function that adds to the message of a provider how many events end its process */
export function withProcessEnds(
  resources: Iterable<Resource>,
): <Record extends ShownProvider>(record: Record) => Record {
  const counts = new Map<string, number>();
  for (const resource of resources) {
    if (!endsProcess(resource)) continue;
    const { provider } = resource.spec;
    counts.set(provider, (counts.get(provider) ?? 0) + 1);
  }
  return (record) => {
    const count = counts.get(record.provider) ?? 0;
    if (count === 0) return record;
    const ends = count === 1 ? '1 event ends its process' : `${count} events end its process`;
    return { ...record, message: record.message === '' ? ends : `${record.message}; ${ends}` };
  };
}

/** Until it succeeds, another event follows, or its dead letter is deleted. */
function endsProcess(resource: Resource): boolean {
  if (resource.status?.event?.crash !== 'Culprit') return false;
  const isUnderWay = underWay(resource, resourceState(resource)) !== undefined;
  return isUnderWay || (hasFailed(resource) && !isDismissed(resource));
}
