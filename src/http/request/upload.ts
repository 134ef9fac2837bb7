// Streams the `code` part of a multipart/form-data request into the artifact store. It runs after authentication and
// authorization. A rejected or aborted request leaves nothing behind.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { FairleadError, InvalidRequest, type Violation } from '../../domain/errors.ts';
import { maxUploadBytes } from '../../domain/providers/archive.ts';
import type { ArtifactStore, StagedArtifact } from '../../domain/providers/artifact.ts';
import { ClientGone, unsupported } from './body.ts';
import { unknownName } from './known-names.ts';
import { type BodyPace, defaultPace, keepPace } from './pace.ts';

export interface UploadLimits {
  /** The largest file. */
  readonly fileBytes: number;
  readonly pace?: BodyPace;
}

const defaultUploadLimits: UploadLimits = { fileBytes: maxUploadBytes };

const partName = 'code';
// The maximum overhead of a form: boundaries, part headers, text around them.
const envelopeBytes = 65_536;
// One more than allowed, so that an excess is detected and named.
const parserLimits = { parts: 2, files: 2, fields: 1, fieldSize: 64, headerPairs: 16 };
const headerBytes = 8_192;

/**
 * @returns the file, for the caller to commit or to discard
 * @throws FairleadError `unsupported_media_type`, or `too_large` as soon as that is certain; InvalidRequest when the request is
 *   not exactly one file named `code`; ClientGone. When it throws, nothing is left.
 */
export async function receiveCode(
  req: IncomingMessage,
  res: ServerResponse,
  store: Pick<ArtifactStore, 'put'>,
  { fileBytes, pace = defaultPace }: UploadLimits = defaultUploadLimits,
): Promise<StagedArtifact> {
  const form = formFor(req);
  const max = fileBytes + envelopeBytes;
  if (Number(req.headers['content-length'] ?? 0) > max) throw uploadTooLarge(fileBytes);
  // The server leaves this decision to the handler (see listen.ts), so that rejected bodies are not uploaded.
  if (req.headers.expect !== undefined) res.writeContinue();

  let file: Readable | undefined;
  let putting: Promise<StagedArtifact> | undefined;
  const refusing = new AbortController();
  const refuse = (reason: unknown) => refusing.abort(reason);
  form
    .on('file', (name: string | undefined, stream) => {
      // The parser keeps emitting errors on a stream that nobody reads any more.
      stream.on('error', () => undefined);
      if (name !== partName || file !== undefined) {
        refuse(new InvalidRequest([name === partName ? onlyOnce : unexpectedPart(name)]));
        return;
      }
      file = stream;
      putting = store.put(stream, { maxBytes: fileBytes });
      putting.catch(refuse);
    })
    .on('field', (name) => refuse(new InvalidRequest([fieldProblem(name)])))
    .on('partsLimit', () => refuse(new InvalidRequest([tooManyParts])))
    .on('error', () => refuse(new InvalidRequest([malformed])));
  try {
    await feed(req, form, {
      max,
      tooMuch: uploadTooLarge(fileBytes),
      pace,
      signal: refusing.signal,
    });
    if (putting === undefined) throw new InvalidRequest([missing]);
    return await putting;
  } catch (thrown) {
    file?.destroy(new Error('The request was rejected'));
    await discard(putting);
    throw thrown;
  }
}

interface Feeding {
  readonly max: number;
  readonly tooMuch: Error;
  readonly pace: BodyPace;
  readonly signal: AbortSignal;
}

/** Ends when both the body and the form have ended: a connection may break between the two. */
function feed(
  req: IncomingMessage,
  form: Writable,
  { max, tooMuch, pace, signal }: Feeding,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = 0;
    let parsed = false;
    const settle = (reason?: unknown) => {
      keeper.stop();
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      form.off('drain', goOn).off('finish', onFinish);
      signal.removeEventListener('abort', onAbort);
      // Not destroyed: that would close the connection, and lose the response.
      req.pause();
      if (reason === undefined) resolve();
      else reject(reason);
    };
    const onData = (chunk: Buffer) => {
      received += chunk.length;
      try {
        keeper.came(chunk.length);
      } catch (thrown) {
        settle(thrown);
        return;
      }
      if (received > max) settle(tooMuch);
      else if (!parsed && !form.write(chunk)) rest();
    };
    const rest = () => {
      req.pause();
      keeper.rest();
    };
    const goOn = () => {
      req.resume();
      if (!req.readableEnded) keeper.resume();
    };
    const onEnd = () => {
      req.off('close', onGone);
      keeper.stop();
      if (parsed || received === 0) settle();
      else form.end();
    };
    const onFinish = () => {
      parsed = true;
      if (req.readableEnded) settle();
      else goOn();
    };
    const onSlow = () => settle(new ClientGone('The client sent the request body too slowly'));
    const onGone = () =>
      settle(new ClientGone('The client closed the connection before the end of the request body'));
    const onAbort = () => settle(signal.reason);
    const keeper = keepPace(pace, onSlow);
    // The client may have disconnected during authentication; `close` is not emitted again.
    if (req.destroyed) {
      onGone();
      return;
    }
    signal.addEventListener('abort', onAbort);
    form.on('drain', goOn).once('finish', onFinish);
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

function formFor({ headers }: IncomingMessage) {
  const type = headers['content-type'];
  if (headers['content-encoding'] !== undefined) {
    throw unsupported('Content-Encoding is not supported; send the body unencoded');
  }
  if (type === undefined || !/^multipart\/form-data\s*;/i.test(type)) throw notMultipart();
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: { ...parserLimits, headerSize: headerBytes },
    });
  } catch {
    throw notMultipart();
  }
}

function fieldProblem(name: string | undefined): Violation {
  if (name !== partName) return unexpectedPart(name);
  return problem('Input should be a file: send the part with a filename', 'value_error');
}

function unexpectedPart(name: string | undefined): Violation {
  return unknownName(['body', name ?? ''], [partName], undefined);
}

function problem(msg: string, type: string): Violation {
  return { loc: ['body', partName], msg, type };
}

const missing = problem('Field required', 'missing');
const onlyOnce = problem('Input should be sent once', 'value_error');
const tooManyParts: Violation = {
  loc: ['body'],
  msg: 'The form should have one part, named code',
  type: 'value_error',
};
const malformed: Violation = {
  loc: ['body'],
  msg: 'The form is malformed or truncated',
  type: 'value_error',
};

async function discard(putting: Promise<StagedArtifact> | undefined): Promise<void> {
  try {
    await (await putting)?.discard();
  } catch {
    // A store that failed has already cleaned up.
  }
}

function notMultipart(): FairleadError {
  return unsupported('Content-Type must be multipart/form-data with a boundary');
}

function uploadTooLarge(limit: number): FairleadError {
  return new FairleadError('too_large', `The upload is larger than ${limit} bytes`);
}
