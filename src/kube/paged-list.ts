// All objects of one kind, read page by page: one view of one moment, and the version to watch from.
import { type Key, type KindRef, type KubeClient, type KubeObject, keyFor } from './api.ts';

export interface Listed<T> {
  readonly objects: ReadonlyMap<Key, T>;
  readonly resourceVersion: string;
}

/** Which objects of a kind; all when empty. */
export interface Selector {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

const pageSize = 500;
const pageTimeoutMs = 60_000;

/** @throws KubeError; `gone` when reading the pages took longer than the API server keeps the moment */
export async function pagedList<T extends KubeObject>(
  client: Pick<KubeClient, 'list'>,
  kind: KindRef,
  signal: AbortSignal,
  selector: Selector = {},
): Promise<Listed<T>> {
  const options = {
    limit: pageSize,
    signal,
    timeoutMs: pageTimeoutMs,
    ...selector,
  };
  const objects = new Map<Key, T>();
  let page = await client.list<T>(kind, options);
  // The first page's version: a watch from it also shows what changed while the others were read.
  const { resourceVersion } = page;
  for (;;) {
    for (const item of page.items) objects.set(keyFor(item.metadata), item);
    if (page.continue === undefined) return { objects, resourceVersion };
    page = await client.list<T>(kind, { ...options, continue: page.continue });
  }
}
