// `fairlead get --watch`: prints the resources that match, then a row for each change.
import type { ResourceRecord } from '../../../api/shapes.ts';
import type { Selector } from '../../../client/selector.ts';
import type { Invocation } from '../../session/invocation.ts';
import { shownColumns, tableRows } from '../../terminal/table.ts';
import { type FindFilter, fitsFilter } from '../find.ts';
import { resourceView } from '../resource-view.ts';
import { changesOf, type WatchSelection } from './changes.ts';

interface TableSelection {
  readonly selectors: readonly Selector[];
  readonly filter: FindFilter;
}

/** Ends with `--timeout` or Ctrl-C. */
export async function watchTable(invocation: Invocation, wanted: TableSelection): Promise<void> {
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
