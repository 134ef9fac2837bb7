// `fairlead dead-letters`: events that failed for good: list them by cause, retry and delete them.
import type { DeadLetter, DeadLetterCause } from '../../../api/shapes.ts';
import { plainText } from '../../../client/plain-text.ts';
import { counted } from '../../../client/time.ts';
import { causeMessage } from '../../../client/words/dead-letter-cause.ts';
import { codesText, errorParts } from '../../../client/words/reason-text.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { nearest } from '../../../lib/nearest.ts';
import { existsText } from '../../resources/receipt.ts';
import { followRedrive, type RedriveFilter } from '../../resources/watch/redrive.ts';
import type { Api } from '../../session/api/client.ts';
import { inParallel } from '../../session/api/parallel.ts';
import type { Invocation } from '../../session/invocation.ts';
import { notFound, refuseUnknownProvider } from '../../session/meant.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { View } from '../../terminal/output.ts';
import { timeColumn } from '../../terminal/table.ts';

const pageSize = 1_000;

function deadLetterFilter({ flags }: Invocation): RedriveFilter {
  const [provider, cause] = [flags.text('provider'), flags.text('cause')];
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(cause === undefined ? {} : { cause }),
  };
}

export async function listDeadLetters(invocation: Invocation): Promise<void> {
  const { flags, output, talk } = invocation;
  const api = await invocation.api();
  const filter = deadLetterFilter(invocation);
  const isForTerminal = output.isForPeople && output.isTerminal;
  if (flags.choice('group') ?? isForTerminal) {
    const causes = await listCauses(api, filter);
    await output.list(causes, causeView);
    const total = causes.reduce((sum, { count }) => sum + count, 0);
    if (output.isForPeople) talk.note(footer(total, causes[0]));
    if (total === 0) await requireKnown(api, filter);
    return;
  }
  const letters = await lettersOf(api, filter);
  await output.list(letters, letterView);
  if (output.isForPeople) talk.note(`${counted(letters.length, 'dead letter')}.`);
  if (letters.length === 0) await requireKnown(api, filter);
}

/** Nothing was found: that is an error when the name of a cause or a provider is wrong. */
async function requireKnown(api: Api, { provider, cause }: RedriveFilter): Promise<void> {
  if (provider !== undefined) await refuseUnknownProvider(api, provider);
  if (cause === undefined) return;
  const causes = (await listCauses(api, {})).map((each) => each.cause);
  throw notFound(
    `No dead letter${provider === undefined ? '' : ` of ${provider}`} has the cause ${cause}.`,
    { meant: nearest(cause, causes), otherwise: 'Their causes: fairlead dead-letters' },
  );
}

function footer(total: number, first: DeadLetterCause | undefined): string {
  const summary = `${counted(total, 'dead letter')}.`;
  return first === undefined
    ? summary
    : shell`${summary}  Retry after the cause is repaired: fairlead dead-letters retry --cause ${first.cause}`;
}

/** The oldest failure first; the server lists them in the order of their ids. */
async function lettersOf(api: Api, filter: RedriveFilter): Promise<DeadLetter[]> {
  const all = await api.list('listDeadLetters', { query: { ...filter, limit: pageSize } });
  const letters = all as DeadLetter[];
  return letters.sort((left, right) => (left.failed_at < right.failed_at ? -1 : 1));
}

async function listCauses(api: Api, filter: RedriveFilter): Promise<DeadLetterCause[]> {
  const query = { ...filter, group_by: 'error' as const, limit: pageSize };
  return (await api.list('listDeadLetters', { query })) as DeadLetterCause[];
}

export async function getDeadLetter({ args, api, output }: Invocation): Promise<void> {
  const [event_id = ''] = args;
  const letter = await (await api()).call('getDeadLetter', { path: { event_id } });
  if (output.isForPeople) {
    // The other name of the event is for programs.
    const { id: _id, ...shown } = letter;
    output.rows(Object.entries(shown).flatMap(([name, value]) => fieldRows(name, value)));
  } else await output.record(letter, letterView);
}

/** A log and a payload have a row for each line; what is not known has none. */
function fieldRows(name: string, value: unknown): readonly (readonly string[])[] {
  return fieldLines(value).map((line, at) => [at === 0 ? name : '', line]);
}

function fieldLines(value: unknown): readonly string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.map(plainText);
  if (typeof value !== 'object') return [plainText(value)];
  return JSON.stringify(value, null, 2).split('\n');
}

export async function retryDeadLetters(invocation: Invocation): Promise<void> {
  const { args, flags, output, talk } = invocation;
  const filter = chosenFilter(invocation);
  const api = await invocation.api();
  if (filter === undefined) {
    const letters = await inParallel(args, (event_id) =>
      flags.on('dry-run')
        ? api.call('getDeadLetter', { path: { event_id } })
        : api.call('retryDeadLetter', { path: { event_id } }),
    );
    await output.list(letters, letterView);
    return;
  }
  const query = { ...filter, ...(flags.on('dry-run') ? { dry_run: true } : {}) };
  const { retried } = await api.call('retryAllDeadLetters', { query });
  if (retried === 0) await requireKnown(api, filter);
  if (output.isForPeople) output.line(retriedText(retried, flags.on('dry-run')));
  else await output.value({ retried });
  const waits = flags.choice('wait') ?? talk.isTerminal;
  if (waits && retried > 0 && !flags.on('dry-run')) await followRedrive(invocation, api, filter);
}

