// Classifies HTTP responses of providers. Pure; every response maps to one of three answers.
import {
  maxAskedSeconds,
  maxContextBytes,
  maxOutputsBytes,
  plainCode,
  type RetryScope,
} from '../domain/event.ts';
import { logExcerpt } from '../domain/log-excerpt.ts';
import { type Progress, parseProgress } from '../domain/progress/value.ts';
import { isTypeVersion } from '../domain/type-version.ts';
import type { JsonObject } from '../lib/json.ts';
import { isJsonObject, jsonBytes } from '../lib/json.ts';
import { retryAfterMs } from '../lib/retry-after.ts';
import { clean } from '../lib/text.ts';
import { retryable, terminal } from './failures.ts';
import { observedAnswer } from './observed-answer.ts';
import type { Answer } from './protocol.ts';
import { valueProblem } from './values.ts';

export interface RawAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly contentType?: string | undefined;
  readonly body: Uint8Array;
}

const messageLimit = 4_096;
/** Maximum length of a failure code, in characters. */
export const codeLimit = 64;
const minAskedMs = 1_000;
/** Client errors that are independent of the request itself (RFC 9110, RFC 8470, RFC 6585). */
const passingClientErrors = [408, 425, 429];

interface AnswerContext {
  /** The answer is one to an OBSERVE. */
  readonly observing?: boolean;
  /** The answer is one to a DELETE or a CANCEL: it needs no outputs. */
  readonly deleting: boolean;
  readonly now: Date;
}

export function interpret(raw: RawAnswer, { deleting, observing, now }: AnswerContext): Answer {
  const { status } = raw;
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && observing === true) return observedAnswer(status, jsonObjectIn(raw.body));
  if (status === 202) return laterAnswer(raw, now);
  if (isSuccess) return success(raw, deleting);
  if (status >= 300 && status < 400) {
    return retryable('REDIRECT', 'The provider answered with a redirect, which is not followed');
  }
  return failedAnswer(raw, now);
}

function failedAnswer(raw: RawAnswer, now: Date): Answer {
  const { status } = raw;
  const body = jsonObjectIn(raw.body);
  const said = saidError(body);
  const code = said?.code ?? `HTTP_${status}`;
  const line = bodyLine(raw.body);
  const message = said?.message ?? `The provider answered ${status}${line && `: ${line}`}`;
  const terminal = status >= 400 && status < 500 && !passingClientErrors.includes(status);
  const wait = retryAfterMs(raw.retryAfter, now);
  const log = logExcerpt(body?.['log']);
  return {
    kind: 'failed',
    terminal,
    code,
    message,
    ...(log.length === 0 ? {} : { log }),
    ...(!terminal && body?.['suspect'] === true && { suspect: true }),
    ...(wait === undefined || terminal ? {} : waitAsked(status, wait, body)),
  };
}

function waitAsked(status: number, waitMs: number, body: JsonObject | undefined) {
  if (status !== 429) return { retryAfterMs: waitMs };
  const retryScope: RetryScope = body?.['retry_scope'] === 'provider' ? 'provider' : 'resource';
  return { retryAfterMs: boundedDelay(waitMs), retryScope };
}

function success(raw: RawAnswer, deleting: boolean): Answer {
  if (deleting) return { kind: 'succeeded', outputs: {} };
  const body = jsonObjectIn(raw.body);
  const outputs = body?.['outputs'];
  if (!isJsonObject(outputs)) return retryable('INVALID_ANSWER', withoutOutputs(raw));
  const problem = valueProblem(outputs);
  if (problem !== undefined) return terminal('INVALID_OUTPUTS', `The outputs contain ${problem}`);
  if (jsonBytes(outputs) > maxOutputsBytes) {
    return terminal('OUTPUTS_TOO_LARGE', `The outputs are larger than ${maxOutputsBytes} bytes`);
  }
  const version = body?.['outputs_schema_version'];
  const said = isTypeVersion(version) ? { outputsTypeVersion: version } : {};
  return { kind: 'succeeded', outputs, ...said };
}

/** Shows only the names of an object: misplaced outputs may hold passwords. */
function withoutOutputs({ status, contentType = '', body }: RawAnswer): string {
  const names = Object.keys(jsonObjectIn(body) ?? {});
  const [type = ''] = /^[\w.+-]+\/[\w.+-]+/.exec(contentType) ?? [];
  const line = bodyLine(body);
  let what = `with ${type === '' ? '' : `${type} `}"${line}"`;
  if (line === '') what = 'without a body';
  if (names.length > 0) what = `with an object of ${clean(names.join(', '), maxLineLength)}`;
  if (names.includes('outputs')) what = 'with outputs that are not an object';
  return `The provider answered ${status} ${what}; expected {"outputs":{…}}`;
}

const maxLineLength = 200;

/** @returns the beginning of a body, cleaned for display */
function bodyLine(body: Uint8Array): string {
  const beginning = new TextDecoder().decode(body.subarray(0, 4 * maxLineLength));
  const [line = ''] = clean(beginning, 8 * maxLineLength).split('\n');
  return clean(line, maxLineLength);
}

function laterAnswer({ body, retryAfter }: RawAnswer, now: Date): Answer {
  const said = jsonObjectIn(body) ?? {};
  const seconds = said['retry_after'];
  const asked = typeof seconds === 'number' ? seconds * 1_000 : retryAfterMs(retryAfter, now);
  const context = said['context'] ?? undefined;
  const refused = refusedContext(context);
  if (refused !== undefined) return refused;
  const message = typeof said['message'] === 'string' ? clean(said['message'], messageLimit) : '';
  return {
    kind: 'later',
    retryAfterMs: boundedDelay(asked ?? minAskedMs),
    ...(message === '' ? {} : { message }),
    ...reportedProgress(said['progress'], message),
    ...(isJsonObject(context) ? { context } : {}),
  };
}

/** An operation does not fail because its progress does not fit. */
function reportedProgress(said: unknown, message: string): { readonly progress?: Progress } {
  if (!isJsonObject(said)) return {};
  const progress = parseProgress({ done: said['done'], total: said['total'], message });
  return 'problem' in progress || progress.done === undefined ? {} : { progress };
}

function boundedDelay(askedMs: number): number {
  return Math.min(Math.max(askedMs, minAskedMs), maxAskedSeconds * 1_000);
}

/** A dropped or changed context would make the provider start a running operation again. */
function refusedContext(context: unknown): Answer | undefined {
  if (context === undefined) return undefined;
  if (!isJsonObject(context)) {
    return retryable(
      'INVALID_ANSWER',
      'The provider answered with a context that is not an object',
    );
  }
  const problem = valueProblem(context);
  if (problem !== undefined) return terminal('INVALID_CONTEXT', `The context contains ${problem}`);
  if (jsonBytes(context) <= maxContextBytes) return undefined;
  return terminal('CONTEXT_TOO_LARGE', `The context is larger than ${maxContextBytes} bytes`);
}

function saidError(body: JsonObject | undefined): { code?: string; message?: string } | undefined {
  const error = body?.['error'];
  if (!isJsonObject(error)) return undefined;
  const { code, message } = error;
  const text = typeof message === 'string' ? clean(message, messageLimit - codeLimit - 2) : '';
  const word = typeof code === 'string' ? plainCode(clean(code, codeLimit)) : '';
  return { ...(word === '' ? {} : { code: word }), ...(text === '' ? {} : { message: text }) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function jsonObjectIn(body: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(body));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
