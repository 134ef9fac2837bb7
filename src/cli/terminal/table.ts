// Renders records as columns, as kubectl does: padded, without boxes. On a terminal they fit its width: cells are cut in the middle, and
// the last one wraps, beside the others or, where it would be too narrow, below them.

import { since } from '../../client/time.ts';
import { cutMiddle, padded, safeLine, widthOf, wrapped } from '../../client/width.ts';
import { sum } from '../../lib/numbers.ts';
import { cleaned } from './own-colours.ts';
import type { Style } from './style.ts';

/** The context of a cell besides its record. */
export interface Look {
  readonly style: Style;
  readonly now: Date;
  /** With `-o wide`: times in ISO 8601. */
  readonly wide: boolean;
}

export interface Column<T> {
  readonly title: string;
  readonly wide?: true;
  /** Not shown where no record has anything in it. */
  readonly sparse?: true;
  /** Text of others needs no cleaning here. */
  cell(record: T, look: Look): string;
}

/** @returns a column of how long something has been: the time itself with `-o wide`, and nothing where it is not known */
export function timeColumn<T>(
  title: string,
  timeOf: (record: T) => string | null | undefined,
): Column<T> {
  return {
    title,
    cell: (record, { now, wide }) => (wide ? (timeOf(record) ?? '') : since(timeOf(record), now)),
  };
}

const gap = '  ';
/** A narrower last column is harder to read than one below the others. */
const leastLastWidth = 20;
/** Cells are cut so far for a last column beside them. */
const leastBeside = 16;
/** And so far at all: a shorter name is none. */
const leastWidth = 8;

/** @param width of the terminal; undefined where nothing is cut and nothing wraps */
export function tableLines<T>(
  records: readonly T[],
  columns: readonly Column<T>[],
  look: { look: Look; width: number | undefined },
): string[] {
  return tableRows(records, columns, look).flat();
}

/** @returns the lines of the titles, then those of each record */
export function tableRows<T>(
  records: readonly T[],
  columns: readonly Column<T>[],
  { look, width }: { look: Look; width: number | undefined },
): string[][] {
  const shown = shownColumns(records, columns, look);
  const rows = records.map((record) => shown.map((column) => column.cell(record, look)));
  const titles = shown.map(({ title }) => look.style.paint('bold', title));
  return laidOut([titles, ...rows], { width: look.wide ? undefined : width, cuts: 'all' });
}

/** @returns the columns that a table of the records has */
export function shownColumns<T>(
  records: readonly T[],
  columns: readonly Column<T>[],
  look: Look,
): readonly Column<T>[] {
  return columns
    .filter((column) => look.wide || column.wide !== true)
    .filter((column) => column.sparse !== true || records.some((each) => column.cell(each, look)));
}

/** @returns rows of cells as lines with aligned columns; the last column wraps at the width, and nothing is cut */
export function aligned(rows: Rows, width?: number): string[] {
  return alignedRows(rows, width).flat();
}

/** @returns the lines of each row, as `aligned` has them */
export function alignedRows(rows: Rows, width?: number): string[][] {
  return laidOut(rows, { width, cuts: 'nothing' });
}

/** As `aligned`, but cells before the last are cut in the middle where they are too long for the width. */
export function fitted(rows: Rows, width?: number): string[] {
  return laidOut(rows, { width, cuts: 'first' }).flat();
}

/** As `fitted`, one line for each row, which may be longer than the width by the end of its last cell. */
export function fittedLines(rows: Rows, width: number): string[] {
  return laidOut(rows, { width, cuts: 'first', isOneLine: true }).flat();
}

type Rows = readonly (readonly string[])[];

interface Fit {
  readonly width: number | undefined;
  /** `first`: all cells but the last; `all`: also words of the last. */
  readonly cuts: 'nothing' | 'first' | 'all';
  /** The last column does not wrap. */
  readonly isOneLine?: boolean;
}

interface TableLayout {
  readonly widths: readonly number[];
  /** The width of the last column beside the others. */
  readonly left: number;
  /** The width of the last column below the others; undefined when it is beside them. */
  readonly below?: number;
  readonly cutsWords: boolean;
}

function laidOut(rows: Rows, fit: Fit): string[][] {
  const clean = rows.map((row) => row.map((cell) => cleaned(cell, safeLine)));
  const columns = Math.max(0, ...clean.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...clean.map((row) => widthOf(row[at] ?? ''))),
  );
  const layout = tableLayout(widths, fit);
  return clean.map((row) => rowLines(row, layout));
}

function tableLayout(
  natural: readonly number[],
  { width, cuts, isOneLine = false }: Fit,
): TableLayout {
  const widths = natural.slice(0, -1);
  if (width === undefined) return { widths, left: Infinity, cutsWords: false };
  const cutsWords = cuts === 'all';
  const gaps = widths.length * gap.length;
  const least = Math.min(natural.at(-1) ?? 0, leastLastWidth);
  const within = (room: number, leastCut: number) =>
    cuts === 'nothing' ? widths : capped(widths, room, leastCut);
  const beside = within(width - gaps - least, leastBeside);
  if (isOneLine) return { widths: beside, left: Infinity, cutsWords };
  const left = width - gaps - sum(beside);
  if (left >= least) return { widths: beside, left, cutsWords };
  const alone = within(width - gaps + gap.length, leastWidth);
  const leftBeside = width - gaps - sum(alone);
  return { widths: alone, left: leftBeside, below: Math.max(1, width - gap.length), cutsWords };
}

/** @returns the widths with the greatest ones reduced, until all have room or none is greater than the least */
function capped(widths: readonly number[], room: number, least: number): readonly number[] {
  const at = (cap: number) => widths.map((each) => Math.min(each, cap));
  let cap = Math.max(0, ...widths);
  while (cap > least && sum(at(cap)) > room) cap -= 1;
  return at(cap);
}

function rowLines(
  row: readonly string[],
  { widths, left, below, cutsWords }: TableLayout,
): string[] {
  const head = widths.map((width, at) => padded(cutMiddle(row[at] ?? '', width), width));
  const last = row[widths.length] ?? '';
  const isBeside = below === undefined || last === '' || widthOf(last) <= left;
  const room = isBeside ? left : below;
  const [first = '', ...rest] =
    last === '' || widthOf(last) <= room
      ? [last]
      : wrapped(last, room).map((line) => (cutsWords ? cutMiddle(line, room) : line));
  const indent = ' '.repeat(isBeside ? sum(widths) + widths.length * gap.length : gap.length);
  const beside = [...head, ...(isBeside ? [first] : [])].join(gap).trimEnd();
  return [beside, ...(isBeside ? rest : [first, ...rest]).map((line) => `${indent}${line}`)];
}
