// Reads the dead letters of an organization page by page, so that thousands are never in memory at once. Skips other
// objects.
import type { Organization } from '../../domain/identity.ts';
import type { KubeClient } from '../../kube/api.ts';
import { configMapKind, label } from '../kinds.ts';
import { pagesOf } from '../pages.ts';
import { type DeadLetterObject, fromConfigMap, type StoredDeadLetter } from './object.ts';
import { type DeadLetterFilter, selects } from './redrives.ts';

/** In no particular order. @throws KubeError */
export async function* deadLettersIn(
  client: Pick<KubeClient, 'list'>,
  { namespace }: Pick<Organization, 'namespace'>,
  filter: DeadLetterFilter = {},
): AsyncIterable<StoredDeadLetter> {
  const { provider } = filter;
  const ofProvider = provider === undefined ? '' : `,${label.provider}=${provider}`;
  const labelSelector = `${label.deadLetter}=true${ofProvider}`;
  for await (const item of pagesOf<DeadLetterObject>(client, configMapKind, {
    namespace,
    labelSelector,
  })) {
    const deadLetter = fromConfigMap(item);
    // The label selects what is read; the dead letter itself has the actual provider and cause.
    if (deadLetter !== undefined && selects(filter, deadLetter)) yield deadLetter;
  }
}
