// Reads a request body as JSON. It runs after authentication and authorization, so unauthenticated bodies are never read.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MIMEType } from 'node:util';
import { FairleadError, InvalidRequest } from '../../domain/errors.ts';
import type { JsonValue } from '../../lib/json.ts';
import { isHeavy, ownTurn } from '../../lib/turns.ts';
import { type BodyPace, defaultPace, keepPace } from './pace.ts';
import { type JsonLimits, malformedJson, parseLongJson, parseStrictJson } from './strict-json.ts';

export interface BodyLimits extends JsonLimits {
  /** The longest accepted body. */
  readonly bodyBytes: number;
  /** The time limit for the body, in milliseconds. */
  readonly bodyMs: number;
  readonly pace?: BodyPace;
}

/** Charges an organization for a body. An error that it throws rejects the body, and is the response. */
export interface BodyAccount {
  /** @param bytes number of bytes of the body so far */
  received(bytes: number): void;
  /** @param bytes number of additional bytes in memory */
  hold(bytes: number): void;
}

const nobody: BodyAccount = { received: () => undefined, hold: () => undefined };

/** The connection ended before the body did. Nobody receives a response. */
export class ClientGone extends Error {}

/**
 * Reads a whole JSON body.
 * @throws FairleadError `unsupported_media_type` or `too_large`, the latter before the rest of the body has arrived;
 *   InvalidRequest when the body is not JSON, or is JSON that would change; ClientGone
 */
export async function readJsonBody(
  req: IncomingMessage,
  res: ServerResponse,
  limits: BodyLimits,
  account: BodyAccount = nobody,
): Promise<JsonValue> {
  const length = Number(req.headers['content-length'] ?? 0);
  const chunked = req.headers['transfer-encoding'] !== undefined;
  if (length === 0 && !chunked) throw missingBody();
  requireJson(req);
  if (length > limits.bodyBytes) throw bodyTooLarge(limits.bodyBytes);
  // The server leaves this decision to the handler (see listen.ts), so that rejected bodies are not uploaded.
  if (req.headers.expect !== undefined) res.writeContinue();
  const bytes = await readBytes(req, limits, account);
  if (bytes.length === 0) throw missingBody();
  const text = decodeBody(bytes);
  if (!isHeavy(text.length)) return parseStrictJson(text, limits);
  const value = await parseLongJson(text, limits);
  await ownTurn();
  return value;
}

function requireJson({ headers }: IncomingMessage): void {
  if (headers['content-encoding'] !== undefined) {
    throw unsupported('Content-Encoding is not supported; send the body unencoded');
  }
  const text = headers['content-type'];
  const type = text === undefined ? undefined : readType(text);
  const charset = type?.params.get('charset')?.toLowerCase() ?? 'utf-8';
  if (type?.essence === 'application/json' && charset === 'utf-8') return;
  throw unsupported('Content-Type must be application/json');
}

function readType(text: string): MIMEType | undefined {
  try {
    return new MIMEType(text);
  } catch {
    return undefined;
  }
}

function readBytes(
  req: IncomingMessage,
  { bodyBytes, bodyMs, pace = defaultPace }: BodyLimits,
  account: BodyAccount,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const gathered = gather(bodyBytes, account);
    const stop = () => {
      clearTimeout(timer);
      keeper.stop();
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    };
    const onData = (chunk: Buffer) => {
      try {
        keeper.came(chunk.length);
        gathered.add(chunk);
      } catch (thrown) {
        stop();
        // Not destroyed: that would close the connection, and lose the response.
        req.pause();
        reject(thrown);
      }
    };
    const onEnd = () => {
      stop();
      resolve(gathered.bytes());
    };
    const onGone = () => {
      stop();
      reject(new ClientGone('The client closed the connection before the end of the request body'));
    };
    const timer = setTimeout(onGone, bodyMs);
    const keeper = keepPace(pace, onGone);
    // The client may have disconnected during authentication; `close` is not emitted again.
    if (req.destroyed) {
      onGone();
      return;
    }
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

const firstBytes = 1_024;

/** One growing buffer: a list of chunks costs a hundred bytes per chunk, even for a single byte. */
function gather(maxBytes: number, account: BodyAccount) {
  let buffer = Buffer.alloc(0);
  let size = 0;

  function grow(needed: number): void {
    if (needed <= buffer.length) return;
    const length = Math.min(maxBytes, Math.max(firstBytes, 2 * buffer.length, needed));
    account.hold(length - buffer.length);
    const larger = Buffer.allocUnsafeSlow(length);
    buffer.copy(larger, 0, 0, size);
    buffer = larger;
  }

  return {
    add(chunk: Buffer): void {
      if (size + chunk.length > maxBytes) throw bodyTooLarge(maxBytes);
      account.received(size + chunk.length);
      grow(size + chunk.length);
      size += chunk.copy(buffer, size);
    },
    bytes: () => buffer.subarray(0, size),
  };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function decodeBody(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    const repaired = Buffer.from(bytes.toString('utf8'));
    const position = bytes.findIndex((byte, index) => byte !== repaired[index]);
    throw malformedJson('Invalid UTF-8', Math.max(position, 0));
  }
}

function missingBody(): InvalidRequest {
  return new InvalidRequest([{ loc: ['body'], msg: 'Field required', type: 'missing' }]);
}

function bodyTooLarge(limit: number): FairleadError {
  return new FairleadError('too_large', `The body is larger than ${limit} bytes`);
}

export function unsupported(message: string): FairleadError {
  return new FairleadError('unsupported_media_type', message);
}
