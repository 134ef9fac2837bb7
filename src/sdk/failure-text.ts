// Texts of failures, for users.
import type { z } from 'zod';

/** @returns the fields that break a schema, and how */
export function issueText(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`)
    .join('; ');
}

/** A thrown value need not be an error, or convertible to text. */
export function thrownText(thrown: unknown, by = 'The handler'): string {
  const description: unknown = thrown instanceof Error ? thrown.message : thrown;
  return typeof description === 'string' ? description : `${by} threw a value that is not an Error`;
}
