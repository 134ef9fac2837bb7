// Renders records as columns, as kubectl does: padded, without boxes; the last column wraps and is never cut.

import { oneLine, padded, widthOf, wrapped } from '../../client/width.ts';
import { cleaned } from './own-colours.ts';
import type { Style } from './style.ts';

/** What a cell may depend on besides its record. */
export interface Look {
  readonly style: Style;
  readonly now: Date;
  /** With `-o wide`: times in ISO 8601. */
  readonly wide: boolean;
}

export interface Column<T> {
  readonly title: string;
  readonly wide?: true;
  /** Text of others needs no cleaning here. */
  cell(record: T, look: Look): string;
}

const gap = '  ';
/** Narrower than this, a last column that wraps is harder to read than one that the terminal breaks. */
const leastLastWidth = 20;

/** @param width of the terminal; undefined where nothing wraps */
export function tableLines<T>(
  records: readonly T[],
  columns: readonly Column<T>[],
  { look, width }: { look: Look; width: number | undefined },
): string[] {
  const shown = columns.filter((column) => look.wide || column.wide !== true);
  const rows = records.map((record) => shown.map((column) => column.cell(record, look)));
  const titles = shown.map(({ title }) => look.style.paint('bold', title));
  return aligned([titles, ...rows], width);
}

/** @returns rows of cells as lines with aligned columns; the last column wraps at the width */
export function aligned(rows: readonly (readonly string[])[], width?: number): string[] {
  const clean = rows.map((row) => row.map((cell) => cleaned(cell, oneLine)));
  const columns = Math.max(0, ...clean.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...clean.map((row) => widthOf(row[at] ?? ''))),
  );
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + gap.length, 0);
  const left = width === undefined ? Infinity : Math.max(leastLastWidth, width - before);
  return clean.flatMap((row) => linesOf(row, { widths, before, left }));
}

function linesOf(
  row: readonly string[],
  { widths, before, left }: { widths: readonly number[]; before: number; left: number },
): string[] {
  const head = row.slice(0, widths.length - 1).map((cell, at) => padded(cell, widths[at] ?? 0));
  const last = row[widths.length - 1] ?? '';
  const [first = '', ...rest] = widthOf(last) > left ? wrapped(last, left) : [last];
  return [
    [...head, first].join(gap).trimEnd(),
    ...rest.map((line) => `${' '.repeat(before)}${line}`),
  ];
}
