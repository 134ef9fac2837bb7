// `fairlead delete`: deletes resources, those that use others first.

import type { ResourceRecord } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { slashed } from '../../../domain/identity.ts';
import { type ChosenRecords, mayDelete, unprotecting } from '../../resources/ask-delete.ts';
import { readDeclarations } from '../../resources/declarations/declaration.ts';
import { readingFor } from '../../resources/declarations/folder.ts';
import { inOrder } from '../../resources/declarations/order.ts';
import { filterFrom, findRecord, findRecords, selectorsOf } from '../../resources/find.ts';
import { showReceiptsOf } from '../../resources/receipt.ts';
import { resourceView } from '../../resources/resource-view.ts';
import { waitUntilGone } from '../../resources/watch/settle.ts';
import type { Api } from '../../session/api/client.ts';
import { inParallel } from '../../session/api/parallel.ts';
import type { Invocation } from '../../session/invocation.ts';
import { missingResources, unknownIn } from '../../session/meant.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError, type Fact, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode, worstOf } from '../../terminal/exit-codes.ts';

export async function deleteResources(invocation: Invocation): Promise<void> {
  const { flags, output, talk } = invocation;
  const set = flags.text('set');
  if (set !== undefined) return await (await import('./sets.ts')).deleteSet(invocation, set);
  if (flags.text('resources') !== undefined || flags.text('plan') !== undefined) {
    throw usageError('--resources and --plan are about a set: name it with --set.');
  }
  const api = await invocation.api();
  const { records, isExact } = await chosenRecords(invocation, api);
  const [first] = records;
  if (first === undefined) {
    talk.note('No resource matches; nothing was deleted.');
    return;
  }
  if (flags.on('dry-run')) return await previewDeletion(invocation, api, records);
  if (!(await mayDelete(invocation, { records, isExact }))) {
    talk.note('Nothing was deleted.');
    return;
  }
  await requestAll(invocation, api, records);
  if (flags.on('wait')) await waitForRecords(invocation, records);
  else if (output.isForPeople) {
    const only = records.length === 1 ? slashed(first) : undefined;
    const wait = only ? shell`fairlead wait ${only} --for deleted` : 'fairlead get -w --deleting';
    talk.note(`${counted(records.length, 'resource')} in deletion.  Wait: ${wait}`);
  }
}

/** Shows what may remain outside also when not all of them are gone. */
async function waitForRecords(
  invocation: Invocation,
  records: readonly ResourceRecord[],
): Promise<void> {
  const { flags } = invocation;
  const targets = records.map((each) => ({
    ref: slashed(each),
    id: each.id,
    provider: each.provider,
  }));
  const error = await waitUntilGone(invocation, targets);
  if (flags.on('force') || flags.on('orphan')) await showReceiptsOf(invocation, records);
  if (error !== undefined) throw error;
}

async function chosenRecords(invocation: Invocation, api: Api): Promise<ChosenRecords> {
  const { args, flags, environment } = invocation;
  const files = flags.texts('file');
  const selectors = selectorsOf(args);
  const tags = flags.texts('tag');
  if (files.length === 0 && selectors.length === 0 && tags.length === 0) {
    throw usageError(
      'Name resources, files with -f, tags with -l, or a set.',
      'fairlead delete --help',
    );
  }
  const declared =
    files.length === 0 ? [] : await readDeclarations(files, environment, readingFor(invocation));
  const exact = selectors.flatMap(({ id }) => id ?? []);
  const several = selectors.filter(({ id }) => id === undefined);
  const isExact = several.length === 0 && (selectors.length > 0 || files.length > 0);
  const named = await namedRecords(invocation, api, {
    exact,
    declared: declared.map(({ ref }) => ref),
  });
  const filter = { ...(await filterFrom(invocation)), deleting: 'include' as const };
  const found = isExact ? [] : await findRecords(api, several, filter);
  const [unknown] = flags.on('ignore-not-found') ? [] : await unknownIn(api, several, found);
  if (unknown !== undefined) throw unknown;
  const records = new Map([...named, ...found].map((record) => [record.id, record]));
  return { records: [...records.values()], isExact };
}

