// Reads the dead letters of an organization from the API server page by page, so that thousands are never in memory at once. Skips
// other objects.
import { causePattern } from '../../domain/dead-letter.ts';
import type { Organization } from '../../domain/identity.ts';
import type { KubeClient } from '../../kube/api.ts';
import { pages } from '../../kube/informer/pages.ts';
import { configMapKind, label } from '../kinds.ts';
import type { Listing } from '../listing.ts';
import { pagesOf } from '../pages.ts';
import { type DeadLetterObject, fromConfigMap, type StoredDeadLetter } from './object.ts';
import { type DeadLetterFilter, selects } from './redrives.ts';

/** In the order of event ids. @throws KubeError */
export async function* deadLettersIn(
  client: Pick<KubeClient, 'list'>,
  organization: Pick<Organization, 'namespace'>,
  filter: DeadLetterFilter = {},
): AsyncIterable<StoredDeadLetter> {
  const where = deadLetterSelector(organization, filter);
  for await (const item of pagesOf<DeadLetterObject>(client, configMapKind, where)) {
    const deadLetter = selectedDeadLetter(item, filter);
    if (deadLetter !== undefined) yield deadLetter;
  }
}

/** @returns whether there is any; reads a few of them. @throws KubeError */
export async function hasDeadLetter(
  client: Pick<KubeClient, 'list'>,
  organization: Pick<Organization, 'namespace'>,
  filter: DeadLetterFilter,
): Promise<boolean> {
  const where = { ...deadLetterSelector(organization, filter), maxObjects: () => few };
  for await (const { items } of pages<DeadLetterObject>(client, configMapKind, where)) {
    if (items.some((item) => selectedDeadLetter(item, filter) !== undefined)) return true;
  }
  return false;
}

const few = 10;

/** @param present makes the record of a dead letter */
export function deadLetterListing<R>(
  client: Pick<KubeClient, 'list'>,
  organization: Pick<Organization, 'namespace'>,
  { filter, present }: { filter: DeadLetterFilter; present: (deadLetter: StoredDeadLetter) => R },
): Listing<DeadLetterObject, R> {
  return {
    client,
    kind: configMapKind,
    where: deadLetterSelector(organization, filter),
    recordOf: (item) => {
      const deadLetter = selectedDeadLetter(item, filter);
      return deadLetter === undefined ? undefined : present(deadLetter);
    },
    isFiltered: false,
  };
}

function deadLetterSelector(
  { namespace }: Pick<Organization, 'namespace'>,
  { provider, cause }: DeadLetterFilter,
): { readonly namespace: string; readonly labelSelector: string } {
  const ofProvider = provider === undefined ? '' : `,${label.provider}=${provider}`;
  // Clients may send any text as a cause: what no label can be must not become part of the selector, and selects nothing.
  const known = cause === undefined || causePattern.test(cause) ? cause : 'unknown';
  const ofCause = known === undefined ? '' : `,${label.cause}=${known}`;
  return { namespace, labelSelector: `${label.deadLetter}=true${ofProvider}${ofCause}` };
}

/** Labels select what is read, and the leader corrects them; the dead letter itself has the actual provider and cause. */
function selectedDeadLetter(
  item: DeadLetterObject,
  filter: DeadLetterFilter,
): StoredDeadLetter | undefined {
  const deadLetter = fromConfigMap(item);
  return deadLetter !== undefined && selects(filter, deadLetter) ? deadLetter : undefined;
}
