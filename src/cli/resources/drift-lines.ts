// Shows drift below a resource: a row for each value that differs, then what is not known.
import type { Drift } from '../../client/drift.ts';
import {
  driftRows,
  notShown,
  unreadSentence,
  unrecordedSentence,
} from '../../client/words/drift-text.ts';
import type { JsonValue } from '../../lib/json.ts';
import { aligned } from '../terminal/table.ts';

/** @returns such as `  /size  declared 20  actual 50` */
export function driftLines(drift: Drift, width?: number): readonly string[] {
  const rows = driftRows(drift).map(({ path, declared, actual }) => [
    `  ${path}`,
    `declared ${driftValue(declared)}`,
    `actual ${driftValue(actual)}`,
  ]);
  return [...aligned(rows, width), ...unknownLines(drift)];
}

function unknownLines(drift: Drift): readonly string[] {
  const sentences = [unrecordedSentence(drift), unreadSentence(drift)];
  return sentences.filter((each) => each !== '').map((each) => `  ${each}`);
}

function driftValue(value: JsonValue | undefined): string {
  return value === undefined ? notShown : JSON.stringify(value);
}
