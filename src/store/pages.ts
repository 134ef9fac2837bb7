// All objects of one kind in one namespace, page by page, so that thousands need not be in memory at once.
import type { KindRef, KubeClient, KubeList, KubeObject, ListOptions } from '../kube/api.ts';

// Each may be as large as its config and outputs may; a page is read from JSON in one go, while nobody else is answered.
const pageSize = 100;

type Where = Pick<ListOptions, 'labelSelector' | 'fieldSelector'> & { readonly namespace: string };

/** In no order that means anything. @throws KubeError */
export async function* pagesOf<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  kind: KindRef,
  where: Where,
): AsyncIterable<T> {
  let next: string | undefined;
  do {
    const token = next === undefined ? {} : { continue: next };
    const page: KubeList<T> = await client.list<T>(kind, { ...where, limit: pageSize, ...token });
    yield* page.items;
    next = page.continue;
  } while (next !== undefined);
}
