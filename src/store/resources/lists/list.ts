// Lists resources in pages of the API server, with the filters that it does not have.
import type { Resource } from '../../../crds/resource.ts';
import type { Organization } from '../../../domain/identity.ts';
import type { KubeClient } from '../../../kube/api.ts';
import { pages, type Turn } from '../../../kube/informer/pages.ts';
import type { KeyedSemaphore } from '../../keyed-semaphore.ts';
import { kinds } from '../../kinds.ts';
import { type Listing, readAllPages, readPage } from '../../listing.ts';
import type { ResourceFilter, ResourcePage, ResourceRecord } from '../../records.ts';
import { withKnownSpec } from '../known-spec.ts';
import { resourceRecord } from '../state.ts';
import { fieldSelectorFor, isComparedHere, matches } from './filter.ts';

/** Per organization: each page may be some megabytes, and its objects are dropped when they are in the cache. */
export const pagesAtATime = 2;

export interface ReadingDeps {
  readonly client: KubeClient;
  /** The cached object, which may be old. */
  readonly known: (ref: { namespace: string; name: string }) => Resource | undefined;
  readonly pageReads: KeyedSemaphore;
}

/** A page; without a limit, everything. In the order of object names. */
export async function listPage(
  deps: ReadingDeps,
  organization: Organization,
  filter: ResourceFilter,
): Promise<ResourcePage> {
  const { limit, cursor } = filter;
  const listing = listingOf(deps, organization, filter);
  if (limit !== undefined || cursor !== undefined)
    return await readPage(listing, { limit, cursor });
  const records: ResourceRecord[] = [];
  for await (const page of readAllPages(listing)) records.push(...page);
  return { records, next: undefined };
}

/** Everything in pieces, in the order of object names. */
export function allResources(
  deps: ReadingDeps,
  organization: Organization,
  filter: ResourceFilter,
): AsyncIterable<readonly ResourceRecord[]> {
  return readAllPages(listingOf(deps, organization, filter));
}

function listingOf(
  { client, known, pageReads }: ReadingDeps,
  { namespace }: Organization,
  filter: ResourceFilter,
): Listing<Resource, ResourceRecord> {
  return {
    client,
    kind: kinds.resource,
    where: listingScope(namespace, filter, pageReads),
    recordOf: (found) => {
      const resource = withKnownSpec(found, known({ namespace, name: found.metadata.name }));
      return matches(resource, filter) ? resourceRecord(resource) : undefined;
    },
    isFiltered: isComparedHere(filter),
  };
}

/** @returns the matching resources of one snapshot, and its version */
export async function readAll(
  { client, known, pageReads }: ReadingDeps,
  { namespace }: Organization,
  filter: ResourceFilter,
): Promise<{ readonly found: readonly Resource[]; readonly version: string }> {
  const found: Resource[] = [];
  const where = listingScope(namespace, filter, pageReads);
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

function listingScope(namespace: string, filter: ResourceFilter, pageReads: KeyedSemaphore) {
  const fieldSelector = fieldSelectorFor(filter);
  const turn: Turn = (read) => pageReads.run(namespace, read);
  return { namespace, turn, ...(fieldSelector === '' ? {} : { fieldSelector }) };
}
