// All objects of one kind in one namespace, page by page, so that thousands need not be in memory at once.
import type { KindRef, KubeClient, KubeList, KubeObject, ListOptions } from '../kube/api.ts';

const most = 500;

/** A page is read from JSON in one go, while nobody else is answered: so many characters take some 20 ms. */
const wantedCharacters = 2 * 1_024 * 1_024;

/** Until it is known how large the objects are: each may be as large as its config and its outputs may. */
const atFirst = 50;

type Where = Pick<ListOptions, 'labelSelector' | 'fieldSelector'> & { readonly namespace: string };

/** Decides when a page is read. */
type Turn = <T>(read: () => Promise<T>) => Promise<T>;

/** In no order that means anything. @throws KubeError */
export async function* pagesOf<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  kind: KindRef,
  where: Where,
  turn: Turn = (read) => read(),
): AsyncIterable<T> {
  let limit = atFirst;
  let next: string | undefined;
  do {
    const token = next === undefined ? {} : { continue: next };
    const options = { ...where, limit, ...token };
    const page: KubeList<T> = await turn(() => client.list<T>(kind, options));
    yield* page.items;
    limit = nextLimit(limit, page);
    next = page.continue;
  } while (next !== undefined);
}

/** As many as would have been of the wanted length; never many times more at once, as the next ones may be larger. */
function nextLimit(limit: number, { items, characters }: KubeList<unknown>): number {
  if (items.length === 0) return limit;
  const fitting = Math.floor((items.length * wantedCharacters) / characters);
  return Math.max(1, Math.min(fitting, 4 * limit, most));
}
