// Reads lists page by page, sized by the previous objects, so that thousands of objects are never in memory at once.
import type { KindRef, KubeClient, KubeList, KubeObject, ListOptions } from '../api.ts';
import { hasReason } from '../errors.ts';

const max = 500;

/** A page is parsed in one go, which blocks the event loop: this many characters take some 20 ms. */
const wantedCharacters = 2 * 1_024 * 1_024;

/** Until the object size is known: each may be as large as its config and its outputs allow. */
const atFirst = 50;

/** Selects objects of a kind; all when empty. */
export interface PageSelector {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Schedules the read of a page. */
export type Turn = <T>(read: () => Promise<T>) => Promise<T>;

export interface PagesOptions extends Omit<ListOptions, 'limit' | 'continue'> {
  readonly turn?: Turn;
  /** The `token` of an earlier page: begins with that page. */
  readonly from?: string | undefined;
  /** The most objects of the next page, such as the number that is still missing. */
  readonly maxObjects?: () => number;
  /** Goes on with the state of now, from the last name, when the API server has dropped the snapshot. */
  readonly outlivesSnapshot?: boolean;
}

interface ListPage<T> extends KubeList<T> {
  /** Reads this page again; undefined for the first one. */
  readonly token: string | undefined;
}

/** Reads one consistent snapshot in the order of names. @throws KubeError; `gone` when the API server has dropped the snapshot */
export async function* pages<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  kind: KindRef,
  given: PagesOptions,
): AsyncGenerator<ListPage<T>, void, void> {
  const {
    turn = (read) => read(),
    from,
    maxObjects = () => max,
    outlivesSnapshot,
    ...options
  } = given;
  const read = outlivesSnapshot === true ? readOrRenew : readOnce;
  let limit = atFirst;
  let token = from;
  for (;;) {
    const wanted = { ...options, limit: Math.max(1, Math.min(limit, maxObjects())) };
    const page: KubeList<T> = await turn(() => read<T>(client, kind, withToken(wanted, token)));
    limit = nextLimit(limit, page);
    yield { ...page, token };
    if (page.continue === undefined) return;
    token = page.continue;
  }
}

type PageReader = <T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  kind: KindRef,
  options: ListOptions,
) => Promise<KubeList<T>>;

const readOnce: PageReader = (client, kind, options) => client.list(kind, options);

const readOrRenew: PageReader = async (client, kind, options) => {
  try {
    return await client.list(kind, options);
  } catch (thrown) {
    if (!hasReason(thrown, 'gone') || thrown.continueToken === undefined) throw thrown;
    return await client.list(kind, { ...options, continue: thrown.continueToken });
  }
};

function withToken(options: ListOptions, token: string | undefined): ListOptions {
  return token === undefined ? options : { ...options, continue: token };
}

/** As many objects as fit the wanted size; never many times more at once, as the next ones may be larger. */
function nextLimit(limit: number, { items, characters }: KubeList<unknown>): number {
  if (items.length === 0) return limit;
  const fitting = Math.floor((items.length * wantedCharacters) / characters);
  return Math.max(1, Math.min(fitting, 4 * limit, max));
}
