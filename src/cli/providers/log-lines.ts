// Reads the lines of a log over server-sent events, and continues after the connection is lost or the token has expired.

import { readEvents, Silence } from '../../client/api/events.ts';
import type { Api, RawRequest } from '../session/api/client.ts';
import { abortablePause } from '../session/api/retry.ts';
import { CliError } from '../terminal/errors/cli-error.ts';
import { ExitCode } from '../terminal/exit-codes.ts';

interface LogRequest {
  /** With its query. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** Called with what the server tells about the log at its end. */
  readonly onEnd?: (facts: string) => void;
}

/** Lost connections in a row, without a line between them. */
const maxLosses = 5;
const pauseMs = 1_000;

interface LogLinePosition {
  /** The id of the last line. */
  id: string | undefined;
}

/** @returns the lines until the server ends the log. @throws as `Api.open`, and CliError after lost connections */
export async function* logLines(api: Api, request: LogRequest): AsyncGenerator<string, void, void> {
  const position: LogLinePosition = { id: undefined };
  for (let losses = 0; ; ) {
    const before = position.id;
    if (yield* linesOfConnection(api, request, position)) return;
    losses = position.id === before ? losses + 1 : 0;
    if (losses >= maxLosses) throw lost(api);
    await abortablePause(pauseMs, request.signal);
  }
}

/** @returns whether the log is complete */
async function* linesOfConnection(
  api: Api,
  { path, signal, onEnd }: LogRequest,
  position: LogLinePosition,
): AsyncGenerator<string, boolean, void> {
  const { body } = await api.open(requestFor(path, signal, position.id));
  try {
    for await (const event of readEvents(body)) {
      if (event.event === 'end') onEnd?.(event.data);
      // After `expired` the next request has a fresh token.
      if (event.event !== 'message') return event.event === 'end';
      position.id = event.id ?? position.id;
      yield event.data;
    }
  } catch (thrown) {
    requireLoss(thrown, signal);
  } finally {
    body.destroy();
  }
  return false;
}

/** @throws what was thrown, unless it is a lost connection */
function requireLoss(thrown: unknown, signal: AbortSignal): void {
  if (signal.aborted) throw signal.reason;
  if (!isLoss(thrown)) throw thrown;
}

function requestFor(path: string, signal: AbortSignal, lastId: string | undefined): RawRequest {
  const resume = lastId === undefined ? {} : { 'last-event-id': lastId };
  return { method: 'GET', path, signal, headers: { accept: 'text/event-stream', ...resume } };
}

/** Errors of sockets have a code, and those of the client are its own. */
function isLoss(thrown: unknown): boolean {
  if (thrown instanceof Silence) return true;
  return thrown instanceof Error && !(thrown instanceof CliError) && 'code' in thrown;
}

function lost({ url }: Api): CliError {
  return new CliError(`The log of ${url.origin} broke off ${maxLosses} times.`, {
    exit: ExitCode.unreachable,
    next: 'fairlead doctor',
  });
}
