// Renders errors as answers: the one place that does.

import type { ErrorRequestHandler } from 'express';
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
    const { id, route } = requestContextOf(req);
    if (thrown instanceof ClientGone) {
      // A connection that broke is not readable; one whose body ended early may still be written to, and should end.
      res.destroy();
      return;
    }
    const known = thrown instanceof FairleadError;
    if (!known) {
      const fields = { error: thrown, method: req.method, route: route?.pattern, request_id: id };
      log.error(fields, 'Request failed unexpectedly');
    }
    // Half an answer cannot be taken back; cut, it is at least not mistaken for a whole one.
    if (res.headersSent) res.destroy();
    else void send(res, known ? answerFor(thrown, { id, metadataUrl }) : internalError(id));
  };
}

function internalError(id: string): WholeAnswer {
  return json({ detail: 'Internal Server Error', request_id: id }, { status: 500 });
}

interface ErrorRequest {
  /** Id of the request. */
  readonly id: string;
  readonly metadataUrl?: string | undefined;
}

/** @returns the response; programs may ignore every member besides `detail` and `code` */
export function answerFor(error: FairleadError, { id, metadataUrl }: ErrorRequest): WholeAnswer {
  const status = errors[error.code].status;
  const more = {
    help: error.help ?? errors[error.code].action,
    request_id: id,
    ...(error.context === undefined ? {} : { context: error.context }),
  };
  if (error instanceof InvalidRequest) {
    const detail = error.violations.slice(0, maxViolations).map(presentViolation);
    const code = error.code === 'invalid' ? {} : { code: error.code };
    return json({ detail, ...code, ...more }, { status });
  }
  const headers = {
    ...(error.retryAfter === undefined ? {} : { 'Retry-After': `${Math.ceil(error.retryAfter)}` }),
    ...(status === 401 ? { 'WWW-Authenticate': challengeFor(error, metadataUrl) } : {}),
  };
  if (error.code === 'invalid') {
    const detail = [{ loc: [], msg: error.message, type: 'value_error' }];
    return json({ detail, ...more }, { status, headers });
  }
  return json({ detail: error.message, code: error.code, ...more }, { status, headers });
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
