// Asks people on the terminal. Without a terminal it never waits: `--yes` is the answer, or it fails with the flag to use.

import { safeLine } from '../../client/width.ts';
import { type Environment, isInteractive, readInput } from './environment.ts';
import { CliError, Interrupted, usageError } from './errors/cli-error.ts';
import { ExitCode } from './exit-codes.ts';

interface QuestionOptions {
  readonly environment: Environment;
  readonly yes: boolean;
  readonly noInput: boolean;
  readonly signal: AbortSignal;
}

export class Questions {
  readonly #options: QuestionOptions;

  constructor(options: QuestionOptions) {
    this.#options = options;
  }

  /** Whether there is a terminal to ask on. */
  get canAsk(): boolean {
    const { environment, noInput } = this.#options;
    return !noInput && isInteractive(environment);
  }

  /** @returns whether the answer is yes. @throws CliError without a terminal and without `--yes` */
  async confirm(question: string): Promise<boolean> {
    if (this.#options.yes) return true;
    const answer = await this.#ask(
      `${safeLine(question)} [y/N] `,
      'Pass --yes to go on without a question.',
    );
    return /^y(?:es)?$/i.test(answer);
  }

  /** Asks for a line, such as the name of what is to be deleted. @throws CliError without a terminal */
  async line(question: string, instead: string): Promise<string> {
    return await this.#ask(`${safeLine(question)} `, instead);
  }

  /**
   * Reads a value that must not be an argument: it asks at a terminal, or reads standard input.
   * @param instead the command that reads it from a file
   * @throws CliError for an empty one
   */
  async value(name: string, instead: string, isShown = false): Promise<string> {
    if (this.canAsk) return await this.#ask(`${safeLine(`${name}:`)} `, instead, !isShown);
    const text = (await readInput(this.#options.environment)).toString('utf8');
    if (text === '') throw usageError(`Standard input has no value for ${name}.`, instead);
    // Files end with one, and `echo` writes one.
    return text.replace(/\r?\n$/, '');
  }

  /** @returns the choice. @throws CliError without a terminal, naming the flag to use instead */
  async choose<T>(
    question: string,
    choices: readonly { readonly label: string; readonly value: T }[],
    instead: string,
  ): Promise<T> {
    const [only] = choices;
    if (only !== undefined && choices.length === 1) return only.value;
    const list = choices.map(({ label }, at) => `  ${at + 1}) ${safeLine(label)}\n`).join('');
    for (;;) {
      const answer = await this.#ask(`${safeLine(question)}\n${list}Number: `, instead);
      const chosen = choices[Number(answer) - 1];
      if (chosen !== undefined) return chosen.value;
    }
  }

  async #ask(question: string, instead: string, isHidden = false): Promise<string> {
    if (!this.canAsk) {
      const [first = ''] = question.replace(/ \[y\/N\] $/, '').split('\n');
      throw new CliError('This needs an answer, and there is no terminal to ask on.', {
        exit: ExitCode.usage,
        facts: [first.trim()],
        next: instead,
      });
    }
    const { createInterface } = await import('node:readline/promises');
    const { Writable } = process.getBuiltinModule('node:stream');
    // readline shows what is typed on its output.
    const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
    const output = isHidden ? nothing : process.stderr;
    const terminal = createInterface({
      input: process.stdin,
      output,
      ...(isHidden ? { terminal: true } : {}),
    });
    if (isHidden) process.stderr.write(question);
    try {
      const answer = await terminal.question(question, { signal: this.#options.signal });
      if (isHidden) process.stderr.write('\n');
      return isHidden ? answer : answer.trim();
    } catch (thrown) {
      if (thrown instanceof Error && thrown.name === 'AbortError') throw new Interrupted();
      throw thrown;
    } finally {
      terminal.close();
    }
  }
}
