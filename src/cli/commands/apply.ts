// `fairlead apply`: checks all declarations on the server, then sends them, and waits until they are settled.

import { counted } from '../../client/time.ts';
import type { Api } from '../api/client.ts';
import { type Change, type Checked, type CheckOptions, checkAll } from '../apply/check.ts';
import { finish } from '../apply/outcome.ts';
import { changeWords, type Planned, plannedView } from '../apply/plan-view.ts';
import { type Refusal, refusalError } from '../apply/refusal.ts';
import { sendAll } from '../apply/send.ts';
import { type Declaration, readDeclarations } from '../declarations/declaration.ts';
import { readingFor } from '../declarations/folder.ts';
import { inOrder } from '../declarations/order.ts';
import { type CliError, usageError } from '../errors/cli-error.ts';
import { olderServer } from '../errors/older-server.ts';
import type { Invocation } from '../invocation.ts';
import { revisionDeclared } from '../resources/revisions.ts';

const standardConcurrency = 8;

export async function apply(invocation: Invocation): Promise<undefined> {
  const { flags } = invocation;
  const declarations = await declared(invocation);
  const options = checkOptions(invocation, declarations);
  // A cycle among the files is found before anything is asked.
  inOrder(declarations, ({ ref, body }) => ({ ref, ...body }));
  const api = await invocation.api();
  const { checked, refusals } = await checkAll(invocation, declarations, options);
  requireAccepted(await refused(refusals, { api, total: declarations.length }));
  requireTags(invocation, checked);
  if (flags.on('dry-run')) return await showPlan(invocation, checked);
  if (checked.some(({ change }) => change === 'unknown')) {
    invocation.talk.note(
      'The server is older than this client: it checks each document when it is sent.',
    );
  }
  const results = await sendAll(invocation, checked, {
    concurrency: options.concurrency,
    headers: options.headers,
    whenIdle: flags.on('when-idle') ? deadlineOf(invocation) : undefined,
  });
  await finish(invocation, api, results);
  return undefined;
}

/** @returns the declarations of `-f` in the project of flags and context, or that of `--revision` */
export async function declared(invocation: Invocation): Promise<readonly Declaration[]> {
  const { flags, args, environment, context, api } = invocation;
  const files = [...flags.texts('file'), ...args];
  const revision = flags.count('revision');
  if (revision !== undefined) return [await revisionDeclared(await api(), files, revision)];
  if (files.length === 0)
    throw usageError('Name what to read with -f: a file, a folder, or - for standard input.');
  const declarations = await readDeclarations(files, environment, readingFor(invocation));
  const { project } = await context();
  return declarations.map(({ body, ...rest }) => ({
    ...rest,
    body: {
      ...body,
      ...(project === undefined || body.project_id ? {} : { project_id: project }),
    },
  }));
}

function checkOptions(
  { flags, output }: Invocation,
  declarations: readonly Declaration[],
): CheckOptions {
  const tag = flags.text('if-match');
  if (tag !== undefined && declarations.length > 1) {
    throw usageError(
      `--if-match is the version of one resource, and the files have ${declarations.length}.`,
    );
  }
  if (flags.on('draft')) for (const { body } of declarations) body.lifecycle_state = 'draft';
  return {
    concurrency: Math.max(1, flags.count('concurrency') ?? standardConcurrency),
    whenIdle: flags.on('when-idle'),
    headers: tag === undefined ? {} : { 'if-match': /^["*W]/.test(tag) ? tag : `"${tag}"` },
    needsTags: flags.on('dry-run') && output.format.kind !== 'table',
  };
}

async function refused(
  refusals: readonly Refusal[],
  { api, total }: { api: Api; total: number },
): Promise<CliError | undefined> {
  const [first, ...rest] = refusals;
  if (first === undefined) return undefined;
  const nothing = `Nothing was applied (${counted(total, 'document was', 'documents were')} checked).`;
  return await refusalError([first, ...rest], { api, total, nothing });
}

function requireAccepted(error: CliError | undefined): void {
  if (error !== undefined) throw error;
}

/** An older server would ignore the condition, and write. */
function requireTags({ flags }: Invocation, checked: readonly Checked[]): void {
  const isChecked = checked.every(({ change }) => change !== 'unknown');
  if (flags.text('if-match') !== undefined && !isChecked) throw olderServer('--if-match');
}

/** Prints what an apply would do. */
export async function showPlan(
  { output, talk }: Invocation,
  checked: readonly Checked[],
): Promise<undefined> {
  if (checked.some(({ change }) => change === 'unknown')) throw olderServer('--dry-run');
  const planned: Planned[] = checked.map(
    ({ declaration: { ref }, change, etag = null, record = null }) => ({
      resource: ref,
      change,
      etag,
      record,
    }),
  );
  await output.list(planned, plannedView);
  if (output.isForPeople) talk.note(`Nothing was written: ${changesSummary(checked)}.`);
  return undefined;
}

function changesSummary(checked: readonly Pick<Checked, 'change'>[]): string {
  const counts = new Map<Change, number>();
  for (const { change } of checked) counts.set(change, (counts.get(change) ?? 0) + 1);
  const planned = (change: Change) => (change === 'none' ? '' : 'to be ') + changeWords[change];
  return [...counts].map(([change, count]) => `${count} ${planned(change)}`).join(', ');
}

function deadlineOf({ signal, timeoutMs }: Invocation): AbortSignal {
  return timeoutMs === undefined
    ? signal
    : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}
