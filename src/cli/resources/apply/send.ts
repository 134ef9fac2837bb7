// Sends declarations to the API: what others use first, several at the same time. A user of a refused one is not sent, and neither is
// what is unchanged.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { shell } from '../../../client/words/shell-word.ts';
import type { Api } from '../../session/api/client.ts';
import { inParallel } from '../../session/api/parallel.ts';
import { withRequestProgress } from '../../session/api/request-progress.ts';
import { abortablePause } from '../../session/api/retry.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import { inOrder } from '../declarations/order.ts';
import { applyRequest, type CheckedDeclaration, type PlannedChange, passing } from './check.ts';
import { needsReplacement } from './replacement.ts';

export interface SentDeclaration {
  readonly checked: CheckedDeclaration;
  readonly change: PlannedChange;
  readonly record: ResourceRecord;
}

export interface NotSent {
  readonly checked: CheckedDeclaration;
  readonly error: CliError;
}

interface SendOptions {
  readonly concurrency: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the wait for resources that are being processed. Undefined: no wait. */
  readonly whenIdle: AbortSignal | undefined;
  /** Replaces, where an update is refused, a resource that could not be checked because it was being processed. */
  readonly replaces?: boolean;
}

export async function sendAll(
  invocation: Invocation,
  checked: readonly CheckedDeclaration[],
  options: SendOptions,
): Promise<readonly (SentDeclaration | NotSent)[]> {
  const api = await invocation.api();
  const ordered = inOrder(checked, ({ declaration: { ref, body } }) => ({ ref, ...body }));
  const wasSent = new Map(ordered.map(({ ref }) => [ref, Promise.withResolvers<boolean>()]));
  const total = checked.filter((each) => unchangedResult(each) === undefined).length;
  return await withRequestProgress(invocation, { word: 'sent', total }, (done) =>
    inParallel(ordered, options.concurrency, async ({ item, ref, uses }) => {
      const same = unchangedResult(item);
      if (same !== undefined) {
        wasSent.get(ref)?.resolve(true);
        return same;
      }
      const missing = await firstMissing(uses, wasSent);
      const result =
        missing === undefined
          ? await sendResult(api, item, options)
          : { checked: item, error: notSent(ref, missing) };
      wasSent.get(ref)?.resolve('record' in result);
      done();
      return result;
    }),
  );
}

/** @returns the result without a request; undefined when there is something to send */
function unchangedResult(checked: CheckedDeclaration): SentDeclaration | undefined {
  const { change, record } = checked;
  return change === 'none' && record !== undefined ? { checked, change, record } : undefined;
}

/** @returns the first of some resources that was not sent, once that is certain */
async function firstMissing(
  uses: readonly string[],
  wasSent: ReadonlyMap<string, PromiseWithResolvers<boolean>>,
): Promise<string | undefined> {
  for (const ref of uses) {
    if ((await wasSent.get(ref)?.promise) !== true) return ref;
  }
  return undefined;
}

async function sendResult(
  api: Api,
  checked: CheckedDeclaration,
  options: SendOptions,
): Promise<SentDeclaration | NotSent> {
  try {
    return { checked, ...(await sendDeclaration(api, checked, options)) };
  } catch (thrown) {
    if (thrown instanceof CliError) return { checked, error: thrown };
    throw thrown;
  }
}

function notSent(ref: string, used: string): CliError {
  return new CliError(`${ref} was not sent, because it uses ${used}.`, { exit: ExitCode.failed });
}

async function sendDeclaration(
  api: Api,
  { declaration, change: planned }: CheckedDeclaration,
  { headers, whenIdle, replaces = false }: SendOptions,
): Promise<Pick<SentDeclaration, 'change' | 'record'>> {
  let change = planned;
  for (;;) {
    const query = change === 'replace' ? { replace: true } : {};
    try {
      const request = { ...applyRequest(declaration, headers), query };
      const record = await api.call('applyResource', request);
      return { record, change: change === 'busy' ? 'update' : change };
    } catch (thrown) {
      if (replaces && change === 'busy' && needsReplacement(thrown)) change = 'replace';
      else await untilIdle(api, { ref: declaration.ref, thrown, whenIdle });
    }
  }
}

/** @throws what was thrown, unless the resource is being processed and there is time to wait */
async function untilIdle(
  api: Api,
  { ref, thrown, whenIdle }: Pick<SendOptions, 'whenIdle'> & { ref: string; thrown: unknown },
): Promise<void> {
  const isBusy = thrown instanceof ApiError && passing.includes(thrown.code);
  if (whenIdle === undefined || !isBusy) throw thrown;
  await idle(api, ref, whenIdle).catch((reason: unknown) => {
    throw isTimeout(reason) ? stillBusy(ref) : reason;
  });
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

function stillBusy(ref: string): CliError {
  return new CliError(`${ref} was still being processed when the time was up.`, {
    exit: ExitCode.timedOut,
    next: shell`Why: fairlead why ${ref}`,
  });
}

const waitSeconds = 20;
const pollMs = 1_000;

/** Waits until a resource is settled, or gone. A server without `Prefer: wait` answers at once. */
async function idle(api: Api, ref: string, signal: AbortSignal): Promise<void> {
  const answerTimeoutMs = (waitSeconds + 15) * 1_000;
  const headers = { prefer: `wait=${waitSeconds}` };
  for (;;) {
    try {
      const { body } = await api.request('getResource', {
        path: { resource_id: ref },
        query: { deleting: 'include' },
        headers,
        answerTimeoutMs,
        signal,
      });
      if (hasSettled(body)) return;
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.code === 'resource_not_found') return;
      throw thrown;
    }
    await abortablePause(pollMs, signal);
  }
}

/** Returns whether nothing is under way for a resource. */
export function hasSettled({ lifecycle_state, deletion_requested_at }: ResourceRecord): boolean {
  const settled: readonly string[] = ['draft', 'ready', 'failed'];
  return deletion_requested_at === null && settled.includes(lifecycle_state);
}
