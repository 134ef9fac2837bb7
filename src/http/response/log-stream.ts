// Streams log lines to a client, as plain text or as server-sent events. It sends something every few seconds, so that no
// proxy closes a quiet stream.

import type { LogPiece } from '../../store/providers/log-reading.ts';
import { eventStreamType, quietComment, wantsEvents, withSignsOfLife } from './event-stream.ts';

interface LogFormat {
  readonly type: string;
  lines(piece: LogPiece): Uint8Array;
  /** Sent after a silence. */
  readonly quiet: Uint8Array;
  /** Sent when the log is complete. @param facts about it; may be empty */
  end(facts: string): Uint8Array;
  /** Sent when the token of the reader has expired, while the log continues. */
  readonly expired: Uint8Array;
}

/** The API guarantees output every five seconds. */
export const quietMs = 4_000;

const expired = 'The token has expired; get a new token to read the rest of the log';

export const plainLog: LogFormat = {
  type: 'text/plain; charset=utf-8',
  lines: ({ bytes }) => bytes,
  quiet: Buffer.from('\n'),
  end: () => Buffer.alloc(0),
  expired: Buffer.from(`${expired}\n`),
};

export const eventLog: LogFormat = {
  type: eventStreamType,
  lines: ({ bytes, idOf }) => Buffer.from(eventsOf(Buffer.from(bytes).toString(), idOf)),
  quiet: Buffer.from(quietComment),
  end: (facts) => Buffer.from(`event: end\ndata:${facts === '' ? '' : ` ${facts}`}\n\n`),
  expired: Buffer.from(`event: expired\ndata: ${expired}\n\n`),
};

/** A carriage return also ends a line of an event stream: its line becomes one event of several lines. */
function eventsOf(text: string, idOf: LogPiece['idOf']): string {
  const lines = text.endsWith('\n') ? text.slice(0, -1) : text;
  return lines
    .split('\n')
    .map((line) => line.replace(/\r$/, '').split('\r'))
    .map((parts, index) => {
      const data = parts.map((part) => `data: ${part}\n`).join('');
      return `id: ${idOf(index)}\n${data}\n`;
    })
    .join('');
}

/** @returns the format an `Accept` header asks for */
export function formatFor(accept: string): LogFormat {
  return wantsEvents(accept) ? eventLog : plainLog;
}

interface LogStreamOptions {
  readonly format: LogFormat;
  readonly quietMs: number;
  readonly signal: AbortSignal;
  /** Called at the end. @returns one line about the log, for formats that have a place for it */
  readonly factsAtEnd?: () => string;
}

/** @param pieces chunks of whole lines; they end when the signal is aborted */
export async function* logStream(
  pieces: AsyncIterable<LogPiece>,
  { format, quietMs, signal, factsAtEnd = () => '' }: LogStreamOptions,
): AsyncGenerator<Uint8Array, void, void> {
  yield* withSignsOfLife(formatted(pieces, format), { quiet: () => format.quiet, quietMs });
  const end = format.end(factsAtEnd());
  if (!signal.aborted && end.length > 0) yield end;
}

async function* formatted(
  pieces: AsyncIterable<LogPiece>,
  format: LogFormat,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of pieces) yield format.lines(piece);
}
