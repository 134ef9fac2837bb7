// Finds the resources that selectors and filters match.
import type { ListResources, ResourceRecord } from '../../api/shapes.ts';
import { parseSelector, type Selector } from '../../client/selector.ts';
import { isInDeletion } from '../../client/shown-state.ts';
import type { Api } from '../session/api/client.ts';
import { inParallel } from '../session/api/parallel.ts';
import type { Invocation } from '../session/invocation.ts';
import { undefinedIfMissing } from '../terminal/errors/api-error.ts';
import { usageError } from '../terminal/errors/cli-error.ts';

const pageSize = 1_000;
export type FindFilter = Omit<ListResources, 'limit' | 'cursor'>;

/** @returns the selectors of a command line; `provider/type name` in two words is one resource */
export function selectorsOf(args: readonly string[]): readonly Selector[] {
  const [first = '', second = ''] = args;
  const isTwoWords =
    args.length === 2 && /^[^/*:]+\/[^/*:]+$/.test(first) && /^[^/*:]+$/.test(second);
  return isTwoWords ? [oneResource(`${first}/${second}`)] : args.map(selectorIn);
}

/** @returns the filters of a command with the flags `--tag` and `--set`; without `--all-projects`, those of the project of the context */
export async function filterFrom(
  { flags, context }: Pick<Invocation, 'flags' | 'context'>,
  { allProjects = false }: { allProjects?: boolean } = {},
): Promise<FindFilter> {
  const { project } = await context();
  const tags = flags.texts('tag');
  const set = flags.text('set');
  return {
    ...(set === undefined ? {} : { set }),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(project === undefined || allProjects ? {} : { project_id: project }),
  };
}

/** @returns the resources that a selector matches, each once; all without selectors */
export async function findRecords(
  api: Api,
  selectors: readonly Selector[],
  filter: FindFilter,
): Promise<ResourceRecord[]> {
  if (selectors.length === 0) return await listRecords(api, filter);
  const found = new Map<string, ResourceRecord>();
  for (const { provider, resource, matches } of selectors) {
    // A type is unique only within its provider.
    const type = provider === undefined ? {} : { provider, resource };
    for (const record of await listRecords(api, { ...filter, ...type })) {
      if (matches(record)) found.set(record.id, record);
    }
  }
  return [...found.values()];
}

/** Reads a resource, also one in deletion. @throws ApiError `resource_not_found` */
export async function readResource(
  api: Api,
  id: string,
  { secrets }: Pick<FindFilter, 'secrets'> = {},
): Promise<ResourceRecord> {
  const path = { resource_id: id };
  const hiding = secrets === undefined ? {} : { secrets };
  return await api.call('getResource', { path, query: { deleting: 'include', ...hiding } });
}

/** @returns the resource of an id, also one in deletion; undefined when there is none */
export async function findRecord(
  api: Api,
  id: string,
  options: Pick<FindFilter, 'secrets'> = {},
): Promise<ResourceRecord | undefined> {
  return await readResource(api, id, options).catch(undefinedIfMissing);
}

interface NamedRecords {
  /** Records that fit the filter, also in deletion. The project is no part of it: a name is unique in an organization. */
  readonly records: readonly ResourceRecord[];
  /** The names of those that do not exist. */
  readonly missing: readonly string[];
}

/** Reads the resources that selectors name one by one. */
export async function findNamed(
  api: Api,
  selectors: readonly Selector[],
  filter: FindFilter,
): Promise<NamedRecords> {
  const named = selectors.flatMap((selector) =>
    selector.id === undefined ? [] : [{ selector, id: selector.id }],
  );
  const records = await inParallel(named, ({ id }) => findRecord(api, id, filter));
  return {
    records: records.flatMap((record) => (record && fitsFilter(record, filter) ? [record] : [])),
    missing: named.flatMap(({ selector }, at) =>
      records[at] === undefined ? [selector.text] : [],
    ),
  };
}

/** Returns whether a resource has the properties of a filter that may change. */
export function fitsFilter(record: ResourceRecord, filter: FindFilter): boolean {
  const { lifecycle_state, tags, drift = null } = record;
  const { lifecycle_state: state = lifecycle_state, tags: wanted = [], deleting } = filter;
  return (
    lifecycle_state === state &&
    wanted.every((tag) => tags?.includes(tag) === true) &&
    (filter.set === undefined || filter.set === record.set) &&
    (filter.drift === undefined || filter.drift === (drift !== null)) &&
    (deleting !== 'only' || isInDeletion(record))
  );
}

async function listRecords(api: Api, query: ListResources): Promise<ResourceRecord[]> {
  return await api.list('listResources', { query: { ...query, limit: pageSize } });
}

// Reads the selectors in arguments of commands.

/** @throws CliError naming the spellings that are possible */
export function selectorIn(text: string): Selector {
  const selector = parseSelector(text);
  if (selector !== undefined) return selector;
  throw usageError(
    `"${text}" selects no resource: write PROVIDER, PROVIDER/TYPE or PROVIDER/TYPE/NAME.`,
  );
}

/** @returns the selector of one resource. @throws CliError for one of several */
export function oneResource(text: string): Selector & { readonly id: string } {
  const selector = selectorIn(text);
  if (selector.id !== undefined) return { ...selector, id: selector.id };
  throw usageError(`"${text}" must name one resource: PROVIDER/TYPE/NAME.`);
}
