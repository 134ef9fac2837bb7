// Lists resources: reads pages from the API server, filters and sorts.
import type { Resource } from '../../crds/resource.ts';
import type { Organization } from '../../domain/identity.ts';
import type { KubeClient } from '../../kube/api.ts';
import { pages, type Turn } from '../../kube/pages.ts';
import { cursorOf, readCursor } from '../cursor.ts';
import type { KeyedSemaphore } from '../keyed-semaphore.ts';
import { kinds } from '../kinds.ts';
import type { ResourceFilter, ResourcePage } from '../records.ts';
import { recordOf, shownState, stateOf } from './state.ts';

/** Per organization: each page may be some megabytes, and its objects are dropped when they are in the cache. */
export const pagesAtATime = 2;

export interface ReadingDeps {
  readonly client: KubeClient;
  /** The cached object, which may be old. */
  readonly known: (ref: { namespace: string; name: string }) => Resource | undefined;
  readonly pageReads: KeyedSemaphore;
}

export async function listResources(
  deps: ReadingDeps,
  organization: Organization,
  filter: ResourceFilter,
): Promise<ResourcePage> {
  const after = filter.cursor === undefined ? undefined : readCursor(filter.cursor);
  const { found } = await readAll(deps, organization, filter);
  const sorted = inOrder(found).filter(({ at }) => after === undefined || at > after);
  const limit = filter.limit ?? sorted.length;
  const last = sorted.length > limit ? sorted[limit - 1] : undefined;
  return {
    records: sorted.slice(0, limit).map(({ resource }) => recordOf(resource)),
    next: last === undefined ? undefined : cursorOf(last.at),
  };
}

/** In the order of lists. */
export function inOrder(
  resources: readonly Resource[],
): readonly { readonly at: string; readonly resource: Resource }[] {
  return resources
    .map((resource) => ({ at: sortKey(resource), resource }))
    .sort((left, right) => (left.at < right.at ? -1 : 1));
}

/** @returns the matching resources of one snapshot, and its version */
export async function readAll(
  { client, known, pageReads }: ReadingDeps,
  { namespace }: Organization,
  filter: ResourceFilter,
): Promise<{ readonly found: readonly Resource[]; readonly version: string }> {
  const found: Resource[] = [];
  const fieldSelector = selectorOf(filter);
  const turn: Turn = (read) => pageReads.run(namespace, read);
  const where = { namespace, turn, ...(fieldSelector === '' ? {} : { fieldSelector }) };
  let version: string | undefined;
  for await (const page of pages<Resource>(client, kinds.resource, where)) {
    version ??= page.resourceVersion;
    for (const resource of page.items) {
      if (!matches(resource, filter)) continue;
      // Uses the cached copy instead of a second one: concurrent lists of large resources took all memory.
      const remembered = known({ namespace, name: resource.metadata.name });
      const isSame = remembered?.metadata.resourceVersion === resource.metadata.resourceVersion;
      found.push(isSame ? (remembered ?? resource) : resource);
    }
  }
  return { found, version: version ?? '' };
}

// Only patterns that field selectors cannot misread get here; everything else is compared in memory.
function selectorOf({ provider, resource }: ResourceFilter): string {
  const parts = [];
  if (provider !== undefined && /^[a-z0-9-]+$/.test(provider))
    parts.push(`spec.provider=${provider}`);
  if (resource !== undefined && /^[a-z0-9_-]+$/.test(resource))
    parts.push(`spec.resource=${resource}`);
  return parts.join(',');
}

export function matches(resource: Resource, filter: ResourceFilter): boolean {
  const { spec } = resource;
  const { provider, resource: type, tags = [], state, projectId } = filter;
  return (
    isShown(resource, filter) &&
    (provider === undefined || spec.provider === provider) &&
    (type === undefined || spec.resource === type) &&
    (projectId === undefined || spec.project === projectId) &&
    (state === undefined || shownState(resource) === state) &&
    tags.every((tag) => spec.tags?.includes(tag) === true)
  );
}

function isShown(resource: Resource, { deleting }: ResourceFilter): boolean {
  const leaves = stateOf(resource) === 'deleting';
  return leaves ? deleting !== undefined : deleting !== 'only';
}

// U+0000 cannot occur in a name, so a shorter part sorts before a longer one that begins with it.
function sortKey({ spec }: Resource): string {
  return [spec.provider, spec.resource, spec.name].join('\u0000');
}
