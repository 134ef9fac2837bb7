// Reads lists page by page, sized by the previous objects, so that thousands of objects are never in memory at once.
import type { KindRef, KubeClient, KubeList, KubeObject, ListOptions } from './api.ts';

const max = 500;

/** A page is parsed in one go, which blocks the event loop: this many characters take some 20 ms. */
const wantedCharacters = 2 * 1_024 * 1_024;

/** Until the object size is known: each may be as large as its config and its outputs allow. */
const atFirst = 50;

/** Selects objects of a kind; all when empty. */
export interface Selector {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Schedules the read of a page. */
export type Turn = <T>(read: () => Promise<T>) => Promise<T>;

/** One consistent snapshot in no particular order. @throws KubeError; `gone` when the API server compacted the snapshot */
export async function* pages<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  kind: KindRef,
  {
    turn = (read) => read(),
    ...options
  }: Omit<ListOptions, 'limit' | 'continue'> & { readonly turn?: Turn },
): AsyncIterable<KubeList<T>> {
  let limit = atFirst;
  let next: string | undefined;
  do {
    const token = next === undefined ? {} : { continue: next };
    const page: KubeList<T> = await turn(() =>
      client.list<T>(kind, { ...options, limit, ...token }),
    );
    limit = nextLimit(limit, page);
    next = page.continue;
    yield page;
  } while (next !== undefined);
}

/** As many objects as fit the wanted size; never many times more at once, as the next ones may be larger. */
function nextLimit(limit: number, { items, characters }: KubeList<unknown>): number {
  if (items.length === 0) return limit;
  const fitting = Math.floor((items.length * wantedCharacters) / characters);
  return Math.max(1, Math.min(fitting, 4 * limit, max));
}
