// The results of a part: figures with their goals, and plots. Parts produce them; rows, page and plots present them.
import { median } from '../measure.ts';

/** Limits of the median. `between` is for controls: beyond it, the ratios of the part are void. */
type Limit =
  | { readonly atMost: number }
  | { readonly atLeast: number }
  | { readonly exactly: number }
  | { readonly between: readonly [number, number] };

export type Goal = Limit & {
  /** Why this value, in a few words. */
  readonly source: string;
};

export interface Figure {
  readonly name: string;
  /** `ratio`, or a unit of the absolute figures beside it. */
  readonly unit: string;
  /** One per round. */
  readonly values: readonly number[];
  readonly goal?: Goal;
}

export function figure(name: string, unit: string, values: readonly number[], goal?: Goal): Figure {
  return { name, unit, values, ...(goal === undefined ? {} : { goal }) };
}

export interface Axis {
  readonly label: string;
  readonly scale?: 'linear' | 'log';
  /** Defaults to round numbers. */
  readonly ticks?: readonly number[];
}

export interface Series {
  readonly name: string;
  /** The median of `values` is drawn, with a bar from the least to the largest. */
  readonly points: readonly { readonly x: number; readonly values: readonly number[] }[];
}

export interface Plot {
  /** Its name in docs/performance/, without `.svg`. */
  readonly file: string;
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** A dashed line. */
  readonly limit?: { readonly value: number; readonly label: string };
}

export interface Measured {
  readonly figures: readonly Figure[];
  readonly plots?: readonly Plot[];
}

export interface RunOptions {
  /** Prints the progress. */
  readonly say: (line: string) => void;
  /** For parts whose length can be chosen. */
  readonly minutes: number | undefined;
}

export interface Part {
  readonly name: string;
  readonly title: string;
  /** What is measured, and how, for the page. */
  readonly about: string;
  /** For a missed goal, by name of the figure: what stands in the way. */
  readonly notes?: Readonly<Record<string, string>>;
  /** Runs only when it is named. */
  readonly named?: true;
  run(options: RunOptions): Promise<Measured>;
}

export type Verdict = 'met' | 'missed' | 'void';

/** @returns undefined for a figure without goal */
export function verdictOf({ values, goal }: Figure): Verdict | undefined {
  if (goal === undefined) return undefined;
  const value = median(values);
  if ('between' in goal) {
    const [least, most] = goal.between;
    return value >= least && value <= most ? 'met' : 'void';
  }
  return isWithin(value, goal) ? 'met' : 'missed';
}

function isWithin(value: number, goal: Exclude<Limit, { between: unknown }>): boolean {
  if ('atMost' in goal) return value <= goal.atMost;
  if ('atLeast' in goal) return value >= goal.atLeast;
  return value === goal.exactly;
}

export function goalText(goal: Goal): string {
  if ('atMost' in goal) return `≤ ${shown(goal.atMost)}`;
  if ('atLeast' in goal) return `≥ ${shown(goal.atLeast)}`;
  if ('exactly' in goal) return `exactly ${shown(goal.exactly)}`;
  return goal.between.map(shown).join(' … ');
}

/** Three digits, thousands with commas. */
export function shown(value: number): string {
  if (Number.isNaN(value)) return 'none';
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
