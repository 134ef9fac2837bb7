// Gets the number of objects from the API server without reading them.
import type { KindRef, KubeClient, RequestOptions } from '../kube/api.ts';
import { KubeError } from '../kube/errors.ts';

/** @throws KubeError */
export async function countObjects(
  client: Pick<KubeClient, 'list'>,
  kind: KindRef,
  options: RequestOptions & { readonly namespace?: string } = {},
): Promise<number> {
  const page = await client.list(kind, { ...options, limit: 1 });
  if (page.continue === undefined) return page.items.length;
  if (page.remainingItemCount === undefined) {
    throw new KubeError({
      reason: 'malformed',
      message: 'The API server did not return the number of objects',
    });
  }
  return page.items.length + page.remainingItemCount;
}
