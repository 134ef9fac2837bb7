// Shows what is under way, one line for each thing. On a terminal the lines are redrawn, failures first; elsewhere, and in CI,
// each change of state is a line, and a line every half minute shows that the command still runs, and how far each thing is.

import { elapsed } from '../../client/time.ts';
import { cut, safeLine } from '../../client/width.ts';
import { figure } from '../../lib/text.ts';
import { type Environment, variableIn } from './environment.ts';
import { cleaned } from './own-colours.ts';
import { Printer } from './printer.ts';
import { type Style, signOf } from './style.ts';
import { fittedLines } from './table.ts';
import type { Talk } from './talk.ts';

interface ProgressStep {
  /** A word with a sign of style.ts, such as `processing` or `ready`. */
  readonly state: string;
  readonly label: string;
  /** The remaining cells of the line. */
  readonly cells?: readonly string[];
  /** How much of it is done: a bar, where lines are redrawn. */
  readonly percent?: number;
  /** Text at the end: a reason, an attempt. */
  readonly detail?: string;
  readonly isDone: boolean;
}

export interface ProgressOptions {
  /** Keeps the order in which steps were added: for steps that follow each other. */
  readonly isSequence?: boolean;
  /** How many steps there will be. With many of them, only failures have a line where nothing is redrawn. */
  readonly expected?: number;
  /** The same with few: the command prints what came of them. */
  readonly onlyFailures?: boolean;
}

const redrawMs = 100;
const signOfLifeMs = 30_000;
const many = 20;
const failures: readonly string[] = ['failed', 'unavailable', 'crashed'];

export class Progress {
  readonly #talk: Talk;
  readonly #environment: Environment;
  readonly #printer: Printer;
  readonly #steps = new Map<
    string,
    ProgressStep & { readonly startedAt: number; endedAt?: number }
  >();
  readonly #redraws: boolean;
  #timer: NodeJS.Timeout | undefined;
  #drawn = 0;
  #isDirty = false;
  readonly #isSequence: boolean;
  readonly #expected: number;
  readonly #onlyFailures: boolean;
  readonly #startedAt: Date;
  #tail: readonly string[] = [];

  constructor(
    environment: Environment,
    talk: Talk,
    { isSequence = false, expected = 0, onlyFailures = false }: ProgressOptions = {},
  ) {
    this.#onlyFailures = onlyFailures || expected > many;
    this.#isSequence = isSequence;
    this.#expected = expected;
    this.#startedAt = environment.now();
    this.#environment = environment;
    this.#printer = new Printer(environment, 'stderr');
    this.#talk = talk;
    this.#redraws =
      talk.isTerminal &&
      variableIn(environment, 'CI') === undefined &&
      variableIn(environment, 'TERM') !== 'dumb';
  }

