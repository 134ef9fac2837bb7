// Prints the figures of a part, and decides its verdict.
import { median } from '../measure.ts';
import { type Figure, goalText, type Part, shown, verdictOf } from './figures.ts';
import type { Result } from './results.ts';

const nameWidth = 66;

/** @returns false if a goal was missed, or a control is out of range */
export function printRows({ name }: Part, { figures, seconds }: Result): boolean {
  console.log(`\n${name} (${shown(Math.round(seconds))} s)`);
  for (const figure of figures) console.log(row(figure));
  return figures.every((figure) => (verdictOf(figure) ?? 'met') === 'met');
}

function row(figure: Figure): string {
  const { name, unit, values, goal } = figure;
  const label = unit === 'ratio' ? name : `${name}, ${unit}`;
  const indent = goal === undefined ? '    ' : '  ';
  const spread = `(${shown(Math.min(...values))} … ${shown(Math.max(...values))})`;
  const verdict = goal === undefined ? '' : `${verdictOf(figure)}: ${goalText(goal)}`;
  return `${(indent + label).padEnd(nameWidth)}${shown(median(values)).padStart(9)}  ${spread.padEnd(22)} ${verdict}`;
}
