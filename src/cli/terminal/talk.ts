// Prints to people on standard error: notes, warnings, requests of `-v`. `--quiet` leaves only errors.
import type { Environment } from './environment.ts';
import { Printer } from './printer.ts';
import { proseLines } from './prose.ts';
import type { Style } from './style.ts';

interface TalkOptions {
  readonly environment: Environment;
  readonly style: Style;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

export class Talk {
  readonly style: Style;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly #printer: Printer;
  readonly #printed = new Set<string>();
  /** Lines that are redrawn, above which others are printed. */
  #live: { clear(): void; draw(): void } | undefined;

  constructor({ environment, style, quiet, verbose }: TalkOptions) {
    this.#printer = new Printer(environment, 'stderr');
    this.style = style;
    this.quiet = quiet;
    this.verbose = verbose;
  }

  get isTerminal(): boolean {
    return this.#printer.isTerminal;
  }

  /** The width of the terminal; undefined elsewhere, where nothing wraps. */
  get width(): number | undefined {
    return this.#printer.columns;
  }

  /** Prints a sentence, unless `--quiet`. */
  note(text: string): void {
    if (!this.quiet) this.lines(proseLines(text, this.width));
  }

  /** Prints a sentence the first time, and not beside lines that are redrawn: these show that the command goes on. */
  once(text: string): void {
    if (this.#live !== undefined || this.#printed.has(text)) return;
    this.#printed.add(text);
    this.note(text);
  }

  /** Prints a warning the first time, also with `--quiet`. */
  warn(text: string): void {
    if (this.#printed.has(text)) return;
    this.#printed.add(text);
    this.lines(proseLines(`${this.style.paint('yellow', 'Warning:')} ${text}`, this.width));
  }

  /** Prints with `--verbose` only. */
  detail(text: string): void {
    if (this.verbose) this.#print(this.style.paint('dim', text));
  }

  /** Prints lines, such as those of an error, whatever the flags. */
  lines(lines: readonly string[]): void {
    for (const line of lines) this.#print(line);
  }

  /** Registers lines at the bottom that are redrawn; undefined leaves what was drawn last. */
  setLive(live: { clear(): void; draw(): void } | undefined): void {
    this.#live = live;
  }

  #print(text: string): void {
    this.#live?.clear();
    this.#printer.line(text);
    this.#live?.draw();
  }
}
