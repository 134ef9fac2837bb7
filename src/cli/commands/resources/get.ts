// `fairlead get`: lists resources, shows some, or follows them.
import type { ResourceRecord } from '../../../api/shapes.ts';
import type { Selector } from '../../../client/selector.ts';
import { isInDeletion, shownState } from '../../../client/shown-state.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { driftLines } from '../../resources/drift-lines.ts';
import {
  type FindFilter,
  filterFrom,
  findNamed,
  findRecords,
  fitsFilter,
  readResource,
  selectorsOf,
} from '../../resources/find.ts';
import { driftView, resourceView } from '../../resources/resource-view.ts';
import { resourcesSummary } from '../../resources/summary.ts';
import { changesOf, type WatchSelection } from '../../resources/watch/changes.ts';
import type { Api } from '../../session/api/client.ts';
import type { Invocation } from '../../session/invocation.ts';
import { missingResources, unknownIn, unknownProject } from '../../session/meant.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { linesOfError } from '../../terminal/errors/present.ts';
import { type ExitCode, worstOf } from '../../terminal/exit-codes.ts';
import type { View } from '../../terminal/output.ts';
import { shownColumns, tableRows } from '../../terminal/table.ts';

export async function get(invocation: Invocation): Promise<ExitCode | undefined> {
  const { args, flags, output, talk } = invocation;
  const limit = flags.count('limit');
  const selectors = selectorsOf(args);
  const filter = await findFilter(invocation);
  if (flags.on('watch')) {
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
  const set = flags.text('set');
  const where = flags.on('all-projects') ? ['--all-projects'] : project && ['--project', project];
  const verb = count === 1 ? 'is' : 'are';
  talk.note(
    shell`${count} more ${verb} being deleted: fairlead get ${['--deleting', ...(set ? ['--set', set] : []), ...(where || [])]}`,
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

// `fairlead get --watch`: prints the resources that match, then a row for each change.

interface TableSelection {
  readonly selectors: readonly Selector[];
  readonly filter: FindFilter;
}

/** Ends with `--timeout` or Ctrl-C. */
async function watchTable(invocation: Invocation, wanted: TableSelection): Promise<void> {
  const { output, signal, timeoutMs, talk } = invocation;
  const api = await invocation.api();
  const printed = output.isForPeople ? new Rows(invocation) : new Lines(invocation);
  const time = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const both = time === undefined ? signal : AbortSignal.any([signal, time]);
  /** A resource that was shown stays shown when it matches no more, so that people see what became of it. */
  const shown = new Set<string>();
  const note = (text: string) => talk.note(text);
  try {
    for await (const change of changesOf(api, selectionOf(wanted), { signal: both, note })) {
      if (change.kind === 'synced') await printed.synced();
      else if (shown.has(change.record.id) || isInTable(change.record, wanted)) {
        shown.add(change.record.id);
        await printed.add(change.record, change.kind === 'gone');
      }
    }
  } catch (thrown) {
    signal.throwIfAborted();
    if (time?.aborted !== true) throw thrown;
  }
}

/** The filters that cannot change in the life of a resource; the others are applied here. */
function selectionOf({ selectors, filter: { project_id } }: TableSelection): WatchSelection {
  const [only] = selectors;
  if (only?.id !== undefined && selectors.length === 1) return { id: only.id };
  const { provider, resource } = selectors.length === 1 && only !== undefined ? only : {};
  return {
    query: {
      ...(project_id === undefined ? {} : { project_id }),
      ...(provider === undefined ? {} : { provider }),
      ...(provider === undefined || resource === undefined ? {} : { resource }),
    },
  };
}

function isInTable(record: ResourceRecord, { selectors, filter }: TableSelection): boolean {
  const isSelected = selectors.length === 0 || selectors.some(({ matches }) => matches(record));
  return isSelected && fitsFilter(record, filter);
}

/** A table that grows. Columns are as wide as what was shown so far. */
class Rows {
  readonly #invocation: Invocation;
  readonly #records: ResourceRecord[] = [];
  #isSynced = false;
  /** The number of columns that the titles above have. */
  #width = 0;

  constructor(invocation: Invocation) {
    this.#invocation = invocation;
  }

  add(record: ResourceRecord, isGone: boolean): void {
    this.#records.push(isGone ? { ...record, reason: 'Deleted', message: null } : record);
    if (this.#isSynced) this.#print((rows) => rows.slice(-1), isGone);
  }

  synced(): void {
    if (this.#isSynced) return;
    this.#isSynced = true;
    this.#records.sort((left, right) => (left.id < right.id ? -1 : 1));
    if (this.#records.length > 0) this.#print((rows) => rows, false);
    else this.#invocation.talk.note('No resources yet.');
  }

  #print(part: (rows: string[][]) => string[][], isGone: boolean): void {
    const { output } = this.#invocation;
    const { columns } = isGone ? goneView : resourceView;
    const rows = tableRows(this.#records, columns, output);
    const width = shownColumns(this.#records, columns, output.look).length;
    // The first record with an option brings its column, and the titles again.
    const titles = this.#width !== 0 && this.#width !== width ? rows.slice(0, 1) : [];
    this.#width = width;
    for (const line of [...titles, ...part(rows)].flat()) output.line(line);
  }
}

const goneView = {
  columns: resourceView.columns.map((column) =>
    column.title === 'STATE' ? { ...column, cell: () => '  deleted' } : column,
  ),
};

/** A record for each change, and `{"id":…,"deleted":true}` for a resource that is gone. */
class Lines {
  readonly #invocation: Invocation;

  constructor(invocation: Invocation) {
    this.#invocation = invocation;
  }

  async add(record: ResourceRecord, isGone: boolean): Promise<void> {
    const { output } = this.#invocation;
    const isJson = output.format.kind === 'json' || output.format.kind === 'ndjson';
    if (isJson) output.line(JSON.stringify(isGone ? { id: record.id, deleted: true } : record));
    else if (!isGone) await output.list([record], resourceView);
  }

  async synced(): Promise<void> {
    // Programs read records; what existed at the start is no news to them.
  }
}
