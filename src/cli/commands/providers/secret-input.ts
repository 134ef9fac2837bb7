// Reads a value that must not be an argument: it asks at a terminal, without showing what is typed, or reads standard input.

import type { Invocation } from '../../session/invocation.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';

interface ValueInput {
  /** The name of the value, for the question. */
  readonly name: string;
  /** The command that reads it from a file. */
  readonly instead: string;
  /** Typed characters are shown. */
  readonly isPlain?: boolean;
}

/** @throws CliError for an empty one */
export async function secretInput(
  { environment, questions }: Pick<Invocation, 'environment' | 'questions'>,
  { name, instead, isPlain = false }: ValueInput,
): Promise<string> {
  if (questions.canAsk) {
    return isPlain
      ? await questions.line(`${name}:`, instead)
      : await questions.secret(`${name}:`, instead);
  }
  const parts: Buffer[] = [];
  for await (const part of environment.stdin) parts.push(Buffer.from(part));
  const text = Buffer.concat(parts).toString('utf8');
  if (text === '') throw usageError(`Standard input has no value for ${name}.`, instead);
  // Files end with one, and `echo` writes one.
  return text.replace(/\r?\n$/, '');
}
