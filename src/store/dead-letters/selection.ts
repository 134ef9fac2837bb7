// The dead letters that a filter selects, for groups, counts and progress: those of the index, which follows the cluster within
// milliseconds; while it cannot, those of the API server.
import type { Organization } from '../../domain/identity.ts';
import type { KubeClient } from '../../kube/api.ts';
import { createDeadLetterReducer, type IndexedDeadLetter } from './indexed.ts';
import type { DeadLetterIndexes } from './indexes.ts';
import { deadLettersIn, hasDeadLetter } from './pages.ts';
import { type DeadLetterFilter, selects } from './redrives.ts';

export interface SelectionDeps {
  readonly client: Pick<KubeClient, 'list'>;
  /** Without it, every selection reads all dead letters. */
  readonly indexes?: Pick<DeadLetterIndexes, 'read'> | undefined;
}

/** @throws KubeError; `timeout` when the index does not fill in time */
export async function selectedDeadLetters(
  { client, indexes }: SelectionDeps,
  organization: Organization,
  filter: DeadLetterFilter = {},
): Promise<readonly IndexedDeadLetter[]> {
  const indexed = await indexes?.read(organization.namespace);
  if (indexed !== undefined) {
    const found = [...indexed].filter((deadLetter) => selects(filter, deadLetter));
    if (found.length > 0) return found;
    // A client that has just seen the first failure must not get the answer that there is none.
    if (!(await hasDeadLetter(client, organization, filter))) return [];
  }
  const { reduce } = createDeadLetterReducer();
  const found: IndexedDeadLetter[] = [];
  for await (const deadLetter of deadLettersIn(client, organization, filter)) {
    found.push(reduce(deadLetter));
  }
  return found;
}
