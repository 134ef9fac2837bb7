// Renders errors as answers: the one place that does.

import type { ErrorRequestHandler, Request } from 'express';
import { errors } from '../../api/errors.ts';
import {
  FairleadError,
  InvalidRequest,
  InvalidToken,
  type Violation,
} from '../../domain/errors.ts';
import type { Log } from '../../lib/log.ts';
import { truncate } from '../../lib/text.ts';
import { ClientGone } from '../request/body.ts';
import { requestContextOf } from '../request/context.ts';
import { maxViolations } from '../request/parse.ts';
import { json, send, type WholeAnswer } from './send.ts';

const maxInputBytes = 1_024;
const maxLocationCharacters = 256;

interface ErrorAnswers {
  readonly log: Log;
  /** Address of the metadata for clients without a token (RFC 9728). */
  readonly metadataUrl?: string | undefined;
}

/** Answers whatever a handler throws. An unexpected error is logged once and answered without a detail. */
export function answerErrors({ log, metadataUrl }: ErrorAnswers): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    const { id } = requestContextOf(req);
    if (thrown instanceof ClientGone) {
      // A connection that broke is not readable; one whose body ended early may still be written to, and should end.
      res.destroy();
      return;
    }
    if (!(thrown instanceof FairleadError)) logUnexpected(log, req, { error: thrown });
    if (!res.headersSent) void send(res, answerFor(thrown, { id, metadataUrl }));
    // Half an answer cannot be taken back; cut, it is at least not mistaken for a whole one. A stream that has ended has the error.
    else if (!res.writableEnded) res.destroy();
  };
}

export interface UnexpectedFailure {
  readonly error: unknown;
  /** The number of resources that have failed, where others of the request have not. */
  readonly resources?: number;
}

export function logUnexpected(log: Log, req: Request, failure: UnexpectedFailure): void {
  const { id, route } = requestContextOf(req);
  const request = { method: req.method, route: route?.pattern, request_id: id };
  log.error({ ...failure, ...request }, 'Request failed unexpectedly');
}

interface ErrorRequest {
  /** Id of the request. */
  readonly id: string;
  readonly metadataUrl?: string | undefined;
}

interface ErrorDocument {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: object;
}

export function answerFor(error: unknown, request: ErrorRequest): WholeAnswer {
  const { body, ...head } = errorDocument(error, request);
  return json(body, head);
}

/** @returns the error for its caller; programs may ignore every member of the body besides `detail` and `code` */
export function errorDocument(error: unknown, { id, metadataUrl }: ErrorRequest): ErrorDocument {
  if (!(error instanceof FairleadError)) {
    const body = { detail: 'Internal Server Error', request_id: id };
    return { status: 500, headers: {}, body };
  }
  const status = errors[error.code].status;
  const more = {
    help: error.help ?? errors[error.code].action,
    request_id: id,
    ...(error.context === undefined ? {} : { context: error.context }),
  };
  if (error instanceof InvalidRequest) {
    const detail = error.violations.slice(0, maxViolations).map(presentViolation);
    const code = error.code === 'invalid' ? {} : { code: error.code };
    return { status, headers: {}, body: { detail, ...code, ...more } };
  }
  const headers = {
    ...(error.retryAfter === undefined ? {} : { 'Retry-After': `${Math.ceil(error.retryAfter)}` }),
    ...(status === 401 ? { 'WWW-Authenticate': challengeFor(error, metadataUrl) } : {}),
  };
  if (error.code === 'invalid') {
    const detail = [{ loc: [], msg: error.message, type: 'value_error' }];
    return { status, headers, body: { detail, ...more } };
  }
  return { status, headers, body: { detail: error.message, code: error.code, ...more } };
}

/** RFC 6750: a client refreshes a token that is not good any more, and asks for one only when it sent none. */
function challengeFor(error: FairleadError, metadataUrl: string | undefined): string {
  const parameters = [
    ...(error instanceof InvalidToken ? ['error="invalid_token"'] : []),
    ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
  ];
  return ['Bearer', parameters.join(', ')].filter((each) => each !== '').join(' ');
}

function presentViolation({ loc, msg, type, input, ctx }: Violation): Record<string, unknown> {
  return {
    loc: loc.map((part) =>
      typeof part === 'string' ? truncate(part, maxLocationCharacters) : part,
    ),
    msg,
    type,
    ...(input === undefined ? {} : { input: boundedInput(input) }),
    ...(ctx === undefined ? {} : { ctx }),
  };
}

/** An input is repeated to its sender as it came, unless it is long: then as the beginning of its text. */
function boundedInput(input: unknown): unknown {
  const text = JSON.stringify(input) ?? 'null';
  if (Buffer.byteLength(text) <= maxInputBytes) return input;
  return truncate(typeof input === 'string' ? input : text, maxInputBytes / 4);
}