/** Resources of files may be gone already; one that is named on the command line is most likely misspelt. */
async function namedRecords(
  { flags }: Invocation,
  api: Api,
  { exact, declared }: { exact: readonly string[]; declared: readonly string[] },
): Promise<readonly ResourceRecord[]> {
  const records = await inParallel([...exact, ...declared], (id) => findRecord(api, id));
  const missing = exact.filter((_, at) => records[at] === undefined);
  if (missing.length > 0 && !flags.on('ignore-not-found')) {
    const errors = await missingResources(api, missing);
    const [only] = errors;
    if (only !== undefined && errors.length === 1) {
      throw only.with({ next: `Nothing was deleted.  ${only.next ?? ''}`.trimEnd() });
    }
    throw new CliError(`${missing.length} of the resources do not exist.`, {
      exit: ExitCode.notFound,
      facts: errors.map(({ next = '' }, at) => [missing[at] ?? '', next]),
      next: 'Nothing was deleted.',
    });
  }
  return records.filter((each) => each !== undefined);
}

async function previewDeletion(
  invocation: Invocation,
  api: Api,
  records: readonly ResourceRecord[],
): Promise<void> {
  const { output, talk, flags } = invocation;
  const query = { ...howIn(flags), dry_run: true };
  const refused = await failuresOf(usersFirst(records), (record) =>
    api.request('deleteResource', {
      path: { resource_id: slashed(record) },
      query,
    }),
  );
  // A resource that only others of this deletion use will be unused then.
  const names = new Set(records.map(slashed));
  const kept = refused.filter(({ error }) => !isUsedWithinOnly(error, names));
  if (kept.length > 0) throw deletionError(kept, records.length);
  await output.list(records, resourceView);
  if (output.isForPeople)
    talk.note(`${counted(records.length, 'resource')} would be deleted; nothing was.`);
}

function isUsedWithinOnly(error: CliError, names: ReadonlySet<string>): boolean {
  if (!(error instanceof ApiError) || error.code !== 'resource_in_use') return false;
  const { users } = error.context;
  return Array.isArray(users) && users.every((user) => names.has(String(user)));
}

/** Users before what they use: the API refuses to delete what others use, unless those are in deletion. */
function usersFirst(records: readonly ResourceRecord[]): readonly ResourceRecord[] {
  const ordered = inOrder(records, ({ config, dependencies, ...tuple }) => ({
    ref: slashed(tuple),
    config,
    dependencies,
  }));
  return ordered.map(({ item }) => item).reverse();
}

async function requestAll(
  invocation: Invocation,
  api: Api,
  records: readonly ResourceRecord[],
): Promise<void> {
  const { flags, output } = invocation;
  const query = howIn(flags);
  const failures = await failuresOf(usersFirst(records), async (record) => {
    await api.request('deleteResource', { path: { resource_id: slashed(record) }, query });
    if (!output.isForPeople) {
      const isName = output.format.kind === 'name';
      output.line(isName ? slashed(record) : JSON.stringify({ id: record.id }));
    } else if (!flags.on('wait')) output.line(`${slashed(record)} deleting`);
  });
  if (failures.length > 0) throw deletionError(failures, records.length);
}

function howIn(flags: Invocation['flags']) {
  return {
    ...(flags.on('force') ? { force: true } : {}),
    ...(flags.on('orphan') ? { orphan: true } : {}),
  };
}

interface DeleteFailure {
  readonly record: ResourceRecord;
  readonly error: CliError;
}

/** One after the other, because users must be in deletion before what they use. */
async function failuresOf(
  records: readonly ResourceRecord[],
  work: (record: ResourceRecord) => Promise<unknown>,
): Promise<readonly DeleteFailure[]> {
  const failures: DeleteFailure[] = [];
  for (const record of records) {
    try {
      await work(record);
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      failures.push({ record, error: thrown });
    }
  }
  return failures;
}

function deletionError(failures: readonly DeleteFailure[], total: number): CliError {
  const [first] = failures;
  const facts: Fact[] = failures.map(({ record, error }) => [slashed(record), error.message]);
  const isOne = failures.length === 1 && first !== undefined;
  const sentence = isOne
    ? first.error.message
    : `${failures.length} of ${total} resources cannot be deleted.`;
  return new CliError(sentence, {
    exit: worstOf(failures.map(({ error }) => error.exit)),
    facts: isOne ? [] : facts,
    next: nextAfterFailures(failures),
  });
}

function nextAfterFailures(failures: readonly DeleteFailure[]): string {
  const used = failures.find(
    ({ error }) => error instanceof ApiError && error.code === 'resource_in_use',
  );
  if (used !== undefined)
    return shell`Delete its users first, or all together.  Its users: fairlead why ${slashed(used.record)}`;
  const names = failures.filter(isRefusedByProtection).map(({ record }) => slashed(record));
  if (names.length > 0) return unprotecting(names);
  return failures[0]?.error.next ?? 'fairlead get';
}

function isRefusedByProtection({ error }: DeleteFailure): boolean {
  return error instanceof ApiError && error.code === 'resource_protected';
}
