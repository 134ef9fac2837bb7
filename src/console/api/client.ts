// Sends requests to the API, by the ids of its operations, with the token of the session.

import type { OperationId } from '../../api/operations.ts';
import type { AnswerOf } from '../../api/shapes.ts';
import { nextPage } from '../../client/api/link.ts';
import { type InputOf, requestTo, type WrittenRequest } from '../../client/api/request.ts';
import { retryAfterMs } from '../../lib/retry-after.ts';
import { keyHeaders } from '../session/command-line.ts';
import { bearerToken, endSession, isCommandLine } from '../session/session.ts';
import { ApiError, answerError, NoAnswer } from './errors.ts';

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

interface ConsoleAnswer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly answer: T;
}

type ApiInput<Id extends OperationId> = InputOf<Id> & CallOptions;

/**
 * Calls an operation for its whole answer, with its headers.
 * @throws ApiError for a refusal, NoAnswer when the API cannot be reached
 * @example await request('deleteResource', { path: { resource_id: id }, query: { dry_run: true } })
 */
export async function request<Id extends OperationId>(
  id: Id,
  input: ApiInput<Id>,
): Promise<ConsoleAnswer<AnswerOf<Id>>> {
  const answer = await open(id, input);
  const { status, headers } = answer;
  const isJson = headers.get('content-type')?.includes('json') === true;
  const value: unknown = isJson ? await answer.json() : await answer.text();
  return { status, headers, answer: value as AnswerOf<Id> };
}

/** Calls an operation. @returns the body of its answer. @throws as `request` */
export async function call<Id extends OperationId>(
  id: Id,
  input: ApiInput<Id>,
): Promise<AnswerOf<Id>> {
  return (await request(id, input)).answer;
}

/** Reads all pages of a list. @throws as `request` */
export async function list<Id extends OperationId>(
  id: Id,
  input: ApiInput<Id>,
): Promise<AnswerOf<Id>> {
  const first = await request(id, input);
  const items = [...(first.answer as readonly unknown[])];
  let next = nextPage(first.headers.get('link') ?? undefined);
  while (next !== undefined) {
    const page = await sendWritten(
      { ...requestTo(id, input, input.headers), path: next },
      input.signal,
    );
    items.push(...((await page.json()) as readonly unknown[]));
    next = nextPage(page.headers.get('link') ?? undefined);
  }
  return items as AnswerOf<Id>;
}

/** Opens an operation whose answer is read as a stream. @throws as `request` */
export async function open<Id extends OperationId>(id: Id, input: ApiInput<Id>): Promise<Response> {
  return await sendWritten(requestTo(id, input, input.headers), input.signal);
}

async function sendWritten(
  written: WrittenRequest,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const { method, path, body } = written;
  const headers = new Headers({ ...written.headers, ...(isCommandLine.value ? keyHeaders() : {}) });
  const token = bearerToken();
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  const init = {
    method,
    headers,
    cache: 'no-store',
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined ? {} : { body }),
  } as const;
  const answer = await withinRate(() => answerOf(path, init), signal);
  if (answer.ok) return answer;
  const error = await answerError(answer, method);
  if (error instanceof ApiError && error.status === 401) endSession(error.message);
  throw error;
}

async function answerOf(
  path: string,
  init: RequestInit & { readonly method: string },
): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (thrown) {
    if (init.signal?.aborted === true) throw thrown;
    // The reason of a failed fetch is not shown to scripts.
    throw new NoAnswer(init.method, { cause: thrown });
  }
}

// Waits where the API limits the rate of an organization: others of it may have reached the limit. A limit that lasts is an error.

const leastWaitMs = 500;
const maxWaitMs = 5_000;

/** Sends a request, and again when it may pass: one that was limited had no effect. @throws the reason of the signal */
export async function withinRate(
  send: () => Promise<Response>,
  signal: AbortSignal | undefined,
): Promise<Response> {
  for (let waitedMs = 0; ; ) {
    const answer = await send();
    const wanted = retryAfterMs(answer.headers.get('retry-after') ?? undefined, new Date()) ?? 0;
    waitedMs += Math.max(wanted, leastWaitMs);
    if (answer.status !== 429 || waitedMs > maxWaitMs) return answer;
    await waitBeforeRetry(Math.max(wanted, leastWaitMs), signal);
  }
}

function waitBeforeRetry(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
