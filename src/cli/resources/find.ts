// Finds the resources that selectors and filters match.
import type { ListResources, ResourceRecord } from '../api/bodies.ts';
import type { Api } from '../api/client.ts';
import type { Invocation } from '../invocation.ts';
import { oneResource, type Selector, selectorOf } from './selector.ts';

const pageSize = 1_000;

export type Filter = Omit<ListResources, 'limit' | 'cursor'>;

/** @returns the selectors of a command line; `provider/type name` in two words is one resource */
export function selectorsOf(args: readonly string[]): readonly Selector[] {
  const [first = '', second = ''] = args;
  const isTwoWords =
    args.length === 2 && /^[^/*:]+\/[^/*:]+$/.test(first) && /^[^/*:]+$/.test(second);
  return isTwoWords ? [oneResource(`${first}/${second}`)] : args.map(selectorOf);
}

/** @returns the filters of a command with the flag `--tag`; without `--all-projects`, those of the project of the context */
export async function filterFrom(
  { flags, context }: Pick<Invocation, 'flags' | 'context'>,
  { allProjects = false }: { allProjects?: boolean } = {},
): Promise<Filter> {
  const { project } = await context();
  const tags = flags.texts('tag');
  return {
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(project === undefined || allProjects ? {} : { project_id: project }),
  };
}

/** @returns the resources that a selector matches, each once; all without selectors */
export async function find(
  api: Api,
  selectors: readonly Selector[],
  filter: Filter,
): Promise<ResourceRecord[]> {
  if (selectors.length === 0) return await list(api, filter);
  const found = new Map<string, ResourceRecord>();
  for (const { provider, resource, matches } of selectors) {
    // A type is unique only within its provider.
    const type = provider === undefined ? {} : { provider, resource };
    for (const record of await list(api, { ...filter, ...type })) {
      if (matches(record)) found.set(record.id, record);
    }
  }
  return [...found.values()];
}

async function list(api: Api, query: ListResources): Promise<ResourceRecord[]> {
  return await api.list('listResources', { query: { ...query, limit: pageSize } });
}
