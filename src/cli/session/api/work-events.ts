// Calls an operation that reports with events how far it is, and last what it would answer without them.
import type { OperationId } from '../../../api/operations.ts';
import type { AnswerOf } from '../../../api/shapes.ts';
import { readEvents, type StreamEvent } from '../../../client/api/events.ts';
import { type InputOf, requestTo } from '../../../client/api/request.ts';
import type { WriteProgress } from '../../../domain/apply-plans.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import { type Api, type ApiCallOptions, requestIdOf } from './client.ts';
import { isTemporary, outcomeUnknown } from './retry.ts';
import { bodyText, type HttpAnswer, isConnectionLost } from './transport.ts';

interface ReportedCall<Id extends OperationId> {
  readonly input: InputOf<Id> & ApiCallOptions;
  readonly signal: AbortSignal;
  /** Without it, no events are asked for. */
  readonly onProgress: ((progress: WriteProgress) => void) | undefined;
}

const eventType = 'text/event-stream';

/**
 * Repeats a request, without events, where a call without events is repeated.
 * @throws ApiError for an answer that reports an error, also as an event; CliError without an answer
 */
export async function callWithProgress<Id extends OperationId>(
  api: Api,
  id: Id,
  { input, signal, onProgress }: ReportedCall<Id>,
): Promise<AnswerOf<Id>> {
  if (onProgress === undefined) return await api.call(id, input);
  const { headers, isRepeatable = false, answerTimeoutMs }: ApiCallOptions = input;
  const request = requestTo(id, input, { ...headers, accept: eventType });
  const answer = await api.open({ ...request, isRepeatable, answerTimeoutMs, signal });
  if (answer.headers['content-type']?.startsWith(eventType) !== true) {
    return JSON.parse(await bodyText(answer)) as AnswerOf<Id>;
  }
  const last = await lastEvent(answer, { signal, onProgress });
  if (last?.event === 'end') return JSON.parse(last.data) as AnswerOf<Id>;
  const body = last && (JSON.parse(last.data) as { readonly status: number });
  if (isRepeatable && (body === undefined || isTemporary(body.status))) {
    return await api.call(id, input);
  }
  const { method } = request;
  const [path = ''] = request.path.split('?', 1);
  if (body !== undefined) {
    throw new ApiError({ method, path, status: body.status, body, requestId: requestIdOf(answer) });
  }
  throw new CliError(`${api.url.origin} has ended the connection before its answer.`, {
    exit: ExitCode.unreachable,
    facts: [outcomeUnknown({ method, path })],
    next: 'fairlead doctor',
  });
}

/** @returns undefined when the connection was lost before it */
async function lastEvent(
  answer: HttpAnswer,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: WriteProgress) => void },
): Promise<StreamEvent | undefined> {
  let last: StreamEvent | undefined;
  try {
    for await (const event of readEvents(answer.body)) {
      if (event.event === 'progress') onProgress(JSON.parse(event.data) as WriteProgress);
      else if (event.event === 'end' || event.event === 'error') last = event;
    }
  } catch (thrown) {
    signal.throwIfAborted();
    if (!isConnectionLost(thrown)) throw thrown;
  }
  return last;
}
