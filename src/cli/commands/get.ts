// `fairlead get`: lists resources, or shows some.

import type { ListResources, ResourceRecord } from '../api/bodies.ts';
import type { Api } from '../api/client.ts';
import type { Invocation } from '../invocation.ts';
import { type Selector, selectorOf } from '../resources/selector.ts';
import { summaryOf } from '../resources/summary.ts';
import { resourceView } from '../resources/view.ts';

const pageSize = 1_000;

export async function get(invocation: Invocation): Promise<undefined> {
  const { args, flags, output, talk } = invocation;
  const selectors = args.map(selectorOf);
  const limit = flags.count('limit');
  const api = await invocation.api();
  const [only] = selectors;
  if (only?.id !== undefined && selectors.length === 1) {
    const path = { resource_id: only.id };
    await output.record(await api.get('getResource', { path }), resourceView);
    return undefined;
  }
  const filter = await filterFrom(invocation);
  const found = await find(api, selectors, filter);
  const records = sorted(found, flags.text('sort')).slice(0, limit);
  await output.list(records, resourceView);
  if (output.isForPeople) talk.note(footerOf(records));
  return undefined;
}

async function filterFrom({ flags, context }: Invocation): Promise<ListResources> {
  const { project } = await context();
  const state = flags.on('failed') ? 'failed' : flags.text('state');
  const tags = flags.texts('tag');
  return {
    ...(state === undefined ? {} : { lifecycle_state: state as 'failed' }),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(project === undefined || flags.on('all-projects') ? {} : { project_id: project }),
  };
}

/** @returns the resources that a selector matches, each once */
async function find(
  api: Api,
  selectors: readonly Selector[],
  filter: ListResources,
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

const orders: Readonly<Record<string, (record: ResourceRecord) => string>> = {
  name: ({ id }) => id,
  state: ({ lifecycle_state, id }) => `${lifecycle_state} ${id}`,
  age: ({ created_at }) => created_at,
};

function sorted(records: readonly ResourceRecord[], order = 'name'): ResourceRecord[] {
  const key = orders[order] ?? (({ id }) => id);
  return [...records].sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

function footerOf(records: readonly ResourceRecord[]): string {
  const failed = records.find(({ lifecycle_state }) => lifecycle_state === 'failed');
  const summary = `${summaryOf(records)}.`;
  if (failed === undefined) return summary;
  return `${summary}  Why: fairlead why ${resourceView.nameOf(failed)}`;
}
