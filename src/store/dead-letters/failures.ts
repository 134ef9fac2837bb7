// Counts the failed resources of each namespace, so that the index of an organization with many dead letters is filled before anybody
// asks: reading ten thousand takes seconds.
import type { Resource } from '../../crds/resource.ts';
import type { Informer } from '../../kube/api.ts';
import { hasFailed } from '../resources/state.ts';
import type { DeadLetterIndexes } from './indexes.ts';

/** The first question reads fewer in a fraction of a second. */
const many = 500;

interface FailureCountDeps {
  readonly resources: Pick<Informer<Resource>, 'onChange'>;
  readonly indexes: Pick<DeadLetterIndexes, 'keep' | 'release'>;
}

/** @returns a function that ends it */
export function keepIndexesOfFailures({ resources, indexes }: FailureCountDeps): () => void {
  const counts = new Map<string, number>();
  return resources.onChange((_key, before, after) => {
    const change = failures(after) - failures(before);
    const { namespace = '' } = (after ?? before)?.metadata ?? {};
    if (change === 0) return;
    const count = (counts.get(namespace) ?? 0) + change;
    if (count === 0) counts.delete(namespace);
    else counts.set(namespace, count);
    if (count === many && change > 0) indexes.keep(namespace);
    // Later than they began, so that single failures do not matter.
    if (count === many / 2 && change < 0) indexes.release(namespace);
  });
}

function failures(resource: Resource | undefined): 0 | 1 {
  return resource !== undefined && hasFailed(resource) ? 1 : 0;
}
