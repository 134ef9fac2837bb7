// `fairlead get`: lists resources, shows some, or follows them.
import type { ResourceRecord } from '../../api/shapes.ts';
import type { Selector } from '../../client/selector.ts';
import { isInDeletion, shownState } from '../../client/shown-state.ts';
import { CliError } from '../errors/cli-error.ts';
import { linesOfError } from '../errors/present.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import {
  type Filter,
  filterFrom,
  find,
  findNamed,
  readResource,
  selectorsOf,
} from '../resources/find.ts';
import { resourceView } from '../resources/resource-view.ts';
import { resourcesSummary } from '../resources/summary.ts';

export async function get(invocation: Invocation): Promise<ExitCode | undefined> {
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
    await output.record(await readResource(api, only.id), resourceView);
    return undefined;
  }
  const named = await findNamed(api, selectors, filter);
  const several = selectors.filter(({ id }) => id === undefined);
  const isListed = several.length > 0 || selectors.length === 0;
  const found = isListed ? await find(api, several, filter) : [];
  const shown = flags.on('deleting') ? found : found.filter((record) => !isInDeletion(record));
  const all = sorted([...named.records, ...shown], flags.text('sort'));
  const records = all.slice(0, limit);
  await output.list(records, resourceView);
  if (output.isForPeople) {
    talk.note(footerOf(records));
    const listed = new Set(all.map(({ id }) => id));
    noteHidden(invocation, found.filter(({ id }) => !listed.has(id)).length);
  }
  return reportMissing(invocation, named.missing);
}

/** A list shows what stays. A resource whose deletion failed stays, too. */
function noteHidden({ flags, globals, talk }: Invocation, count: number): void {
  if (count === 0) return;
  const project = globals.text('project');
  const where = flags.on('all-projects') ? ' --all-projects' : project && ` --project ${project}`;
  const verb = count === 1 ? 'is' : 'are';
  talk.note(`${count} more ${verb} being deleted: fairlead get --deleting${where ?? ''}`);
}

/** What exists is printed; a script learns by the exit code that something is missing. */
function reportMissing({ talk }: Invocation, missing: readonly Selector[]): ExitCode | undefined {
  for (const [at, { text }] of missing.entries()) {
    const isLast = at === missing.length - 1;
    const error = new CliError(`${text} does not exist.`, {
      exit: ExitCode.notFound,
      ...(isLast ? { next: 'The resources that exist: fairlead get' } : {}),
    });
    talk.lines(linesOfError(error, talk));
  }
  return missing.length === 0 ? undefined : ExitCode.notFound;
}

async function filterOf(invocation: Invocation): Promise<Filter> {
  const { flags } = invocation;
  const state = flags.on('failed') ? 'failed' : flags.text('state');
  return {
    deleting: flags.on('deleting') ? 'only' : 'include',
    ...(state === undefined ? {} : { lifecycle_state: state as 'failed' }),
    ...(await filterFrom(invocation, { allProjects: flags.on('all-projects') })),
  };
}

const orders: Readonly<Record<string, (record: ResourceRecord) => string>> = {
  name: ({ id }) => id,
  state: (record) => `${shownState(record)} ${record.id}`,
  age: ({ created_at }) => created_at,
};

/** Each once: several selectors may match a resource. */
function sorted(records: readonly ResourceRecord[], order = 'name'): ResourceRecord[] {
  const key = orders[order] ?? (({ id }) => id);
  const unique = new Map(records.map((record) => [record.id, record]));
  return [...unique.values()].sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

function footerOf(records: readonly ResourceRecord[]): string {
  const failed = records.find(({ lifecycle_state }) => lifecycle_state === 'failed');
  const summary = `${resourcesSummary(records)}.`;
  if (failed === undefined) return summary;
  return `${summary}  Why: fairlead why ${resourceView.nameOf(failed)}`;
}
