// The only way to standard output and standard error. Most texts are of a server, a provider or an issuer, and must not control the
// terminal, so everything is cleaned here, and not where it is printed.
import type { Environment, Sink } from './environment.ts';
import { forTerminal } from './own-colours.ts';

export class Printer {
  readonly #sink: Sink;

  constructor(environment: Environment, stream: 'stdout' | 'stderr') {
    this.#sink = environment[stream];
  }

  get isTerminal(): boolean {
    return this.#sink.isTTY === true;
  }

  /** The columns of the terminal; undefined elsewhere, and where nobody has told the terminal its size: it says 0 then. */
  get columns(): number | undefined {
    return this.isTerminal ? this.#sink.columns || undefined : undefined;
  }

  get rows(): number {
    return this.#sink.rows || 24;
  }

  /** Prints a line. In JSON, control characters become escapes, with which it means the same. */
  line(text: string): void {
    this.#sink.write(`${forTerminal(text)}\n`);
  }

  /** Prints text as it is to a program, and as people may see it to a terminal. */
  exact(text: string): void {
    this.#sink.write(this.isTerminal ? forTerminal(text) : text);
  }

  /** Erases the lines that were printed last. */
  erase(lines: number): void {
    this.#sink.write(`\u001b[${lines}A\u001b[0J`);
  }
}
