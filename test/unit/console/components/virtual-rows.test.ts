import { expect, it } from 'vitest';
import { rowsInSight } from '../../../../src/console/components/virtual-rows.tsx';

/** In a window of 900 pixels. */
const rows = (top: number) => {
  const { first, last } = rowsInSight({ top, below: 900 - top, rowHeight: 40 });
  return [first, last];
};

it.each([
  ['at the top of the window', 0, [0, 35]],
  ['in the middle of it', 450, [0, 24]],
  ['far below it', 1_700, [0, 12]],
  ['scrolled away', -4_000, [88, 135]],
])('a list %s has the rows that are in sight, and some more', (_, top, want) => {
  expect(rows(top)).toEqual(want);
});
