// Defines the error that a command shows to people: one sentence, the facts, and what to do.
import { ExitCode } from '../exit-codes.ts';

/** A line below the sentence: text, or the aligned cells of a table. */
export type Fact = string | readonly string[];

interface CliErrorOptions {
  readonly exit?: ExitCode;
  /** Shown below the sentence, aligned. */
  readonly facts?: readonly Fact[];
  /** The next step: a command, or a sentence that ends with one. Shown last. */
  readonly next?: string;
  readonly cause?: unknown;
}

/** An error with an explanation for people. Its message is one sentence that ends with a full stop. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly exit: ExitCode;
  readonly facts: readonly Fact[];
  readonly next: string | undefined;

  constructor(sentence: string, { exit, facts, next, cause }: CliErrorOptions = {}) {
    super(sentence, cause === undefined ? undefined : { cause });
    this.exit = exit ?? ExitCode.failed;
    this.facts = facts ?? [];
    this.next = next;
  }

  /** @returns an error with this sentence and exit code, and other facts or another next step */
  with(changes: Pick<CliErrorOptions, 'facts' | 'next'>): CliError {
    const { message, exit, facts, next } = this;
    return new CliError(message, { exit, facts, ...(next !== undefined && { next }), ...changes });
  }
}

/** The command line is wrong. @param next the command that shows what is right */
export function usageError(sentence: string, next?: string): CliError {
  return new CliError(sentence, { exit: ExitCode.usage, ...(next === undefined ? {} : { next }) });
}

/** The process was asked to stop; there is no message. */
export class Interrupted extends CliError {
  override readonly name = 'Interrupted';

  constructor() {
    super('Interrupted.', { exit: ExitCode.interrupted });
  }
}
