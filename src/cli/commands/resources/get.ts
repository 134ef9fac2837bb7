// `fairlead get`: lists resources, shows some, or follows them.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { isInDeletion, shownState } from '../../../client/shown-state.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { driftLines } from '../../resources/drift-lines.ts';
import {
  type FindFilter,
  filterFrom,
  findNamed,
  findRecords,
  readResource,
  selectorsOf,
} from '../../resources/find.ts';
import { driftView, resourceView } from '../../resources/resource-view.ts';
import { resourcesSummary } from '../../resources/summary.ts';
import type { Api } from '../../session/api/client.ts';
import type { Invocation } from '../../session/invocation.ts';
import { missingResources, unknownIn, unknownProject } from '../../session/meant.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { linesOfError } from '../../terminal/errors/present.ts';
import { type ExitCode, worstOf } from '../../terminal/exit-codes.ts';
import type { View } from '../../terminal/output.ts';

export async function get(invocation: Invocation): Promise<ExitCode | undefined> {
  const { args, flags, output, talk } = invocation;
  const limit = flags.count('limit');
  const selectors = selectorsOf(args);
  const filter = await findFilter(invocation);
  if (flags.on('watch')) {
    const { watchTable } = await import('../../resources/watch/table.ts');
    await watchTable(invocation, { selectors, filter });
    return undefined;
  }
  const api = await invocation.api();
  const [only] = selectors;
  if (only?.id !== undefined && selectors.length === 1) {
    await showOne(invocation, await readResource(api, only.id, filter));
    return undefined;
  }
  const named = await findNamed(api, selectors, filter);
  const several = selectors.filter(({ id }) => id === undefined);
  const isListed = several.length > 0 || selectors.length === 0;
  const found = isListed ? await findRecords(api, several, filter) : [];
  const shown = flags.on('deleting') ? found : found.filter((record) => !isInDeletion(record));
  const all = sortedRecords([...named.records, ...shown], flags.text('sort'));
  const records = all.slice(0, limit);
  await output.list(records, await recordView(invocation));
  if (output.isForPeople) {
    talk.note(recordsFooter(all, records.length));
    const listed = new Set(all.map(({ id }) => id));
    noteHidden(invocation, found.filter(({ id }) => !listed.has(id)).length);
  }
  return reportErrors(invocation, [
    ...(await unknownIn(api, several, found)),
    ...(isListed ? await unknownProjectIn(api, filter, found) : []),
    ...(await missingResources(api, named.missing)),
  ]);
}

async function recordView({ flags, output, api }: Invocation): Promise<View<ResourceRecord>> {
  if (output.format.kind !== 'manifest') return flags.on('drift') ? driftView : resourceView;
  const { manifestOf } = await import('../../resources/declarations/manifest.ts');
  const { namespace } = await (await api()).call('getMe', {});
  return { ...resourceView, manifestOf: (record) => manifestOf(record, namespace) };
}

async function showOne(invocation: Invocation, record: ResourceRecord): Promise<void> {
  const { output } = invocation;
  await output.record(record, await recordView(invocation));
  if (!output.isForPeople || record.drift == null) return;
  for (const line of driftLines(record.drift, output.width)) output.line(line);
}

async function unknownProjectIn(
  api: Api,
  { project_id: project }: FindFilter,
  found: readonly ResourceRecord[],
): Promise<readonly CliError[]> {
  if (project === undefined || found.length > 0) return [];
  const error = await unknownProject(api, project);
  return error === undefined ? [] : [error];
}

/** A list shows what stays. A resource whose deletion failed stays, too. */
function noteHidden({ flags, globals, talk }: Invocation, count: number): void {
  if (count === 0) return;
  const project = globals.text('project');
  const where = flags.on('all-projects') ? ['--all-projects'] : project && ['--project', project];
  const verb = count === 1 ? 'is' : 'are';
  talk.note(
    shell`${count} more ${verb} being deleted: fairlead get ${['--deleting', ...(where || [])]}`,
  );
}

/** Existing records are printed; a script learns by the exit code that something is missing. */
function reportErrors({ talk }: Invocation, errors: readonly CliError[]): ExitCode | undefined {
  for (const [at, error] of errors.entries()) {
    // Advice that follows again is shown once.
    const isRepeated = error.next === errors[at + 1]?.next;
    const shown = isRepeated ? new CliError(error.message, { exit: error.exit }) : error;
    talk.lines(linesOfError(shown, talk));
  }
  return errors.length === 0 ? undefined : worstOf(errors.map(({ exit }) => exit));
}

async function findFilter(invocation: Invocation): Promise<FindFilter> {
  const { flags, output } = invocation;
  const state = flags.on('failed') ? 'failed' : flags.text('state');
  return {
    deleting: flags.on('deleting') ? 'only' : 'include',
    // A table has no values of resources.
    ...(output.isForPeople ? { secrets: 'hide' } : {}),
    ...(state === undefined ? {} : { lifecycle_state: state as 'failed' }),
    ...(flags.on('drift') ? { drift: true } : {}),
    ...(await filterFrom(invocation, { allProjects: flags.on('all-projects') })),
  };
}

const orders: Readonly<Record<string, (record: ResourceRecord) => string>> = {
  name: ({ id }) => id,
  state: (record) => `${shownState(record)} ${record.id}`,
  age: ({ created_at }) => created_at,
};

/** Each once: several selectors may match a resource. */
function sortedRecords(records: readonly ResourceRecord[], order = 'name'): ResourceRecord[] {
  const key = orders[order] ?? (({ id }) => id);
  const unique = new Map(records.map((record) => [record.id, record]));
  return [...unique.values()].sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

function recordsFooter(all: readonly ResourceRecord[], shown: number): string {
  const failed = all.find(({ lifecycle_state }) => lifecycle_state === 'failed');
  const cut = shown < all.length ? `; the first ${shown} are shown` : '';
  const summary = `${resourcesSummary(all)}${cut}.`;
  if (failed !== undefined)
    return shell`${summary}  Why: fairlead why ${resourceView.nameOf(failed)}`;
  const drifted = all.find(({ drift }) => drift != null);
  if (drifted === undefined) return summary;
  return shell`${summary}  What differs: fairlead get ${resourceView.nameOf(drifted)}`;
}
