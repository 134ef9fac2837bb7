// Turns an answer of the API that reports an error into an error for people.
import type { ErrorCode } from '../../../api/errors.ts';
import { violationMessage } from '../../../client/words/violation.ts';
import type { Violation } from '../../../domain/errors.ts';
import { parseResourceAddress } from '../../../domain/identity.ts';
import { percentDecoded } from '../../../lib/text.ts';
import { adviceFor, type CommandSubject } from './advice.ts';
import { CliError, type Fact } from './cli-error.ts';

interface ErrorAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly requestId: string | undefined;
  /** The parsed JSON of the body, or its text. */
  readonly body: unknown;
}

/** An error that the API reports. Commands read `code` to add facts. */
export class ApiError extends CliError {
  override readonly name = 'ApiError';
  readonly code: ErrorCode | undefined;
  readonly status: number;
  /** The rules that the request breaks, of a 422 answer. */
  readonly violations: readonly Violation[];
  readonly requestId: string | undefined;
  /** Advice of the API, in its words. */
  readonly help: string | undefined;
  /** The subject of the request. */
  readonly subject: CommandSubject;
  /** Facts as JSON, which some errors have. */
  readonly context: Readonly<Record<string, unknown>>;

  constructor(answer: ErrorAnswer) {
    const body = bodyMembers(answer.body);
    const violations = detailViolations(body['detail']);
    const code = codeIn(body, answer.status);
    const help = typeof body['help'] === 'string' ? body['help'] : undefined;
    const subject = subjectOfPath(answer.path);
    const context = bodyMembers(body['context']);
    const refusal = onlySentence(code, violations);
    super(refusal ?? answerSentence(answer, body, violations), {
      ...adviceFor({ code, status: answer.status, help, context }, subject),
      facts: refusal === undefined ? violations.map(violationFact) : [],
    });
    this.code = code;
    this.help = help;
    this.subject = subject;
    this.status = answer.status;
    this.violations = violations;
    this.requestId = answer.requestId;
    this.context = context;
  }
}

/** Is passed to `catch`. @returns undefined in place of a resource that does not exist. @throws what else is thrown */
export function undefinedIfMissing(thrown: unknown): undefined {
  if (!(thrown instanceof ApiError && thrown.code === 'resource_not_found')) throw thrown;
}

function bodyMembers(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function detailViolations(detail: unknown): readonly Violation[] {
  return Array.isArray(detail) ? (detail as readonly Violation[]) : [];
}

/** The answer to a broken rule has no code. A server that is newer than the client may use codes that it lacks. */
function codeIn(body: Readonly<Record<string, unknown>>, status: number): ErrorCode | undefined {
  const { code } = body;
  if (typeof code === 'string') return code as ErrorCode;
  return status === 422 ? 'invalid' : undefined;
}

/** @returns the sentence of a violation that is the error itself, such as settings that a provider refuses: no rule is broken */
function onlySentence(
  code: ErrorCode | undefined,
  [only, ...others]: readonly Violation[],
): string | undefined {
  if (only === undefined || others.length > 0 || only.type !== code) return undefined;
  const message = violationMessage(only);
  // The name of a member of the body adds nothing to the sentence.
  return withStop(only.loc.length > 2 ? `${only.loc.slice(1).join('.')}: ${message}` : message);
}

const named = /\/(resources|providers|projects)\/([^/]+)/;

function subjectOfPath(path: string): CommandSubject {
  const [, kind, encoded = ''] = named.exec(path) ?? [];
  const name = percentDecoded(encoded);
  if (kind === 'providers') return { provider: name };
  if (kind === 'projects') return { project: name };
  return kind !== undefined && parseResourceAddress(name) !== undefined ? { resource: name } : {};
}

function answerSentence(
  { method, path, status, body: whole }: ErrorAnswer,
  { detail }: Readonly<Record<string, unknown>>,
  violations: readonly Violation[],
): string {
  if (typeof detail === 'string') return withStop(detail);
  if (violations.length > 0) return `The request breaks ${rules(violations.length)}.`;
  const start = typeof whole === 'string' ? whole.trim().split('\n', 1)[0]?.slice(0, 200) : '';
  return `${method} ${path} was answered with status ${status}${start ? `: ${start}` : ''}.`;
}

function rules(count: number): string {
  return count === 1 ? 'a rule' : `${count} rules`;
}

/** @returns a sentence that ends with a full stop */
export function withStop(text: string): string {
  const trimmed = text.trim();
  return /[.!?\u2026]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

function violationFact(violation: Violation): Fact {
  const { loc } = violation;
  const [where = '', ...rest] = loc;
  const place = where === 'body' && rest.length > 0 ? rest : loc;
  return [place.join('.'), violationMessage(violation)];
}
