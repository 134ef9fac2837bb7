// The errors of requests: what the API refused, and what did not reach it.
import { type ShownViolation, violationMessage } from '../../client/words/violation.ts';
import type { JsonObject } from '../../lib/json.ts';
import { text } from '../text.ts';

interface ErrorParts {
  readonly status: number;
  readonly detail: string;
  readonly code?: string | undefined;
  readonly help?: string | undefined;
  readonly requestId?: string | undefined;
  readonly violations?: readonly ShownViolation[];
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

/** The API answered with an error. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string | undefined;
  readonly help: string | undefined;
  readonly requestId: string | undefined;
  readonly violations: readonly ShownViolation[];
  readonly context: Readonly<Record<string, unknown>>;

  constructor({
    status,
    detail,
    code,
    help,
    requestId,
    violations = [],
    context = {},
  }: ErrorParts) {
    super(detail);
    this.status = status;
    this.code = code;
    this.help = help;
    this.requestId = requestId;
    this.violations = violations;
    this.context = context;
  }
}

/** No answer: whether a write happened is unknown, as the message explains. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(method: string, options?: ErrorOptions) {
    super(text(method === 'GET' ? 'error.no-answer' : 'error.no-answer-to-write'), options);
  }
}

interface ErrorBody {
  readonly detail?: unknown;
  readonly code?: string;
  readonly help?: string;
  readonly request_id?: string;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** With these, a proxy in front of the API, or `fairlead console`, answers in its place (RFC 9110, section 15.6). */
const notReached: readonly number[] = [502, 503, 504];

/** Reads the error of an answer to a method; an answer of a proxy between has none of its members. */
export async function answerError(answer: Response, method: string): Promise<ApiError | NoAnswer> {
  const { status } = answer;
  const body = (await answer.json().catch(() => ({}))) as ErrorBody;
  const { detail, code, help, request_id: requestId, context } = body;
  if (code === undefined && notReached.includes(status)) return new NoAnswer(method);
  if (Array.isArray(detail)) {
    const violations = detail as readonly ShownViolation[];
    const sentence = violations.map((each) => violationText(each)).join('\n');
    // This is the only refusal that is sent without its code.
    const named = code ?? 'invalid';
    return new ApiError({
      status,
      detail: sentence,
      code: named,
      help,
      requestId,
      violations,
      context,
    });
  }
  const sentence = typeof detail === 'string' ? detail : `HTTP ${status}`;
  return new ApiError({ status, detail: sentence, code, help, requestId, context });
}

/** @returns a violation with its place, such as `config.size: must be a whole number` */
export function violationText(violation: ShownViolation, schema?: JsonObject | null): string {
  const place = violation.loc.slice(1).join('.');
  const message = violationMessage(violation, schema);
  return place === '' ? message : `${place}: ${message}`;
}