function retriedText(count: number, isPreview: boolean): string {
  const events = counted(count, 'event');
  if (isPreview) return `${events} would be retried.`;
  return `${events} ${count === 1 ? 'is' : 'are'} retried.`;
}

export async function deleteDeadLetters(invocation: Invocation): Promise<void> {
  const { args, flags, output, questions, talk } = invocation;
  const filter = chosenFilter(invocation);
  const api = await invocation.api();
  if (filter === undefined) return await deleteEvents(invocation, api, args);
  const letters = await lettersOf(api, filter);
  if (letters.length === 0) await requireKnown(api, filter);
  if (flags.on('dry-run')) {
    await output.list(letters, letterView);
    talk.note(`${counted(letters.length, 'dead letter')} would be deleted; nothing was.`);
    return;
  }
  const question = `Delete ${counted(letters.length, 'dead letter')}? Their resources stay failed, and cannot be retried.`;
  if (letters.length === 0 || !(await questions.confirm(question))) {
    talk.note('Nothing was deleted.');
    return;
  }
  const query = Object.keys(filter).length === 0 ? { all: true } : filter;
  const { deleted } = await api.call('deleteDeadLetters', { query, isRepeatable: false });
  if (output.isForPeople) output.line(`${counted(deleted, 'dead letter')} deleted.`);
  else await output.value({ deleted });
}

async function deleteEvents(
  { flags, output }: Invocation,
  api: Api,
  ids: readonly string[],
): Promise<void> {
  if (flags.on('dry-run')) {
    const letters = await inParallel(ids, (event_id) =>
      api.call('getDeadLetter', { path: { event_id } }),
    );
    await output.list(letters, letterView);
    return;
  }
  await inParallel(ids, (event_id) => api.request('deleteDeadLetter', { path: { event_id } }));
}

/** @returns the filter of --cause, --provider and --all; undefined when events are named. @throws CliError for neither or both */
function chosenFilter(invocation: Invocation): RedriveFilter | undefined {
  const { args, flags } = invocation;
  const filter = deadLetterFilter(invocation);
  const isFiltered = flags.on('all') || Object.keys(filter).length > 0;
  if (isFiltered && args.length > 0)
    throw usageError('Name events, or choose them with a flag, not both.');
  if (!isFiltered && args.length === 0) {
    throw usageError(
      'Name events, or choose them with --cause, --provider or --all.',
      'fairlead dead-letters',
    );
  }
  return isFiltered ? filter : undefined;
}

// Shows dead letters, one row for each event or for each cause.

const letterView: View<DeadLetter> = {
  columns: [
    { title: 'EVENT', cell: ({ event_id }) => event_id },
    { title: 'RESOURCE', cell: deadLetterResource },
    { title: 'TYPE', cell: ({ event_type }) => event_type },
    timeColumn('FAILED', ({ failed_at }) => failed_at),
    { title: 'EXISTS', sparse: true, cell: existsText },
    { title: 'ATTEMPTS', wide: true, cell: ({ attempt_count }) => `${attempt_count}` },
    { title: 'CAUSE', wide: true, cell: ({ cause }) => cause },
    {
      title: 'ERROR',
      cell: ({ error_message, superseded }) =>
        `${superseded ? '(superseded) ' : ''}${errorText(error_message)}`,
    },
  ],
  nameOf: ({ event_id }) => event_id,
};

function deadLetterResource({ provider, resource_type, resource_name }: DeadLetter): string {
  return `${provider}/${resource_type}/${resource_name}`;
}

export const causeView: View<DeadLetterCause> = {
  columns: [
    { title: 'CAUSE', cell: ({ cause }) => cause },
    { title: 'PROVIDER', cell: ({ provider }) => provider },
    { title: 'COUNT', cell: ({ count }) => `${count}` },
    timeColumn('OLDEST', ({ oldest_failed_at: time }) => time),
    timeColumn('NEWEST', ({ newest_failed_at: time }) => time),
    { title: 'ERROR', cell: causeText },
  ],
  nameOf: ({ cause }) => cause,
};

function causeText(cause: DeadLetterCause): string {
  const { message, example } = causeMessage(cause);
  return example === undefined
    ? errorText(message)
    : errorText(example, `, and ${cause.count - 1} like it`);
}

/** The sentence first: codes are looked up, not read. */
function errorText(error: string, addition = ''): string {
  const { sentence, codes } = errorParts(error);
  return `${sentence}${addition}${codesText(codes)}`;
}
