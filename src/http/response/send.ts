// Represents responses as values, with one function that writes them. JSON responses have exactly `application/json`: RFC
// 8259 defines no charset parameter.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { WriteProgress } from '../../domain/apply-plans.ts';
import { longJsonText } from '../../lib/long-json.ts';
import { beginSlice, ownTurn } from '../../lib/turns.ts';

export interface RouteAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: WholeContent | StreamedContent;
  /** Instead of a content: work whose progress is sent until its answer is known. */
  readonly work?: ReportedWork;
}

export interface ReportedWork {
  readonly progress: () => WriteProgress;
  /** The answer that is sent to those who ask for no progress. */
  readonly result: Promise<WholeAnswer>;
}

/** A response with its complete content. */
export interface WholeAnswer extends RouteAnswer {
  readonly content: WholeContent;
}

interface WholeContent {
  readonly type: string;
  readonly bytes: Buffer;
}

interface StreamedContent {
  readonly type: string;
  /** Called after the headers are sent, and never for HEAD. It ends early when the signal aborts: nobody reads any more. */
  readonly stream: (signal: AbortSignal) => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** The approximate memory that a response holds until it is read. */
  readonly heldBytes: number;
  /** The final bytes of a stream that is cut because its reader lost permission; absent, it is cut silently. */
  readonly cutShort?: Uint8Array;
}

/** The minimum that one iteration of the event loop writes of a long list: it bounds the wait of other requests. */
const pieceCharacters = 262_144;

/** The memory of a list while it is written: a page of the API server, the next one, and their text. */
const bytesOfPiece = 4 * 1_024 * 1_024;

/** Written at once: only sent bytes show whether the client reads (see connections.ts). */
const writtenBytes = 16_384;

/** How long the server waits for a client that does not read. */
const lastWordsMs = 2_000;

export const noContent: RouteAnswer = { status: 204 };

export function json(
  value: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): WholeAnswer {
  const bytes = Buffer.from(JSON.stringify(value));
  return { status, headers, content: { type: 'application/json', bytes } };
}

/** An object with long lists as JSON, written in turns. */
export async function longJson(value: Readonly<Record<string, unknown>>): Promise<WholeAnswer> {
  const bytes = Buffer.from(await longJsonText(value));
  return { status: 200, content: { type: 'application/json', bytes } };
}

/** A list as JSON. */
export function jsonList(
  values: Iterable<unknown>,
  { headers = {} }: { headers?: Record<string, string> } = {},
): Promise<RouteAnswer> {
  return jsonPieces([values], { headers });
}

/**
 * A list as JSON that is written as its pieces come, so that it is never whole in memory and other requests proceed; also while the
 * values of a piece are made.
 * @throws what the first piece throws; a later failure cuts the response
 */
export async function jsonPieces(
  pieces: AsyncIterable<Iterable<unknown>> | Iterable<Iterable<unknown>>,
  { headers = {} }: { headers?: Record<string, string> } = {},
): Promise<RouteAnswer> {
  const texts = jsonTexts(pieces);
  const first = await texts.next();
  const rest = first.done === true ? first : await texts.next();
  const type = 'application/json';
  if (rest.done === true) {
    const bytes = Buffer.from(first.value ?? '');
    return { status: 200, headers, content: { type, bytes } };
  }
  async function* stream(signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield Buffer.from(first.value ?? '');
      for (let next = rest; next.done !== true; next = await texts.next()) {
        yield Buffer.from(next.value);
        await othersTurn(undefined, { signal });
      }
    } finally {
      await texts.return();
    }
  }
  return { status: 200, headers, content: { type, heldBytes: bytesOfPiece, stream } };
}

/** Converts the pieces of a list as they come. */
export async function* mapPieces<T, R>(
  pieces: AsyncIterable<T>,
  convert: (piece: T) => R,
): AsyncGenerator<R, void, void> {
  for await (const piece of pieces) yield convert(piece);
}

async function* jsonTexts(
  pieces: AsyncIterable<Iterable<unknown>> | Iterable<Iterable<unknown>>,
): AsyncGenerator<string, void, void> {
  let text = '[';
  let isFirst = true;
  let isOver = beginSlice();
  for await (const values of pieces) {
    for (const value of values) {
      text += `${isFirst ? '' : ','}${JSON.stringify(value)}`;
      isFirst = false;
      if (text.length >= pieceCharacters) {
        yield text;
        text = '';
      }
      if (!isOver()) continue;
      await ownTurn();
      isOver = beginSlice();
    }
  }
  yield `${text}]`;
}

/**
 * Writes a response; for HEAD, node sends the same headers and omits the content.
 * @param until aborted when a stream must be cut
 * @throws the error of a stream; a part of the response has been sent then
 */
export async function send(
  res: ServerResponse,
  { status, headers = {}, content }: RouteAnswer,
  until?: AbortSignal,
): Promise<void> {
  res.statusCode = status;
  // A response belongs to one caller: no cache may store it, unless a route overrides this.
  res.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (content === undefined) {
    res.end();
    return;
  }
  res.setHeader('Content-Type', content.type);
  if ('stream' in content) {
    await pour(res, content, until);
    return;
  }
  res.setHeader('Content-Length', content.bytes.length);
  if (content.bytes.length <= writtenBytes) res.end(content.bytes);
  else await pour(res, { ...content, heldBytes: 0, stream: () => [content.bytes] }, until);
}

async function pour(
  res: ServerResponse,
  { stream, cutShort }: StreamedContent,
  until?: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  const signal = until === undefined ? gone.signal : AbortSignal.any([gone.signal, until]);
  res.once('close', () => gone.abort());
  if (res.destroyed) gone.abort();
  res.flushHeaders();
  if (res.req.method !== 'HEAD') await copyPieces(stream(signal), res, signal);
  if (until?.aborted === true) abortResponse(res, cutShort);
  else res.end();
}

/**
 * Follows the speed of the client: it requests the next chunk after the previous one is sent. The system takes megabytes for a
 * client that does not read, and then `drain` comes in the same turn of the event loop: hundreds of such clients would have
 * everybody else wait for all of their contents.
 */
async function copyPieces(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  res: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const piece of pieces) {
      for (let at = 0; at < piece.length; at += writtenBytes) {
        const written = res.write(piece.subarray(at, at + writtenBytes));
        if (written) continue;
        await once(res, 'drain', { signal });
        await othersTurn(undefined, { signal });
      }
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
}

/** Not ended, because the content is incomplete. */
function abortResponse(res: ServerResponse, lastWords: Uint8Array | undefined): void {
  const destroy = () => res.destroy();
  if (lastWords === undefined) return void destroy();
  setTimeout(destroy, lastWordsMs).unref();
  res.write(lastWords, destroy);
}
