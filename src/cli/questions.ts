// Asks people on the terminal. Where nobody can answer it never waits: it answers as `--yes` says, or fails with the flag to use.
import { type Environment, isInteractive } from './environment.ts';
import { Interrupted, usageError } from './errors/cli-error.ts';

export interface QuestionOptions {
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

  /** Whether somebody can be asked. */
  get canAsk(): boolean {
    const { environment, noInput } = this.#options;
    return !noInput && isInteractive(environment);
  }

  /** @returns whether the answer is yes. @throws CliError when nobody can be asked and `--yes` is not given */
  async confirm(question: string): Promise<boolean> {
    if (this.#options.yes) return true;
    const answer = await this.#ask(`${question} [y/N] `, 'Pass --yes to go on without a question.');
    return /^y(?:es)?$/i.test(answer);
  }

  /** Asks for a line, such as the name of what is to be deleted. @throws CliError when nobody can be asked */
  async line(question: string, instead: string): Promise<string> {
    return await this.#ask(`${question} `, instead);
  }

  /** @returns the choice. @throws CliError naming the flag to use instead when nobody can be asked */
  async choose<T>(
    question: string,
    choices: readonly { readonly label: string; readonly value: T }[],
    instead: string,
  ): Promise<T> {
    const [only] = choices;
    if (only !== undefined && choices.length === 1) return only.value;
    const list = choices.map(({ label }, at) => `  ${at + 1}) ${label}\n`).join('');
    for (;;) {
      const answer = await this.#ask(`${question}\n${list}Number: `, instead);
      const chosen = choices[Number(answer) - 1];
      if (chosen !== undefined) return chosen.value;
    }
  }

  async #ask(question: string, instead: string): Promise<string> {
    if (!this.canAsk) throw usageError('This needs an answer, and nobody can be asked.', instead);
    const { createInterface } = await import('node:readline/promises');
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    try {
      const answer = await terminal.question(question, { signal: this.#options.signal });
      return answer.trim();
    } catch (thrown) {
      if (thrown instanceof Error && thrown.name === 'AbortError') throw new Interrupted();
      throw thrown;
    } finally {
      terminal.close();
    }
  }
}
