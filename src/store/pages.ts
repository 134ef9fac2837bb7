// Iterates over all objects of one kind in one namespace, page by page.
import type { KindRef, KubeClient, KubeObject, ListOptions } from '../kube/api.ts';
import { pages } from '../kube/informer/pages.ts';

type PageSelection = Pick<ListOptions, 'labelSelector' | 'fieldSelector'> & {
  readonly namespace: string;
};

/**
 * In no particular order.
 * @throws KubeError
 */
export async function* pagesOf<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  kind: KindRef,
  where: PageSelection,
): AsyncIterable<T> {
  for await (const { items } of pages<T>(client, kind, where)) yield* items;
}
