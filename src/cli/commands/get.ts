// `fairlead get`: lists resources, shows some, or follows them.
import type { ResourceRecord } from '../api/bodies.ts';
import type { Invocation } from '../invocation.ts';
import { type Filter, filterFrom, find, selectorsOf } from '../resources/find.ts';
import { summaryOf } from '../resources/summary.ts';
import { resourceView } from '../resources/view.ts';

export async function get(invocation: Invocation): Promise<undefined> {
  const { args, flags, output, talk } = invocation;
  const limit = flags.count('limit');
  const selectors = selectorsOf(args);
  const filter = await filterOf(invocation);
  if (flags.on('watch')) {
    const { watch } = await import('../watch/table.ts');
    return await watch(invocation, { selectors, filter });
  }
  const api = await invocation.api();
  const [only] = selectors;
  if (only?.id !== undefined && selectors.length === 1) {
    const path = { resource_id: only.id };
    await output.record(await api.get('getResource', { path }), resourceView);
    return undefined;
  }
  const found = await find(api, selectors, filter);
  const records = sorted(found, flags.text('sort')).slice(0, limit);
  await output.list(records, resourceView);
  if (output.isForPeople) talk.note(footerOf(records));
  return undefined;
}

async function filterOf(invocation: Invocation): Promise<Filter> {
  const { flags } = invocation;
  const state = flags.on('failed') ? 'failed' : flags.text('state');
  return {
    ...(state === undefined ? {} : { lifecycle_state: state as 'failed' }),
    ...(await filterFrom(invocation, { allProjects: flags.on('all-projects') })),
  };
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
