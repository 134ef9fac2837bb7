// Texts of failures, for users.
import type { z } from 'zod';

/** @returns the fields that break a schema, and how */
export function issueText(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`)
    .join('; ');
}

/** A thrown value need not be an error, or convertible to text. Of an error with causes, its first line and theirs. */
export function thrownText(thrown: unknown, by = 'The handler'): string {
  if (typeof thrown === 'string') return thrown;
  const description: unknown = thrown instanceof Error ? thrown.message : undefined;
  if (typeof description !== 'string') return `${by} threw a value that is not an Error`;
  const causes = errorCauses(thrown as Error).map(causeMessage);
  if (causes.length === 0) return description;
  return [description, ...causes].map(lineOf).join(', caused by ');
}

/** @returns the stack of an error, and those of its causes */
export function stackText(error: Error): string {
  const all = [error, ...errorCauses(error)];
  return all.map((each) => each.stack ?? each.message).join('\ncaused by ');
}

const maxCauses = 5;

/** The error of `fetch` is only `fetch failed`: its cause says why. */
function errorCauses(error: Error): readonly Error[] {
  const causes: Error[] = [];
  for (let next = error.cause; next instanceof Error; next = next.cause) {
    if (causes.length === maxCauses) break;
    causes.push(next);
  }
  return causes;
}

/** Node connects to several addresses of a host, and puts their errors into one without a message. */
function causeMessage(cause: Error): string {
  const [first] = cause instanceof AggregateError ? (cause.errors as readonly unknown[]) : [];
  if (cause.message !== '') return cause.message;
  return first instanceof Error ? first.message : cause.name;
}

function lineOf(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? '';
}
