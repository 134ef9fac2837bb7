// Lists for clients from lists of the API server: a page of Fairlead costs what it returns, whatever else there is, and a whole list
// holds one page at a time.

import { InvalidRequest } from '../domain/errors.ts';
import type { KindRef, KubeClient, KubeObject } from '../kube/api.ts';
import { hasReason } from '../kube/errors.ts';
import { type PagesOptions, pages } from '../kube/informer/pages.ts';

export interface Listing<T, R> {
  readonly client: Pick<KubeClient, 'list'>;
  readonly kind: KindRef;
  readonly where: Pick<PagesOptions, 'labelSelector' | 'fieldSelector' | 'turn'> & {
    readonly namespace: string;
  };
  /** @returns the record of an object, or undefined when it does not belong to the list */
  readonly recordOf: (object: T) => R | undefined;
  /** Whether `recordOf` leaves out more than single objects: then a page reads on until it finds its successor. */
  readonly isFiltered: boolean;
}

export interface PageOptions {
  /** Maximum number of records; 1,000 by default. */
  readonly limit?: number | undefined;
  /** From an earlier page. */
  readonly cursor?: string | undefined;
}

export interface PageOf<R> {
  /** In the order of object names. */
  readonly records: readonly R[];
  /** The cursor of the next page. */
  readonly next: string | undefined;
}

const maxPageSize = 1_000;

/** The number of objects that a page reads at a time to find its successor. */
const ahead = 50;

/** @throws InvalidRequest for a cursor that is not of Fairlead; KubeError */
export async function readPage<T extends KubeObject, R>(
  listing: Listing<T, R>,
  { limit = maxPageSize, cursor }: PageOptions,
): Promise<PageOf<R>> {
  const start = cursor === undefined ? undefined : readCursor(cursor);
  const { isFiltered } = listing;
  const records: R[] = [];
  let after = start?.after ?? '';
  const maxObjects = () => objectsWanted(limit - records.length, isFiltered);
  for await (const { found, token, rest } of foundPages(listing, { start, maxObjects })) {
    for (const { name, record } of found) {
      if (records.length === limit) return { records, next: cursorOf({ token, after }) };
      records.push(record);
      after = name;
    }
    const isFull = records.length === limit && !isFiltered;
    if (isFull && rest !== undefined) return { records, next: cursorOf({ token: rest, after }) };
  }
  return { records, next: undefined };
}

/** How many objects the next page of the API server may have. */
function objectsWanted(missing: number, isFiltered: boolean): number {
  if (!isFiltered) return missing;
  return missing === 0 ? ahead : Number.POSITIVE_INFINITY;
}

interface FoundPage<R> {
  readonly found: readonly { readonly name: string; readonly record: R }[];
  /** Reads the page of the API server again. */
  readonly token: string | undefined;
  /** Reads the one after it; absent for the last one. */
  readonly rest: string | undefined;
}

async function* foundPages<T extends KubeObject, R>(
  { client, kind, where, recordOf }: Listing<T, R>,
  {
    start,
    maxObjects,
  }: { readonly start: PagePosition | undefined; readonly maxObjects: () => number },
): AsyncGenerator<FoundPage<R>, void, void> {
  const options = { ...where, maxObjects, from: start?.token, outlivesSnapshot: true };
  try {
    for await (const { items, token, continue: rest } of pages<T>(client, kind, options)) {
      const found = items.flatMap((object) => {
        const { name } = object.metadata;
        // The position of a cursor may be within a page of the API server.
        const record = start !== undefined && name <= start.after ? undefined : recordOf(object);
        return record === undefined ? [] : [{ name, record }];
      });
      yield { found, token, rest };
    }
  } catch (thrown) {
    const isOfClient = start?.token !== undefined;
    if (isOfClient && hasReason(thrown, 'badRequest', 'invalid', 'gone'))
      throw invalidCursor({ cause: thrown });
    throw thrown;
  }
}

/** Reads everything, the next page while the caller uses one. @throws KubeError */
export async function* readAllPages<T extends KubeObject, R>({
  client,
  kind,
  where,
  recordOf,
}: Listing<T, R>): AsyncGenerator<readonly R[], void, void> {
  const all = pages<T>(client, kind, { ...where, outlivesSnapshot: true });
  let next = all.next();
  try {
    for (;;) {
      const { done, value: page } = await next;
      if (done === true) return;
      next = all.next();
      // Thrown when it is awaited, if it is.
      next.catch(() => undefined);
      yield page.items.flatMap((object) => recordOf(object) ?? []);
    }
  } finally {
    void all.return();
  }
}

// List cursors: the position where the last page ended. Opaque to clients, and validated on return.

/** The position in a list of the API server, whose pages end elsewhere than those of Fairlead. */
interface PagePosition {
  /** Reads the page of the API server that has the next object; absent for its first page. */
  readonly token: string | undefined;
  /** The name of the last object that was shown. */
  readonly after: string;
}

const separator = '\u0000';
const objectName = /^[a-z0-9][a-z0-9.-]{0,252}$/;

export function cursorOf({ token = '', after }: PagePosition): string {
  return Buffer.from(`${after}${separator}${token}`).toString('base64url');
}

/** @throws InvalidRequest when the text is not a cursor of Fairlead */
export function readCursor(text: string): PagePosition {
  const [after = '', token, ...more] = Buffer.from(text, 'base64url').toString().split(separator);
  if (token === undefined || more.length > 0 || !objectName.test(after)) throw invalidCursor();
  const position = { token: token === '' ? undefined : token, after };
  if (cursorOf(position) !== text) throw invalidCursor();
  return position;
}

/** Also for a token that the API server does not accept. */
function invalidCursor(options: { readonly cause?: unknown } = {}): InvalidRequest {
  const msg = 'Input should be a cursor from a Link header';
  const problem = { loc: ['query', 'cursor'], msg, type: 'value_error' };
  return new InvalidRequest([problem], options);
}