  /** Begins to show; `stop` must follow. */
  start(): this {
    if (this.#talk.quiet) return this;
    if (this.#redraws) {
      this.#talk.setLive({ clear: () => this.#clear(), draw: () => this.#draw() });
      // Elapsed times change without news.
      this.#timer = setInterval(() => this.#redraw(), redrawMs);
    } else {
      this.#timer = setInterval(() => this.#signOfLife(), signOfLifeMs);
    }
    this.#timer.unref();
    return this;
  }

  /** Adds a thing, or changes its line. */
  set(key: string, step: ProgressStep): void {
    const known = this.#steps.get(key);
    const now = this.#environment.now().getTime();
    const startedAt = known?.startedAt ?? now;
    const endedAt = step.isDone ? { endedAt: known?.endedAt ?? now } : {};
    this.#steps.set(key, { ...step, startedAt, ...endedAt });
    this.#isDirty = true;
    if (!this.#redraws && known?.state !== step.state) this.#printChange(key);
  }

  /** Whether lines are redrawn in place, so that there is room for a tail. */
  get isLive(): boolean {
    return this.#redraws;
  }

  /** Sets the lines above the steps, such as the last ones of a log. They go when it ends. */
  setTail(lines: readonly string[]): void {
    this.#tail = lines;
    this.#isDirty = true;
  }

  /** Ends; the lines stay as they are last. */
  stop(): void {
    this.#tail = [];
    clearInterval(this.#timer);
    if (this.#talk.quiet) return;
    if (!this.#redraws) {
      if (this.#isMany) this.#noteCount();
      return;
    }
    this.#clear();
    this.#draw(Infinity);
    this.#talk.setLive(undefined);
    this.#drawn = 0;
  }

  /** @returns the lines, failures first, then what is under way, then what is done; each in the order of their labels */
  lines(limit = Infinity): string[] {
    const now = this.#environment.now().getTime();
    const steps = [...this.#steps.values()];
    const sorted = this.#isSequence ? steps : steps.sort(byRank);
    const shown = sorted.length > limit ? sorted.slice(0, limit - 1) : sorted;
    const rows = shown.map((step) => [
      `  ${signOf(step.state, this.#talk.style)} ${step.label}`,
      ...(step.cells ?? []),
      step.state,
      elapsed((step.endedAt ?? now) - step.startedAt),
      [...barOf(step, this.#talk.style), step.detail ?? ''].join(' '),
    ]);
    const more = sorted.length - shown.length;
    return [...fittedLines(rows, this.#width), ...(more > 0 ? [`  and ${more} more`] : [])];
  }

  /** A line that fills the terminal would break. */
  get #width(): number {
    return (this.#printer.columns ?? 80) - 1;
  }

  #draw(limit = Math.max(2, this.#printer.rows - 2)): void {
    const tail = this.#tail.map((line) =>
      this.#talk.style.paint('dim', cut(cleaned(line, safeLine), this.#width)),
    );
    const lines = [...tail, ...this.lines(limit).map((line) => cut(line, this.#width))];
    if (lines.length > 0) this.#printer.line(lines.join('\n'));
    this.#drawn = lines.length;
    this.#isDirty = false;
  }

  #clear(): void {
    if (this.#drawn > 0) this.#printer.erase(this.#drawn);
    this.#drawn = 0;
  }

  #redraw(): void {
    if (!this.#isDirty && [...this.#steps.values()].every(({ isDone }) => isDone)) return;
    this.#clear();
    this.#draw();
  }

  get #isMany(): boolean {
    return this.#expected > many;
  }

  #noteCount(): void {
    const now = this.#environment.now();
    const done = [...this.#steps.values()].filter(({ isDone }) => isDone).length;
    const time = elapsed(now.getTime() - this.#startedAt.getTime());
    this.#talk.note(
      `${timeOfDay(now)}   ${figure(done)} of ${figure(this.#expected)} done  ${time}`,
    );
  }

  #printChange(key: string): void {
    const step = this.#steps.get(key);
    if (step === undefined || this.#talk.quiet) return;
    if (this.#onlyFailures && !failures.includes(step.state)) return;
    const { state, label, cells = [], detail = '', startedAt } = step;
    const time = this.#environment.now();
    const words = [label, ...cells, state, elapsed(time.getTime() - startedAt), detail];
    const sign = signOf(state, this.#talk.style);
    this.#talk.note(`${timeOfDay(time)} ${sign} ${words.filter((each) => each !== '').join('  ')}`);
  }

  #signOfLife(): void {
    if (this.#isMany) {
      this.#noteCount();
      return;
    }
    const now = this.#environment.now();
    for (const { isDone, label, state, detail = '', startedAt } of this.#steps.values()) {
      if (isDone) continue;
      const seconds = Math.round((now.getTime() - startedAt) / 1_000);
      const words = `${label}  still ${state} (${seconds}s)${detail === '' ? '' : `: ${detail}`}`;
      this.#talk.note(`${timeOfDay(now)}   ${words}`);
    }
  }
}

const barWidth = 10;

/** @returns the bar of a step, such as `██░░░░░░░░`; empty for one without */
function barOf({ percent, isDone }: ProgressStep, { unicode, paint }: Style): readonly string[] {
  if (percent === undefined || isDone) return [];
  const filled = Math.floor((percent * barWidth) / 100);
  const [full, rest] = unicode ? ['█', '░'] : ['#', '.'];
  return [paint('cyan', full.repeat(filled)) + paint('dim', rest.repeat(barWidth - filled))];
}

// The order of events differs from run to run.
function byRank(left: ProgressStep, right: ProgressStep): number {
  return rank(left) - rank(right) || (left.label < right.label ? -1 : 1);
}

function rank({ state, isDone }: ProgressStep): number {
  if (failures.includes(state)) return 0;
  return isDone ? 2 : 1;
}

function timeOfDay(time: Date): string {
  return time.toISOString().slice(11, 19);
}
